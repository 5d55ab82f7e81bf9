/** n8n gives its own address to nodes, but not to credential tests. */
let lastUrl: string | undefined;

export function rememberInstanceUrl(url: string): string {
  lastUrl = url;
  return url;
}

/** The address of this n8n; undefined while no node of this process has asked for it. */
export function instanceUrl(): string | undefined {
  return lastUrl;
}
