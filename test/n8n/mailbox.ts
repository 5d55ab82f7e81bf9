import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

const ACCOUNT = { user: 'shop', password: 'secret' };

/** A mail server on loopback that keeps what it is sent. */
export interface Mailbox {
  /** As an `smtp` credential takes it. */
  account: Record<string, unknown>;
  /** The mails as they came, with quoted-printable undone in their ASCII. */
  mails: string[];
  close(): Promise<void>;
}

function readable(mail: string): string {
  return mail
    .replaceAll('=\r\n', '')
    .replace(/=([0-7][0-9A-F])/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

export async function startMailbox(): Promise<Mailbox> {
  const mails: string[] = [];
  const server = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, answer) => {
      if (username === ACCOUNT.user && password === ACCOUNT.password) {
        answer(null, { user: username });
      } else answer(new Error('refused'));
    },
    onData: (stream, _session, received) => {
      text(stream).then(
        (mail) => {
          mails.push(readable(mail));
          received();
        },
        (failure: unknown) => received(failure as Error),
      );
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    account: { ...ACCOUNT, host: '127.0.0.1', port, secure: false, disableStartTls: true },
    mails,
    close: async () => await new Promise<void>((done) => server.close(done)),
  };
}
