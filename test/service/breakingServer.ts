import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';

const pem = (name: string) => readFileSync(join(__dirname, 'certificate', `${name}.pem`), 'utf8');

/** The certificate of a breaking server over TLS: its own authority, for loopback only. */
export const CERTIFICATE = pem('certificate');

/** When a connection breaks. */
export type Stage =
  /** As soon as it is there, before anything was read. */
  | 'onConnect'
  /** After the first bytes of the client: over TLS, in the handshake. */
  | 'onFirstBytes'
  /** After a part of the request. */
  | 'inRequest'
  /** After the whole request, which from then on is in the book. */
  | 'afterRequest'
  /** After a part of the head of the answer. */
  | 'inHead'
  /** After the head and a part of the body of the answer. */
  | 'inBody'
  /** After the whole answer. */
  | 'afterAnswer';

/** How a connection breaks. */
export type Manner =
  /** TCP FIN. */
  | 'end'
  /** TCP RST. */
  | 'reset'
  /** An HTTP answer in plain text, below TLS if there is any. */
  | 'plainText'
  /** A TLS alert that is not encrypted. */
  | 'alert'
  /** A TLS record that cannot be decrypted. */
  | 'corruptRecord'
  /** Bytes of no protocol. */
  | 'garbage'
  /** Nothing comes any more, and the connection stays. */
  | 'silence'
  /** What remains of the answer comes one byte at a time, and never ends. */
  | 'drip';

export interface Break {
  stage: Stage;
  manner: Manner;
  /** From 0 to 1: how much of the part in question is done before. */
  part: number;
}

export interface BreakingServer {
  baseUrl: string;
  /** How often each request was read to its end, by the text of its body. */
  readonly book: ReadonlyMap<string, number>;
  /** The order id that was answered for a body, whether or not the answer arrived. */
  orderIdOf(body: string): number | undefined;
  close(): Promise<void>;
}

const DRIP_INTERVAL_MS = 200;
const GETTING_THROUGH_MS = 5;
const DRIPPING_HEAD = 'x-drip: ';
const RAW: Partial<Record<Manner, Buffer>> = {
  plainText: Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'),
  alert: Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x50]),
  corruptRecord: Buffer.concat([
    Buffer.from([0x17, 0x03, 0x03, 0x00, 0x20]),
    Buffer.alloc(32, 0x5a),
  ]),
  garbage: Buffer.alloc(64, 0xf7),
};

/** What a server says to a request that it has read. */
export type Respond = (body: string, orderId: number) => { status: number; content: Buffer };

function initiated(_body: string, order_id: number): ReturnType<Respond> {
  const said = { success: true, action: 'trigger_call', order_id, call_status: 'in_progress' };
  return { status: 200, content: Buffer.from(JSON.stringify(said)) };
}

/** The length of a request with its body; undefined while its head is incomplete. */
function lengthOf(request: Buffer): { head: number; whole: number } | undefined {
  const head = request.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = /content-length: *(\d+)/i.exec(request.subarray(0, head).toString('latin1'))?.[1];
  return { head: head + 4, whole: head + 4 + Number(length ?? 0) };
}

/** The head of an answer that is longer than what will ever come. */
function lengthened(head: Buffer): Buffer {
  return Buffer.from(head.toString().replace(/(?<=Content-Length: )\d+/, '1000000'));
}

/** One connection: what the client wrote passes through `wire`, below TLS if there is any. */
class Connection {
  private request = Buffer.alloc(0);
  private isOver = false;
  private drip: NodeJS.Timeout | undefined;

  constructor(
    private readonly wire: Socket,
    private readonly fate: Break | undefined,
    private readonly take: (body: string) => Buffer[],
  ) {
    wire.on('close', () => clearInterval(this.drip));
  }

  /** Breaks here when that is the fate of the connection. */
  passes(stage: Stage, speak?: (bytes: Buffer) => void): boolean {
    if (this.isOver) return false;
    if (this.fate?.stage !== stage) return true;
    this.isOver = true;
    const { manner } = this.fate;
    // What was said before has to get through TLS first.
    if (speak === undefined) this.breakOff(manner);
    else setTimeout(() => this.breakOff(manner, speak), GETTING_THROUGH_MS);
    return false;
  }

  private breakOff(manner: Manner, speak?: (bytes: Buffer) => void): void {
    const raw = RAW[manner];
    if (raw !== undefined) this.wire.end(raw);
    else if (manner === 'end') this.wire.end();
    else if (manner === 'reset') this.wire.resetAndDestroy();
    else if (manner === 'drip' && speak !== undefined && !this.wire.destroyed) {
      this.drip = setInterval(() => speak(Buffer.from('x')), DRIP_INTERVAL_MS);
    }
  }

  /** The client's bytes as the service reads them. */
  read(bytes: Buffer, speak: (bytes: Buffer) => void): void {
    if (this.isOver) return;
    this.request = Buffer.concat([this.request, bytes]);
    const length = lengthOf(this.request);
    const isWhole = length !== undefined && this.request.length >= length.whole;
    if (this.fate?.stage === 'inRequest') {
      // Of a request that comes in one piece, a part counts as read all the same.
      const enough = isWhole ? this.request.length : 64 + this.fate.part * 400;
      if (this.request.length >= enough) this.passes('inRequest', speak);
      return;
    }
    if (!isWhole) return;
    const answer = this.take(this.request.subarray(length.head, length.whole).toString());
    this.answer(answer, speak);
  }

  private answer([head, body]: Buffer[], speak: (bytes: Buffer) => void): void {
    const { fate } = this;
    const isDripping = fate?.stage === 'inBody' && fate.manner === 'drip';
    if (head === undefined || body === undefined) throw new Error('An answer has two parts');
    if (!this.passes('afterRequest', speak)) return;
    if (fate?.stage === 'inHead') {
      // A part of the status line, or all of the head but its end, so that a drip lengthens it.
      const part =
        fate.manner === 'drip'
          ? Buffer.concat([head.subarray(0, -2), Buffer.from(DRIPPING_HEAD)])
          : head.subarray(0, 1 + Math.floor(fate.part * (head.length - 2)));
      speak(part);
    } else {
      speak(isDripping ? lengthened(head) : head);
    }
    if (!this.passes('inHead', speak)) return;
    if (fate?.stage === 'inBody') speak(body.subarray(0, Math.floor(fate.part * body.length)));
    else speak(body);
    if (!this.passes('inBody', speak)) return;
    this.passes('afterAnswer', speak);
  }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/**
 * A service whose connections break. It keeps a book of the requests that it has read to their
 * end: those it would have acted on.
 *
 * @param fates what becomes of the first, the second, ... connection; those after the last are whole
 */
export async function startBreakingServer(
  fates: Array<Break | undefined>,
  { tls = false, respond = initiated as Respond } = {},
): Promise<BreakingServer> {
  const book = new Map<string, number>();
  const orderIds = new Map<string, number>();
  const sockets = new Set<Socket>();
  let nextFate = 0;

  const take = (body: string): Buffer[] => {
    book.set(body, (book.get(body) ?? 0) + 1);
    const orderId = orderIds.get(body) ?? 50_000 + orderIds.size;
    orderIds.set(body, orderId);
    const { status, content } = respond(body, orderId);
    const head = `HTTP/1.1 ${status} OK\r\nContent-Type: application/json\r\nContent-Length: ${content.length}\r\nConnection: close\r\n\r\n`;
    return [Buffer.from(head), content];
  };

  /** Over TLS a real TLS server stands behind the wire, so that the wire itself can break. */
  const connections = new Map<number, Connection>();
  const inner = createTlsServer({ cert: CERTIFICATE, key: pem('key') }, (socket: TLSSocket) => {
    const connection = connections.get(socket.remotePort ?? 0);
    socket.on('data', (bytes) => connection?.read(bytes, (out) => socket.write(out)));
  });
  inner.on('tlsClientError', () => {});
  inner.on('connection', (socket) => track(socket));
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const innerPort = tls ? await listening(inner) : 0;

  const throughTls = (wire: Socket, connection: Connection) => {
    const behind = connect(innerPort, '127.0.0.1');
    track(behind);
    const waiting: Buffer[] = [];
    let isThere = false;
    behind.on('connect', () => {
      connections.set(behind.localPort ?? 0, connection);
      isThere = true;
      for (const bytes of waiting) behind.write(bytes);
    });
    let isFirst = true;
    wire.on('data', (bytes) => {
      if (isFirst && !connection.passes('onFirstBytes')) return;
      isFirst = false;
      if (isThere) behind.write(bytes);
      else waiting.push(bytes);
    });
    behind.on('data', (bytes) => {
      if (wire.writable) wire.write(bytes);
    });
    wire.on('close', () => behind.destroy());
    behind.on('close', () => wire.end());
  };

  const server = createServer((wire) => {
    track(wire);
    const connection = new Connection(wire, fates[nextFate++], take);
    if (!connection.passes('onConnect')) return;
    if (tls) return throughTls(wire, connection);
    let isFirst = true;
    wire.on('data', (bytes) => {
      if (isFirst && !connection.passes('onFirstBytes')) return;
      isFirst = false;
      connection.read(bytes, (out) => {
        if (wire.writable) wire.write(out);
      });
    });
  });
  const port = await listening(server);
  return {
    baseUrl: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    book,
    orderIdOf: (body) => orderIds.get(body),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      const ends = (tls ? [server, inner] : [server]).map(
        async (one) => await new Promise((resolve) => one.close(resolve)),
      );
      await Promise.all(ends);
    },
  };
}
