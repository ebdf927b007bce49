/** The settings of single sign-on by OpenID Connect. */
import type { Settings } from '../../core/settings.ts';
import { emailKey } from '../../owners/owner.ts';

export interface SingleSignOnConfig {
  /** The issuer identifier; the metadata is found below it (OpenID Connect Discovery 1.0, section 4). */
  issuer: string;
  clientId: string;
  /** Null for a public client, which is protected by PKCE alone. */
  clientSecret: string | null;
  /** The provider's name in the UI. */
  name: string;
  /** The people who get an account at their first sign-in: those with an invitation, or everyone at the provider. */
  signUp: 'invited' | 'open';
  /** With open sign-up: permitted domains of confirmed addresses, in ASCII and lower case; empty for all. */
  domains: string[];
}

const singleSignOnSettings = [
  'SLIPWAY_OIDC_ISSUER',
  'SLIPWAY_OIDC_CLIENT_ID',
  'SLIPWAY_OIDC_CLIENT_SECRET',
  'SLIPWAY_OIDC_NAME',
  'SLIPWAY_OIDC_SIGN_UP',
  'SLIPWAY_OIDC_DOMAINS',
] as const;

export const maxProviderNameLength = 60;
const maxIssuerLength = 1024;
const maxDomains = 100;
const hostName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** Null if not configured, or if an error was reported. */
export function readSingleSignOn(settings: Settings): SingleSignOnConfig | null {
  const read = settings.text;
  const given = singleSignOnSettings.filter((name) => read(name) !== null);
  if (given.length === 0) return null;
  const issuer = readIssuer(settings, given);
  const clientId = read('SLIPWAY_OIDC_CLIENT_ID');
  if (issuer !== null && clientId === null) {
    settings.addError(
      'SLIPWAY_OIDC_ISSUER requires SLIPWAY_OIDC_CLIENT_ID: the client ID of this server at the provider',
    );
  }
  const signUp = settings.choice('SLIPWAY_OIDC_SIGN_UP', ['invited', 'open'], 'invited');
  const domains = readDomains(settings);
  if (domains.length > 0 && signUp === 'invited') {
    settings.addError(
      'SLIPWAY_OIDC_DOMAINS requires SLIPWAY_OIDC_SIGN_UP=open: it limits who may create an account',
    );
  }
  const name = read('SLIPWAY_OIDC_NAME') ?? (issuer === null ? '' : new URL(issuer).host);
  if (name.length > maxProviderNameLength && read('SLIPWAY_OIDC_NAME') !== null) {
    settings.addError(`SLIPWAY_OIDC_NAME must have at most ${maxProviderNameLength} characters`);
  }
  if (issuer === null || clientId === null) return null;
  return { issuer, clientId, clientSecret: read('SLIPWAY_OIDC_CLIENT_SECRET'), name, signUp, domains };
}

function readIssuer(settings: Settings, given: readonly string[]): string | null {
  const text = settings.text('SLIPWAY_OIDC_ISSUER');
  if (text === null) {
    settings.addError(`${given.join(', ')} cannot be used without SLIPWAY_OIDC_ISSUER`);
    return null;
  }
  const url = URL.parse(text);
  const plain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!plain || text.length > maxIssuerLength || !/^https?:$/.test(url.protocol)) {
    settings.addError(
      `SLIPWAY_OIDC_ISSUER must be an address such as https://login.example.com. It is ${text}.`,
    );
    return null;
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    settings.addError(
      `SLIPWAY_OIDC_ISSUER must start with https: unless the provider runs on this machine. It is ${text}.`,
    );
    return null;
  }
  return text;
}

/** Whether people sign in with a password of this server. */
export function readPasswords(settings: Settings): boolean {
  const passwords = settings.isOn('SLIPWAY_PASSWORDS', true);
  if (!passwords && settings.text('SLIPWAY_OIDC_ISSUER') === null) {
    settings.addError('SLIPWAY_PASSWORDS=off requires SLIPWAY_OIDC_ISSUER: otherwise nobody could sign in');
  }
  return passwords;
}

/** Traffic to a loopback address can't be intercepted. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function readDomains(settings: Settings): string[] {
  const text = settings.text('SLIPWAY_OIDC_DOMAINS');
  if (text === null) return [];
  const domains = text.split(',').map((part) => emailKey(`@${part.trim()}`).slice(1));
  if (domains.length > maxDomains)
    settings.addError(`SLIPWAY_OIDC_DOMAINS can list at most ${maxDomains} domains`);
  for (const domain of domains) {
    if (!hostName.test(domain)) {
      settings.addError(
        `SLIPWAY_OIDC_DOMAINS must list domains such as example.com, separated by commas. It contains ${domain}.`,
      );
    }
  }
  return domains;
}
