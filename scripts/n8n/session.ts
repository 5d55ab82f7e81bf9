/** n8n answered a request with an error. */
export class N8nRequestFailed extends Error {
  constructor(
    readonly request: string,
    readonly status: number,
    readonly body: unknown,
  ) {
    super(`${request} was answered with ${status}: ${describe(body)}`);
    this.name = 'N8nRequestFailed';
  }
}

function describe(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message);
  return typeof body === 'string' ? body.slice(0, 500) : JSON.stringify(body).slice(0, 500);
}

/** What one request needs beside its method and path. */
export interface RequestDetails {
  body?: unknown;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Requests to one n8n, with the cookie that a login has left. */
export class Session {
  /** @param cookie a login cookie of another session, to go on as the same person */
  constructor(
    readonly baseUrl: string,
    private cookie?: string,
  ) {}

  /** The login cookie as `name=value`, for a browser that is to be logged in too. */
  get loginCookie(): string | undefined {
    return this.cookie;
  }

  /** Asks n8n's internal interface, the one that its editor uses; unwraps the `data` around answers. */
  async rest<T>(method: string, path: string, details: RequestDetails = {}): Promise<T> {
    const answer = await this.send<{ data: T }>(method, `/rest${path}`, details);
    return answer.data;
  }

  /**
   * Sends JSON and reads JSON.
   *
   * @param path from the server's root on
   * @throws N8nRequestFailed with status and body for every answer but a success
   */
  async send<T>(method: string, path: string, details: RequestDetails = {}): Promise<T> {
    const url = new URL(path, this.baseUrl);
    for (const [name, value] of Object.entries(details.query ?? {})) {
      url.searchParams.set(name, value);
    }
    const response = await fetch(url, {
      method,
      headers: {
        // A busy n8n may close an idle connection just when the next request leaves on it.
        connection: 'close',
        ...(details.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
        ...details.headers,
      },
      body: details.body === undefined ? undefined : JSON.stringify(details.body),
    });
    this.keepCookie(response);
    const body = parsed(await response.text());
    if (!response.ok) throw new N8nRequestFailed(`${method} ${path}`, response.status, body);
    return body as T;
  }

  private keepCookie(response: Response): void {
    const login = response.headers
      .getSetCookie()
      .find((candidate) => candidate.startsWith('n8n-auth='));
    if (login !== undefined) this.cookie = login.split(';')[0];
  }
}

/** An answer that is JSON as a value; any other as the text that it is. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
