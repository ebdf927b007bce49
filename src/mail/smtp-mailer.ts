/** SMTP with nodemailer, loaded only if a server is configured. */
import type { Readable } from 'node:stream';
import { createTransport, type NodemailerError, type SMTPPoolOptions } from 'nodemailer';
import type { SmtpServer } from './mail-config.ts';
import type { Mailer, MailMessage, SendOutcome } from './mailer.ts';

/** In milliseconds. The sum is well below the lease of a job. */
export interface SmtpTimeouts {
  /** From the DNS lookup to the end of STARTTLS. */
  connectMs: number;
  /** From the connection to the greeting. */
  greetingTimeoutMs: number;
  /** Maximum time without data. Servers can take long to check a message, and aborting in that time leaves its delivery uncertain. */
  idleTimeoutMs: number;
  /** Total time, which also ends slow transfers. */
  totalMs: number;
  /** Time for running sends to finish when closing. */
  closingMs: number;
}

export const defaultTimeouts: SmtpTimeouts = {
  connectMs: 20_000,
  greetingTimeoutMs: 15_000,
  idleTimeoutMs: 90_000,
  totalMs: 180_000,
  closingMs: 10_000,
};

export interface SmtpMailerOptions {
  server: SmtpServer;
  /** EHLO name; null for the host name of this machine. */
  clientName: string | null;
  timeouts?: SmtpTimeouts;
  /** PEM certificates to trust instead of the defaults of Node. */
  trustedCertificates?: string;
}

const maxSmtpConnections = 3;
const messagesPerConnection = 100;
const idleConnectionMs = 10_000;

/** Excludes comments, groups, routes and quotes, which could be parsed as a different address or as two. */
const plainAddress = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/;

export function createSmtpMailer(options: SmtpMailerOptions): Mailer {
  const timeouts = options.timeouts ?? defaultTimeouts;
  const transport = createTransport({ ...poolOptions(options, timeouts), pool: true });
  const contents = new Map<string, Readable>();
  const inFlight = new Set<Promise<SendOutcome>>();
  const closing = new AbortController();
  transport.use('stream', (mail, done) => {
    // The stream ends right before the final dot, and is only read after the server has requested the content.
    mail.message.processFunc((content) => {
      contents.set(mail.message.messageId(), content);
      return content;
    });
    done();
  });
  const send = async (message: MailMessage): Promise<SendOutcome> => {
    if (!plainAddress.test(message.to.address)) return { kind: 'refused', reason: 'no-address' };
    const data = nodemailerMessage(message);
    const late = AbortSignal.timeout(timeouts.totalMs);
    try {
      await transport.sendMail({ ...data, signal: AbortSignal.any([late, closing.signal]) });
      return { kind: 'sent' };
    } catch (error) {
      const fullySent = contents.get(data.messageId)?.readableEnded ?? false;
      return classifyError(error as NodemailerError, fullySent, options.server);
    } finally {
      contents.delete(data.messageId);
    }
  };
  return {
    send: (message) => {
      const work = send(message).finally(() => inFlight.delete(work));
      inFlight.add(work);
      return work;
    },
    close: async () => {
      const limit = setTimeout(() => closing.abort(), timeouts.closingMs);
      await Promise.allSettled(inFlight);
      clearTimeout(limit);
      transport.close();
    },
  };
}

function poolOptions(options: SmtpMailerOptions, timeouts: SmtpTimeouts): SMTPPoolOptions {
  const { server, clientName, trustedCertificates } = options;
  return {
    host: server.host,
    port: server.port,
    secure: server.tls === 'always',
    requireTLS: server.tls === 'required',
    ignoreTLS: server.tls === 'off',
    ...(server.login ? { auth: { user: server.login.user, pass: server.login.password } } : {}),
    ...(clientName === null ? {} : { name: clientName }),
    ...(trustedCertificates === undefined ? {} : { tls: { ca: trustedCertificates } }),
    connectionTimeout: timeouts.connectMs,
    dnsTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingTimeoutMs,
    socketTimeout: timeouts.idleTimeoutMs,
    maxConnections: maxSmtpConnections,
    maxMessages: messagesPerConnection,
    idleTimeout: idleConnectionMs,
    // The outbox handles retries.
    maxRequeues: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function nodemailerMessage(message: MailMessage) {
  return {
    messageId: `<${message.messageId}>`,
    date: new Date(message.date),
    from: message.from,
    to: message.to,
    envelope: { from: message.from.address, to: [message.to.address] },
    subject: message.subject,
    headers: { ...message.headers },
    text: message.text,
    html: message.html,
    attachments: message.pictures.map((picture) => ({
      cid: picture.contentId,
      filename: picture.fileName,
      contentType: picture.contentType,
      contentDisposition: 'inline' as const,
      content: Buffer.from(picture.bytes),
    })),
  };
}

/** Commands whose replies are about this message or its recipient, and not about the server or its settings. */
const messageLevelCommands: readonly (string | undefined)[] = ['RCPT TO', 'DATA'];

function classifyError(error: NodemailerError, fullySent: boolean, server: SmtpServer): SendOutcome {
  const reason = reasonOf(error, server);
  if (error.responseCode === undefined && fullySent) return { kind: 'uncertain', reason };
  const answered = error.permanent === true && messageLevelCommands.includes(error.command);
  const impossible = error.code === 'EENVELOPE' && error.command === 'API';
  return { kind: answered || impossible ? 'refused' : 'later', reason };
}

const maxReasonLength = 300;

/** Returns one line. Removes the password in case the server repeats it. */
function reasonOf(error: NodemailerError, { login }: SmtpServer): string {
  if (error.code === 'EABORT') return 'timed-out';
  const secrets = login
    ? [login.password, base64(login.password), base64(`\0${login.user}\0${login.password}`)]
    : [];
  const text = secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), String(error.message));
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxReasonLength);
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
