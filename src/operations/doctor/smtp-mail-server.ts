/** Tests the configured mail server with the mailer’s settings. */
import type { SmtpServer } from '../../mail/mail-config.ts';
import type { MailServer } from './check-mail.ts';

const waitTimeoutMs = 10_000;

export function createSmtpMailServer(server: SmtpServer): MailServer {
  return {
    name: `${server.host}:${server.port}`,
    verify: async () => {
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        host: server.host,
        port: server.port,
        secure: server.tls === 'always',
        requireTLS: server.tls === 'required',
        ignoreTLS: server.tls === 'off',
        ...(server.login ? { auth: { user: server.login.user, pass: server.login.password } } : {}),
        connectionTimeout: waitTimeoutMs,
        dnsTimeout: waitTimeoutMs,
        greetingTimeout: waitTimeoutMs,
        socketTimeout: waitTimeoutMs,
      });
      try {
        await transport.verify();
      } catch (error) {
        throw withoutSecrets(error, server);
      } finally {
        transport.close();
      }
    },
  };
}

/** Removes the login, which a server may repeat in its refusal. */
function withoutSecrets(error: unknown, { login }: SmtpServer): Error {
  const { message } = error as Error;
  if (!login) return new Error(message);
  const coded = [login.password, `\0${login.user}\0${login.password}`].map((text) =>
    Buffer.from(text).toString('base64'),
  );
  return new Error(
    [login.password, ...coded].reduce((rest, secret) => rest.replaceAll(secret, '…'), message),
  );
}
