/** The settings of single sign-on by OpenID Connect. */
import { isLocal } from '../../core/outbound/outbound-address.ts';
import type { SettingName, Settings } from '../../core/settings.ts';
import { emailKey } from '../../owners/owner.ts';

/** Who gets an account at the first sign-in. */
export interface AdmissionRules {
  /** The people who get an account at their first sign-in: those with an invitation, or everyone at the provider. */
  signUp: 'invited' | 'open';
  /** With open sign-up: permitted domains of confirmed addresses, in ASCII and lower case; empty for all. */
  domains: string[];
}

export interface SingleSignOnConfig extends AdmissionRules {
  /** The issuer identifier; the metadata is found below it (OpenID Connect Discovery 1.0, section 4). */
  issuer: string;
  clientId: string;
  /** Null for a public client, which is protected by PKCE alone. */
  clientSecret: string | null;
  /** The provider's name in the UI. */
  name: string;
  /** Requested in addition to `openid email profile`. */
  scopes: string[];
  /** The claim with the person's groups; null if they are not read. */
  groupsClaim: string | null;
}

const singleSignOnSettings = [
  'SLIPWAY_OIDC_ISSUER',
  'SLIPWAY_OIDC_CLIENT_ID',
  'SLIPWAY_OIDC_CLIENT_SECRET',
  'SLIPWAY_OIDC_NAME',
  'SLIPWAY_OIDC_SIGN_UP',
  'SLIPWAY_OIDC_DOMAINS',
  'SLIPWAY_OIDC_SCOPES',
  'SLIPWAY_OIDC_GROUPS_CLAIM',
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
  const rules = readAdmissionRules(settings, 'SLIPWAY_OIDC');
  const name = read('SLIPWAY_OIDC_NAME') ?? (issuer === null ? '' : new URL(issuer).host);
  if (name.length > maxProviderNameLength && read('SLIPWAY_OIDC_NAME') !== null) {
    settings.addError(`SLIPWAY_OIDC_NAME must have at most ${maxProviderNameLength} characters`);
  }
  const scopes = read('SLIPWAY_OIDC_SCOPES')?.split(/[\s,]+/) ?? [];
  if (!scopes.every((scope) => /^[\w:/.-]{1,200}$/.test(scope)))
    settings.addError('SLIPWAY_OIDC_SCOPES must list scopes such as groups, separated by spaces');
  const groupsClaim = read('SLIPWAY_OIDC_GROUPS_CLAIM');
  if (issuer === null || clientId === null) return null;
  const clientSecret = read('SLIPWAY_OIDC_CLIENT_SECRET');
  return { issuer, clientId, clientSecret, name, scopes, groupsClaim, ...rules };
}

export function readAdmissionRules(
  settings: Settings,
  prefix: 'SLIPWAY_OIDC' | 'SLIPWAY_SAML' | 'SLIPWAY_LDAP',
): AdmissionRules {
  const signUp = settings.choice(`${prefix}_SIGN_UP`, ['invited', 'open'], 'invited');
  const domains = readDomains(settings, `${prefix}_DOMAINS`);
  if (domains.length > 0 && signUp === 'invited')
    settings.addError(
      `${prefix}_DOMAINS requires ${prefix}_SIGN_UP=open: it limits who may create an account`,
    );
  return { signUp, domains };
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
  if (url.protocol === 'http:' && !isLocal(url)) {
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
  const providers = [settings.text('SLIPWAY_OIDC_ISSUER'), settings.text('SLIPWAY_SAML_METADATA')];
  if (!passwords && providers.every((one) => one === null)) {
    settings.addError(
      'SLIPWAY_PASSWORDS=off requires SLIPWAY_OIDC_ISSUER or SLIPWAY_SAML_METADATA: otherwise nobody could sign in',
    );
  }
  return passwords;
}

function readDomains(settings: Settings, setting: SettingName): string[] {
  const text = settings.text(setting);
  if (text === null) return [];
  const domains = text.split(',').map((part) => emailKey(`@${part.trim()}`).slice(1));
  if (domains.length > maxDomains) settings.addError(`${setting} can list at most ${maxDomains} domains`);
  for (const domain of domains) {
    if (!hostName.test(domain)) {
      settings.addError(
        `${setting} must list domains such as example.com, separated by commas. It contains ${domain}.`,
      );
    }
  }
  return domains;
}
