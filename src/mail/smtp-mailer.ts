/** Mail over SMTP by nodemailer. Loaded only where a server is configured. */
import type { Readable } from 'node:stream';
import { createTransport, type NodemailerError, type SMTPPoolOptions } from 'nodemailer';
import type { SmtpServer } from './mail-config.ts';
import type { Mailer, MailMessage, SendOutcome } from './mailer.ts';

/** Milliseconds. All together they end well before the lease of a job does. */
export interface SmtpPatience {
  /** From looking up the name to the end of STARTTLS. */
  connectMs: number;
  /** From the connection to the server's first word. */
  greetingMs: number;
  /** Between two signs of life. A server may take its time to judge a message, and what is cut off then is uncertain. */
  silenceMs: number;
  /** For everything, so that a server that only trickles is given up too. */
  wholeMs: number;
  /** For what is under way when the mailer is closed. */
  closingMs: number;
}

export const defaultPatience: SmtpPatience = {
  connectMs: 20_000,
  greetingMs: 15_000,
  silenceMs: 90_000,
  wholeMs: 180_000,
  closingMs: 10_000,
};

export interface SmtpMailerOptions {
  server: SmtpServer;
  /** How the client calls itself in EHLO; a name of this machine when null. */
  clientName: string | null;
  patience?: SmtpPatience;
  /** PEM certificates to trust in place of those that Node trusts. */
  trustedCertificates?: string;
}

const connectionsAtOnce = 3;
const messagesPerConnection = 100;
const idleConnectionMs = 10_000;

/** Comments, groups, routes and quotes would be taken for another address, or for two. */
const canonicalAddress = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/;

export function createSmtpMailer(options: SmtpMailerOptions): Mailer {
  const patience = options.patience ?? defaultPatience;
  const transport = createTransport({ ...poolOptions(options, patience), pool: true });
  const contents = new Map<string, Readable>();
  const underWay = new Set<Promise<SendOutcome>>();
  const closing = new AbortController();
  transport.use('stream', (mail, done) => {
    // Read to its end, the content is followed by the final dot at once. It is read when the server has asked for it.
    mail.message.processFunc((content) => {
      contents.set(mail.message.messageId(), content);
      return content;
    });
    done();
  });
  const send = async (message: MailMessage): Promise<SendOutcome> => {
    if (!canonicalAddress.test(message.to.address))
      return { kind: 'refused', reason: 'this is not an address' };
    const data = nodemailerMessage(message);
    const late = AbortSignal.timeout(patience.wholeMs);
    try {
      await transport.sendMail({ ...data, signal: AbortSignal.any([late, closing.signal]) });
      return { kind: 'sent' };
    } catch (error) {
      const handedOver = contents.get(data.messageId)?.readableEnded ?? false;
      return judge(error as NodemailerError, handedOver, options.server);
    } finally {
      contents.delete(data.messageId);
    }
  };
  return {
    send: (message) => {
      const work = send(message).finally(() => underWay.delete(work));
      underWay.add(work);
      return work;
    },
    close: async () => {
      const limit = setTimeout(() => closing.abort(), patience.closingMs);
      await Promise.allSettled(underWay);
      clearTimeout(limit);
      transport.close();
    },
  };
}

function poolOptions(options: SmtpMailerOptions, patience: SmtpPatience): SMTPPoolOptions {
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
    connectionTimeout: patience.connectMs,
    dnsTimeout: patience.connectMs,
    greetingTimeout: patience.greetingMs,
    socketTimeout: patience.silenceMs,
    maxConnections: connectionsAtOnce,
    maxMessages: messagesPerConnection,
    idleTimeout: idleConnectionMs,
    // The outbox tries again, and it alone knows how often.
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

/** Answers of the server that are about this message or its recipient, and not about the server or its settings. */
const aboutTheMessage: readonly (string | undefined)[] = ['RCPT TO', 'DATA'];

function judge(error: NodemailerError, handedOver: boolean, server: SmtpServer): SendOutcome {
  const reason = reasonOf(error, server);
  if (error.responseCode === undefined && handedOver) return { kind: 'uncertain', reason };
  const answered = error.permanent === true && aboutTheMessage.includes(error.command);
  const impossible = error.code === 'EENVELOPE' && error.command === 'API';
  return { kind: answered || impossible ? 'refused' : 'later', reason };
}

const maxReasonLength = 300;

/** One line. A server that repeats the password in its answer does not make it known here. */
function reasonOf(error: NodemailerError, { login }: SmtpServer): string {
  if (error.code === 'EABORT') return 'the mail server did not finish in time';
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
