/** A real SMTP server that parses mail like mail programs do, and fails on demand. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerError, type SMTPServerSession } from 'smtp-server';
import { createTestKey, der, derIdentifier, derSequence } from './test-key.ts';

/** A reply such as `550 no such mailbox`; `vanish` closes the connection, `stall` never replies. */
export type SmtpFault = { code: number; text: string } | 'vanish' | 'stall';

export interface ReceivedMail {
  /** Envelope sender. */
  from: string;
  to: string[];
  raw: Buffer;
  email: Email;
  secure: boolean;
  user: string | null;
}

export interface SmtpBehaviour {
  sender(address: string): SmtpFault | null;
  recipient(address: string): SmtpFault | null;
  /** Called after the whole message, including the final dot. */
  message(to: string): SmtpFault | null;
}

export interface SmtpPeer {
  port: number;
  /** In PEM. */
  certificate: string;
  received: ReceivedMail[];
  /** Every requested recipient, accepted or not. */
  asked: string[];
  /** User names of failed logins. */
  failedLogins: string[];
  behave(behaviour: Partial<SmtpBehaviour>): void;
  close(): Promise<void>;
}

export interface SmtpPeerOptions {
  port?: number;
  /** If absent, anyone may send. */
  login?: { user: string; password: string; refusal?: string };
  tls?: 'always' | 'offered' | 'none';
}

const identity = createTestKey('ec', { extensions: [alternativeNames()] });
export const peerCertificate = pem('CERTIFICATE', identity.certificate);
const privateKey = identity.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export async function startSmtpPeer(options: SmtpPeerOptions = {}): Promise<SmtpPeer> {
  const { login, tls = 'offered' } = options;
  let behaviour: SmtpBehaviour = { sender: () => null, recipient: () => null, message: () => null };
  const received: ReceivedMail[] = [];
  const asked: string[] = [];
  const failedLogins: string[] = [];
  const answer = (
    fault: SmtpFault | null,
    session: SMTPServerSession,
    done: (error?: Error | null) => void,
  ) => {
    if (fault === null) done();
    else if (fault === 'vanish') connectionOf(server, session)?.destroy();
    else if (fault !== 'stall') done(refusal(fault.code, fault.text));
  };
  const server = new SMTPServer({
    secure: tls === 'always',
    key: privateKey,
    cert: peerCertificate,
    authOptional: login === undefined,
    disabledCommands: [...(login ? [] : ['AUTH']), ...(tls === 'offered' ? [] : ['STARTTLS'])],
    allowInsecureAuth: false,
    disableReverseLookup: true,
    closeTimeout: 100,
    logger: false,
    onAuth: (auth, _session, done) => {
      if (auth.username === login?.user && auth.password === login?.password) {
        done(null, { user: auth.username });
        return;
      }
      failedLogins.push(auth.username ?? '');
      done(refusal(535, login?.refusal ?? 'wrong user or password'));
    },
    onMailFrom: (address, session, done) => answer(behaviour.sender(address.address), session, done),
    onRcptTo: (address, session, done) => {
      asked.push(address.address);
      answer(behaviour.recipient(address.address), session, done);
    },
    onData: async (stream, session, done) => {
      const chunks = await Array.fromAsync(stream).catch(() => null);
      // The sender disconnected before the end of the message, which is discarded.
      if (chunks === null) return done(refusal(451, 'cut off'));
      const raw = Buffer.concat(chunks);
      const to = session.envelope.rcptTo.map(({ address }) => address);
      const fault = behaviour.message(to.join());
      if (fault === null) {
        const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
        const email = await PostalMime.parse(raw);
        received.push({ from, to, raw, email, secure: session.secure, user: session.user ?? null });
      }
      answer(fault, session, done);
    },
  });
  server.on('error', () => undefined);
  const listening = server.listen(options.port ?? 0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    port: (listening.address() as AddressInfo).port,
    certificate: peerCertificate,
    received,
    asked,
    failedLogins,
    behave: (change) => {
      behaviour = { ...behaviour, ...change };
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function refusal(code: number, text: string): SMTPServerError {
  return Object.assign(new Error(text), { responseCode: code });
}

function connectionOf(server: SMTPServer, session: SMTPServerSession) {
  return [...server.connections].find((connection) => connection.id === session.id)?._socket;
}

/** RFC 5280, 4.2.1.6: dNSName is context tag 2, iPAddress context tag 7. */
function alternativeNames(): Buffer {
  const names = [der(0x82, Buffer.from('localhost')), der(0x87, Buffer.of(127, 0, 0, 1))];
  return derSequence([derIdentifier('2.5.29.17'), der(0x04, derSequence(names))]);
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
