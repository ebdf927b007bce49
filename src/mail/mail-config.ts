/** Parses the mail settings. */
import { invalid } from '../core/errors.ts';
import { checkEmail } from '../owners/create-owners.ts';
import type { MailAddress } from './mailer.ts';

export interface MailConfig {
  smtp: SmtpServer;
  from: MailAddress;
}

export interface SmtpServer {
  host: string;
  port: number;
  /**
   * `always`: implicit TLS. `required`: STARTTLS, or nothing is sent. `offered`: STARTTLS if the server supports it.
   * `off`: never. The certificate is always verified.
   */
  tls: 'always' | 'required' | 'offered' | 'off';
  login: { user: string; password: string } | null;
}

/** Why email cannot be sent: no mail server, or no public origin for links. Null if it can be sent. */
export type MailUnavailableReason = 'no-smtp' | 'no-url' | null;

export function mailUnavailableReason(config: {
  mail: MailConfig | null;
  publicUrl: string | null;
}): MailUnavailableReason {
  if (config.mail === null) return 'no-smtp';
  return config.publicUrl === null ? 'no-url' : null;
}

const defaultPorts = { 'smtp:': 587, 'smtps:': 465 } as const;
const hostName = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])$/;
const form = 'smtp://user:password@host:587 or smtps://user:password@host:465';

/**
 * Parses `smtp://user:password@host:587` or `smtps://…`, with percent-encoded user and password. `?tls=` is `required`,
 * `offered` or `off`. A login defaults to `required`, so that a password is never sent in plain text. Throws `invalid`
 * without quoting the URL, because it contains a password.
 */
export function readSmtpUrl(text: string): SmtpServer {
  const url = URL.parse(text);
  const scheme = url?.protocol;
  if (!url || (scheme !== 'smtp:' && scheme !== 'smtps:') || !hostName.test(url.hostname))
    throw invalid(`expected ${form}`);
  if ((url.pathname !== '' && url.pathname !== '/') || url.hash)
    throw invalid(`it must not have a path: expected ${form}`);
  const login = readLogin(url);
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port ? Number(url.port) : defaultPorts[scheme],
    tls: readTls(url, scheme, login !== null),
    login,
  };
}

function readLogin(url: URL): SmtpServer['login'] {
  if (!url.username && !url.password) return null;
  if (!url.username || !url.password) throw invalid('a login needs both a user and a password');
  try {
    return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  } catch {
    throw invalid('the user or the password is not correctly percent-encoded');
  }
}

function readTls(url: URL, scheme: keyof typeof defaultPorts, hasLogin: boolean): SmtpServer['tls'] {
  const names = [...url.searchParams.keys()];
  if (names.some((name) => name !== 'tls') || names.length > 1)
    throw invalid('the only supported parameter is ?tls=');
  const tls = url.searchParams.get('tls');
  if (scheme === 'smtps:') {
    if (tls !== null) throw invalid('smtps:// always uses TLS and does not support ?tls=');
    return 'always';
  }
  if (tls === null) return hasLogin ? 'required' : 'offered';
  if (tls === 'required' || tls === 'offered' || tls === 'off') return tls;
  throw invalid('?tls= must be required, offered or off');
}

const maxSenderNameLength = 100;

/**
 * Parses `builds@example.com`, `Slipway <builds@example.com>` or `"Slipway, builds" <builds@example.com>`. Throws
 * `invalid`.
 */
export function readMailFrom(text: string): MailAddress {
  const [, quoted, bare = '', withBrackets] = /^(?:"([^"]*)"\s*|([^"<>]*))<([^<>]*)>$/.exec(text) ?? [];
  const name = (quoted ?? bare).trim();
  if (name.length > maxSenderNameLength)
    throw invalid(`the sender name must have at most ${maxSenderNameLength} characters`);
  if (/\p{Cc}/u.test(name)) throw invalid('the sender name must be one line');
  return { name, address: checkEmail(withBrackets ?? text) };
}
