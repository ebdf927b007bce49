/** How mail leaves the server, out of its two settings. */
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
   * `always`: TLS from the first byte. `required`: STARTTLS, and nothing is sent without. `offered`: STARTTLS where the
   * server has it. `off`: never. The certificate is checked in every case.
   */
  tls: 'always' | 'required' | 'offered' | 'off';
  login: { user: string; password: string } | null;
}

/** Why no mail leaves the server: there is no mail server, or no public origin for the links in mail; null when it does. */
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
 * `smtp://user:password@host:587`, `smtps://…`; user and password percent-encoded. `?tls=` is `required`, `offered` or
 * `off`; without it a login requires TLS, because a password must not go over the wire for all to read. Throws `invalid`,
 * never quoting the text: it holds a password.
 */
export function readSmtpUrl(text: string): SmtpServer {
  const url = URL.parse(text);
  const scheme = url?.protocol;
  if (!url || (scheme !== 'smtp:' && scheme !== 'smtps:') || !hostName.test(url.hostname))
    throw invalid(`it looks like ${form}`);
  if ((url.pathname !== '' && url.pathname !== '/') || url.hash)
    throw invalid(`it has no path, but looks like ${form}`);
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
  if (!url.username || !url.password) throw invalid('a login is a user and a password');
  try {
    return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  } catch {
    throw invalid('the user or the password is wrongly percent-encoded');
  }
}

function readTls(url: URL, scheme: keyof typeof defaultPorts, hasLogin: boolean): SmtpServer['tls'] {
  const names = [...url.searchParams.keys()];
  if (names.some((name) => name !== 'tls') || names.length > 1) throw invalid('it takes ?tls= and no more');
  const tls = url.searchParams.get('tls');
  if (scheme === 'smtps:') {
    if (tls !== null) throw invalid('smtps:// is TLS from the first byte and takes no ?tls=');
    return 'always';
  }
  if (tls === null) return hasLogin ? 'required' : 'offered';
  if (tls === 'required' || tls === 'offered' || tls === 'off') return tls;
  throw invalid('?tls= is required, offered or off');
}

const maxSenderNameLength = 100;

/** `builds@example.com`, `Slipway <builds@example.com>` or `"Slipway, builds" <builds@example.com>`. Throws `invalid`. */
export function readMailFrom(text: string): MailAddress {
  const [, quoted, bare = '', bracketed] = /^(?:"([^"]*)"\s*|([^"<>]*))<([^<>]*)>$/.exec(text) ?? [];
  const name = (quoted ?? bare).trim();
  if (name.length > maxSenderNameLength)
    throw invalid(`a sender's name has at most ${maxSenderNameLength} characters`);
  if (/\p{Cc}/u.test(name)) throw invalid("a sender's name is one line");
  return { name, address: checkEmail(bracketed ?? text) };
}
