/** The settings of sign-in with the password of a directory (LDAP). */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { reasonOf } from '../../core/errors.ts';
import type { SettingName, Settings } from '../../core/settings.ts';
import {
  type AdmissionRules,
  maxProviderNameLength,
  readAdmissionRules,
} from '../single-sign-on/single-sign-on-config.ts';

export interface LdapConfig extends AdmissionRules {
  /** The directory's name in the UI. */
  name: string;
  host: string;
  port: number;
  /** TLS is required, because passwords are sent. */
  tls: 'ldaps' | 'starttls';
  /** In PEM; null for the authorities that Node.js trusts. */
  authorities: string | null;
  /** Who searches; null for an anonymous search. */
  reader: { dn: string; password: string } | null;
  baseDn: string;
  /** Limits who can sign in (RFC 4515). */
  userFilter: string;
  groupBaseDn: string;
  groupFilter: string;
  attributes: LdapAttributes;
  /** Uses what only Active Directory has: `userAccountControl`, and a matching rule for nested groups. */
  isActiveDirectory: boolean;
  /** Whether the addresses in the directory count as confirmed. */
  confirmsEmail: boolean;
  /** Null if people are only looked up when they sign in. */
  syncIntervalMs: number | null;
  /** The largest share of linked people that one synchronization may deactivate, in percent. */
  maxDeactivatedPercent: number;
}

/** Names of attributes. */
export interface LdapAttributes {
  /** What people may enter at sign-in. */
  login: readonly string[];
  /** Permanent and never reused. */
  id: readonly string[];
  email: readonly string[];
  /** For the name of a new account, best first. */
  name: readonly string[];
  /** What identifies a group in rules; `dn` for its distinguished name. */
  group: readonly string[];
}

const presets = {
  standard: {
    userFilter: '(objectClass=inetOrgPerson)',
    groupFilter: '(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup))',
    attributes: { login: ['uid', 'mail'], id: ['entryUUID'], email: ['mail'], name: ['uid'], group: ['dn'] },
  },
  'active-directory': {
    userFilter: '(&(objectCategory=person)(objectClass=user))',
    groupFilter: '(objectClass=group)',
    attributes: {
      login: ['sAMAccountName', 'userPrincipalName', 'mail'],
      id: ['objectGUID'],
      email: ['mail'],
      name: ['sAMAccountName'],
      group: ['dn'],
    },
  },
} as const satisfies Record<string, Pick<LdapConfig, 'userFilter' | 'groupFilter' | 'attributes'>>;

const ldapSettings = [
  'SLIPWAY_LDAP_URL',
  'SLIPWAY_LDAP_TYPE',
  'SLIPWAY_LDAP_NAME',
  'SLIPWAY_LDAP_CA',
  'SLIPWAY_LDAP_BIND_DN',
  'SLIPWAY_LDAP_BIND_PASSWORD',
  'SLIPWAY_LDAP_BIND_PASSWORD_FILE',
  'SLIPWAY_LDAP_BASE_DN',
  'SLIPWAY_LDAP_USER_FILTER',
  'SLIPWAY_LDAP_GROUP_BASE_DN',
  'SLIPWAY_LDAP_GROUP_FILTER',
  'SLIPWAY_LDAP_ATTRIBUTES',
  'SLIPWAY_LDAP_CONFIRMS_EMAIL',
  'SLIPWAY_LDAP_SIGN_UP',
  'SLIPWAY_LDAP_DOMAINS',
  'SLIPWAY_LDAP_SYNC_MINUTES',
  'SLIPWAY_LDAP_MAX_DEACTIVATED_PERCENT',
] as const satisfies readonly SettingName[];

const minuteMs = 60_000;

/** Null if not configured, or if an error was reported. */
export function readLdap(settings: Settings): LdapConfig | null {
  const read = settings.text;
  const given = ldapSettings.filter((name) => read(name) !== null);
  const type = settings.choice('SLIPWAY_LDAP_TYPE', ['standard', 'active-directory'], 'standard');
  const preset = presets[type];
  const rules = readAdmissionRules(settings, 'SLIPWAY_LDAP');
  const confirmsEmail = settings.isOn('SLIPWAY_LDAP_CONFIRMS_EMAIL', false);
  const place = settings.checked('SLIPWAY_LDAP_URL', readUrl);
  const authorities = settings.checked('SLIPWAY_LDAP_CA', readAuthorities);
  const userFilter = settings.checked('SLIPWAY_LDAP_USER_FILTER', checkFilter) ?? preset.userFilter;
  const groupFilter = settings.checked('SLIPWAY_LDAP_GROUP_FILTER', checkFilter) ?? preset.groupFilter;
  const readAttributes = (text: string) => readLdapAttributes(text, preset.attributes);
  const attributes = settings.checked('SLIPWAY_LDAP_ATTRIBUTES', readAttributes) ?? preset.attributes;
  const syncMinutes = settings.numberOrOff('SLIPWAY_LDAP_SYNC_MINUTES', {
    min: 1,
    max: 10_080,
    otherwise: 60,
    unit: 'minutes',
  });
  const maxDeactivatedPercent = settings.number('SLIPWAY_LDAP_MAX_DEACTIVATED_PERCENT', {
    min: 1,
    max: 100,
    otherwise: 20,
    unit: 'percent',
  });
  const reader = readReader(settings);
  if (given.length === 0) return null;
  const baseDn = read('SLIPWAY_LDAP_BASE_DN');
  const name = read('SLIPWAY_LDAP_NAME') ?? 'LDAP';
  if (name.length > maxProviderNameLength)
    settings.addError(`SLIPWAY_LDAP_NAME must have at most ${maxProviderNameLength} characters`);
  if (read('SLIPWAY_LDAP_URL') === null)
    settings.addError(`${given.join(', ')} cannot be used without SLIPWAY_LDAP_URL`);
  else if (baseDn === null)
    settings.addError('SLIPWAY_LDAP_URL requires SLIPWAY_LDAP_BASE_DN, such as dc=example,dc=com');
  if (!settings.isOn('SLIPWAY_PASSWORDS', true))
    settings.addError(
      'SLIPWAY_LDAP_URL requires SLIPWAY_PASSWORDS=on: administrators need a password while the directory is down',
    );
  if (rules.domains.length > 0 && !confirmsEmail)
    settings.addError(
      'SLIPWAY_LDAP_DOMAINS requires SLIPWAY_LDAP_CONFIRMS_EMAIL=on: it compares confirmed addresses',
    );
  if (place === null || baseDn === null) return null;
  return {
    name,
    ...place,
    authorities,
    reader,
    baseDn,
    userFilter,
    groupBaseDn: read('SLIPWAY_LDAP_GROUP_BASE_DN') ?? baseDn,
    groupFilter,
    attributes,
    isActiveDirectory: type === 'active-directory',
    confirmsEmail,
    syncIntervalMs: syncMinutes === null ? null : syncMinutes * minuteMs,
    maxDeactivatedPercent,
    ...rules,
  };
}

function readUrl(text: string): Pick<LdapConfig, 'host' | 'port' | 'tls'> {
  const url = URL.parse(text);
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || !/^ldaps?:$/.test(url.protocol) || url.hostname === '' || !['', '/'].includes(url.pathname))
    throw new Error('must be an address such as ldaps://ldap.example.com or ldap://ldap.example.com:389');
  const isLdaps = url.protocol === 'ldaps:';
  const port = url.port === '' ? (isLdaps ? 636 : 389) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port, tls: isLdaps ? 'ldaps' : 'starttls' };
}

function readReader(settings: Settings): LdapConfig['reader'] {
  const dn = settings.text('SLIPWAY_LDAP_BIND_DN');
  const given = settings.text('SLIPWAY_LDAP_BIND_PASSWORD');
  const stored = settings.checked('SLIPWAY_LDAP_BIND_PASSWORD_FILE', (path) => readText(path).trim());
  if (given !== null && stored !== null)
    settings.addError('SLIPWAY_LDAP_BIND_PASSWORD and SLIPWAY_LDAP_BIND_PASSWORD_FILE exclude each other');
  // An empty password would make the directory accept anyone as nobody (RFC 4513, section 5.1.2).
  const password = given || stored || null;
  if ((dn === null) !== (password === null))
    settings.addError('SLIPWAY_LDAP_BIND_DN and SLIPWAY_LDAP_BIND_PASSWORD require each other');
  return dn === null || password === null ? null : { dn, password };
}

function readAuthorities(path: string): string {
  const pem = readText(path);
  const parts = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (parts.length === 0) throw new Error('must be a file with certificates in PEM');
  return parts.map((part) => new X509Certificate(part).toString()).join('');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot be read: ${reasonOf(error)}`);
  }
}

/** Finds mistyped parentheses. The library, which is loaded on first use, reads the rest. */
function checkFilter(text: string): string {
  let depth = 0;
  const isWhole = [...text].every((character, index, { length }) => {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    return depth > 0 || (depth === 0 && index === length - 1);
  });
  if (!isWhole || depth !== 0) throw new Error('must be a filter such as (objectClass=person)');
  return text;
}

/** Such as `login=uid mail, id=entryUUID, email=mail, name=uid, group=cn`. */
export function readLdapAttributes(text: string, preset: LdapAttributes): LdapAttributes {
  const attributes = { ...preset };
  for (const part of text.split(',')) {
    const [, field, names = ''] = /^(login|id|email|name|group)\s*=\s*(\S.*)$/.exec(part.trim()) ?? [];
    const listed = names.split(/\s+/);
    const single = field === 'login' || field === 'name' || listed.length === 1;
    if (field === undefined || !single || !listed.every((name) => /^[A-Za-z][A-Za-z0-9;-]{0,99}$/.test(name)))
      throw new Error('must list pairs such as login=uid mail, id=entryUUID, email=mail, name=uid, group=cn');
    Object.assign(attributes, { [field]: listed });
  }
  return attributes;
}
