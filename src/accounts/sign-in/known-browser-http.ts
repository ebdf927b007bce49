/**
 * Recognizes browsers from which an account has signed in. A signed cookie names the accounts, so every node recognizes them and
 * nothing is stored (OWASP, "Slow down online guessing attacks with device cookies"). It grants no access.
 */
import { randomBytes } from 'node:crypto';
import { createSigner, type ServerSecret } from '../../core/signature.ts';
import { browserTokenFormat, createTokenCodec } from '../../core/signed-token.ts';
import type { CookieChange } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { readSiteCookie, siteCookie } from '../../http/secure-cookies.ts';
import { networkOf } from '../../limits/client-network.ts';
import { dayMs } from '../sessions/session-config.ts';
import type { GuessOrigin } from './attempt-limits.ts';

export interface KnownAccount {
  id: string;
  /** The stamp of its credentials. When it changes, all known browsers of the account become unknown. */
  stamp: string;
}

export interface KnownBrowsers {
  isKnown(client: Client, account: KnownAccount): boolean;
  /** Returns the origin of a guess; a null `account` means that no account has the entered name. */
  placeOf(client: Client, account: KnownAccount | null): GuessOrigin;
  /** Returns the cookie that makes the browser known to the account. Set it only after the person has authenticated. */
  remember(client: Client, account: KnownAccount): CookieChange;
}

const cookie = { name: 'slipway_known_browser', sameSite: 'lax', lifetimeMs: 365 * dayMs } as const;
const maxAccounts = 10;
const markLength = 16;

export function createKnownBrowsers({
  secret,
  now,
}: {
  secret: ServerSecret;
  now: () => number;
}): KnownBrowsers {
  const tokens = createTokenCodec(secret, 'known browser', browserTokenFormat);
  const signer = createSigner(secret, 'account of a known browser');
  const messageOf = ({ id, stamp }: KnownAccount) => JSON.stringify([id, stamp]);
  const entryOf = (id: string, signature: string) => `${id}:${signature.slice(0, markLength)}`;
  const read = (client: Client) => {
    const token = readSiteCookie(client.cookies, cookie.name, () => client.origin) ?? '';
    const [id, ...entries] = tokens.read(token, now(), cookie.name)?.values ?? [];
    return { id: id ?? null, entries };
  };
  const idOf = (client: Client, account: KnownAccount) => {
    const { id, entries } = read(client);
    const accepted = signer.accepted(messageOf(account)).map((signature) => entryOf(account.id, signature));
    return accepted.some((entry) => entries.includes(entry)) ? id : null;
  };
  return {
    isKnown: (client, account) => idOf(client, account) !== null,
    placeOf: (client, account) => ({
      network: networkOf(client.address),
      known: account && idOf(client, account),
    }),
    remember: (client, account) => {
      const { id, entries } = read(client);
      const others = entries.filter((entry) => !entry.startsWith(`${account.id}:`));
      const values = [
        id ?? randomBytes(12).toString('base64url'),
        ...[entryOf(account.id, signer.sign(messageOf(account))), ...others].slice(0, maxAccounts),
      ];
      const value = tokens.issue({ values, expiresAt: now() + cookie.lifetimeMs }, cookie.name);
      return siteCookie(client.origin, { ...cookie, value });
    },
  };
}
