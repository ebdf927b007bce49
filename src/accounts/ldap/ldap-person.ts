/** Reads entries of a directory. Attributes are compared without regard to case (RFC 4512, section 2.5). */
import type { Entry } from 'ldapts';
import { isEmailAddress } from '../profile/email-address.ts';
import {
  ldapIssuer,
  maxLabelLength,
  maxSubjectLength,
  type ProviderIdentity,
  textOf,
} from '../single-sign-on/provider-identity.ts';
import type { LdapConfig } from './ldap-config.ts';

export interface LdapPerson {
  identity: ProviderIdentity;
  isDisabled: boolean;
}

/** ADS_UF_ACCOUNTDISABLE. */
const accountDisabled = 0x2;
const maxNameLength = 100;

/** Null if it has no usable identifier. */
export function personOf(
  { attributes, confirmsEmail, isActiveDirectory }: LdapConfig,
  entry: Entry,
): LdapPerson | null {
  const [id = ''] = attributes.id;
  const subject = isActiveDirectory ? guidOf(entry, id) : onlyValue(entry, [id]);
  if (subject === null || subject.length > maxSubjectLength) return null;
  const given = onlyValue(entry, attributes.email);
  const email = given !== null && isEmailAddress(given) ? given : null;
  const names = [...attributes.name.map((name) => onlyValue(entry, [name])), email].filter(
    (one) => one !== null,
  );
  const control = Number(valuesOf(entry, 'userAccountControl')[0] ?? 0);
  return {
    identity: {
      issuer: ldapIssuer,
      subject,
      email,
      emailConfirmed: confirmsEmail && email !== null,
      label: (email ?? names[0] ?? subject).slice(0, maxLabelLength),
      names: names.map((name) => name.slice(0, maxNameLength)),
    },
    isDisabled: isActiveDirectory && (control & accountDisabled) !== 0,
  };
}

export function valuesOf(entry: Entry, name: string): string[] {
  const key = Object.keys(entry).find((one) => one !== 'dn' && one.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? [] : (entry[key] ?? []);
  return (Array.isArray(value) ? value : [value]).map((one) => one.toString());
}

/** Null unless there is exactly one usable value, because several do not say which one counts. */
function onlyValue(entry: Entry, names: readonly string[]): string | null {
  const [value, ...others] = names.flatMap((name) => valuesOf(entry, name));
  return value === undefined || others.length > 0 ? null : textOf(value);
}

/** The first value of an attribute that is read as bytes. */
export function bytesOf(entry: Entry, name: string): Buffer | null {
  const key = Object.keys(entry).find((one) => one.toLowerCase() === name.toLowerCase());
  const [bytes] = [key === undefined ? [] : (entry[key] ?? [])].flat();
  return Buffer.isBuffer(bytes) ? bytes : null;
}

function guidOf(entry: Entry, name: string): string | null {
  const bytes = bytesOf(entry, name);
  if (bytes?.length !== 16) return null;
  const part = (from: number, to: number) => Buffer.from(bytes.subarray(from, to));
  const hex = [part(0, 4).reverse(), part(4, 6).reverse(), part(6, 8).reverse(), part(8, 10), part(10, 16)];
  return hex.map((one) => one.toString('hex')).join('-');
}

/** The form in which distinguished names are compared (RFC 4514): without spaces around separators, and without regard to case. */
export const readDn = (dn: string) =>
  dn
    .normalize('NFC')
    .toLowerCase()
    .split(/(?<!\\)([,=+])/)
    .map((part) => part.trim())
    .join('');
