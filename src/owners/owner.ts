/** Owners of apps: Users and Projects. Their names share one namespace, because they appear in addresses. */

import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { errorTexts } from '../core/error-texts.ts';
import { invalidField } from '../core/errors.ts';

export interface User {
  kind: 'user';
  id: string;
  name: string;
  email: string | null;
  /** The person has proved that the address is theirs. Until then it is only a claim, of them, or of a Workspace's provider or directory. */
  emailConfirmed: boolean;
  administrator: boolean;
}

export interface Project {
  kind: 'project';
  id: string;
  name: string;
  description: string;
  /** Set when the Project is created. It cannot be changed, because that would change who may upload. */
  workspace: Workspace | null;
}

export type Owner = User | Project;

export interface Workspace {
  id: string;
  name: string;
  displayName: string;
  /** An absolute URL, or a path relative to the base address. */
  iconUrl: string;
}

/** Returns the Workspace of the Owner, if any. */
export const workspaceOf = ({ workspace }: { id: string; workspace?: { id: string } | null }) =>
  workspace ?? null;

export type Team = 'owner' | 'developer' | 'auditor' | 'tester';
/** A team may everything that the following ones may, except that auditors change nothing. */
export const teams: readonly Team[] = ['owner', 'developer', 'auditor', 'tester'];

export type WorkspaceRole = 'owner' | 'member';
/** The roles of people who belong to a Workspace; the first one counts. Everyone else in a team of one of its Projects is a guest. */
export const workspaceRoles: readonly WorkspaceRole[] = ['owner', 'member'];

/** A person who belongs to a Workspace or is in a team of one of its Projects. */
export interface WorkspacePerson {
  id: string;
  name: string;
  role: WorkspaceRole | 'guest';
  email: string | null;
  createdAt: number;
}

/** What an invitation to a Project or Workspace is for; those to own a Workspace have none. */
export type InvitedAs = Team | 'member';

/** A place that people join and leave. */
export interface PlaceOfPeople {
  kind: 'project' | 'workspace' | 'app';
  id: string;
}

export interface ProjectMember {
  user: { id: string; name: string };
  teams: Team[];
}

export const maxNameLength = 64;
/** Maximum length of a user's name or email address. */
export const maxLoginLength = 254;
export const maxDescriptionLength = 4096;

/** Words used in addresses, or reserved for future ones, in lower case. */
const reservedNames = new Set(
  `about account api app apps assets auth build builds cli console dashboard devices distribution
   distributions docs download downloads enterprise enterprises favicon file files healthz help home hooks icon icons
   install invitations invite key keys login logout mail me metrics new null organization organizations owner owners pages
   password platforms privacy project projects public readyz register robots root search security session sessions settings
   sign-in sign-out sign-up signin signout signup slipway static status support system teams terms undefined user users
   webhooks well-known workspace workspaces www`.split(/\s+/),
);

/** Also the `pattern` of the fields. */
export const namePattern = '[A-Za-z0-9][A-Za-z0-9_\\-]*';
const nameSyntax = new RegExp(`^(?:${namePattern})$`);

/**
 * Checks the name of a User, Project or Workspace: 1 to 64 of `[A-Za-z0-9_-]`, starting with a letter or digit, and not reserved.
 * Returns the name. Throws `invalid` for the field `name`.
 */
export function checkName(kind: 'user' | 'project' | 'workspace', name: string): string {
  if (!nameSyntax.test(name) || name.length > maxNameLength) {
    throw invalidField('name', errorTexts.names.invalid[kind]({ limit: maxNameLength }));
  }
  if (reservedNames.has(name.toLowerCase())) {
    throw invalidField('name', errorTexts.names.reserved({ name }));
  }
  return name;
}

const lowerAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Returns the form in which names are compared, ignoring case. Names are ASCII, and equal to no other letters. */
export const nameKey = lowerAscii;

/** Takes the place of the key of an erased account: nobody else gets the name, which it does not contain. */
export const reservedNameKey = (name: string) =>
  `#${createHash('sha256')
    .update(`slipway name ${nameKey(name)}`)
    .digest('hex')}`;

/**
 * Returns an email address in its stored form, with an ASCII domain (RFC 5891), which is what mail is sent to in any case. The
 * part before the `@` stays as it is, because only the mail server knows which spellings are equal.
 */
export function canonicalEmail(text: string): string {
  const at = text.lastIndexOf('@') + 1;
  const domain = text.slice(at);
  if (at === 0 || /^[\x21-\x7e]*$/.test(domain) || notInDomain.test(domain)) return text;
  return `${text.slice(0, at)}${domainToASCII(domain) || domain}`;
}

export const maxDomainLength = 253;

/** Returns the domain of email addresses in ASCII and lower case; null if the text is not one. */
export function parseDomain(text: string): string | null {
  const domain = canonicalEmail(`x@${text.trim().replace(/^@/, '')}`)
    .slice(2)
    .toLowerCase();
  return domain.length <= maxDomainLength && /^(?:[a-z0-9-]+\.)+[a-z0-9-]{2,}$/.test(domain) ? domain : null;
}

/** Characters that `domainToASCII` would decode, or drop with everything after them. */
const notInDomain = /[\s%/?#:\\]/;

/**
 * Returns the form in which email addresses are compared, ignoring the case of A to Z only. With all of Unicode, the Kelvin sign
 * U+212A would equal `k`, so an address with it would equal someone else's.
 */
export const emailKey = (email: string) => lowerAscii(canonicalEmail(email));

export interface AppTester {
  user: { id: string; name: string };
  since: number;
}
