/** Owners of apps: Users and Projects. Their names share one namespace, because they appear in addresses. */

import { errorTexts } from '../core/error-texts.ts';
import { invalidField } from '../core/errors.ts';

export interface User {
  kind: 'user';
  id: string;
  name: string;
  email: string | null;
  administrator: boolean;
}

export interface Project {
  kind: 'project';
  id: string;
  name: string;
  description: string;
  /** Fixed when the Project is created: moving it would change who may upload. */
  workspace: Workspace | null;
}

export type Owner = User | Project;

export interface Workspace {
  id: string;
  name: string;
  displayName: string;
  /** Absolute, or a path relative to the base address. */
  iconUrl: string;
}

/** The Workspace that the Owner belongs to. */
export const workspaceOf = ({ workspace }: { id: string; workspace?: { id: string } | null }) =>
  workspace ?? null;

export type Team = 'owner' | 'developer' | 'tester';
export const teams: readonly Team[] = ['owner', 'developer', 'tester'];

/** What people join and leave. */
export interface PlaceOfPeople {
  kind: 'project' | 'workspace' | 'app';
  id: string;
}

export interface ProjectMember {
  user: { id: string; name: string };
  teams: Team[];
}

export const maxNameLength = 64;
/** The limit for the name or email address of a user. */
export const maxLoginLength = 254;
export const maxDescriptionLength = 4096;

/** Words that addresses use or may use in the future, in lower case. */
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
 * Checks the name of a User, Project or Workspace: 1 to 64 of `[A-Za-z0-9_-]`, starting with a letter or digit, and not
 * reserved. Returns the name; throws `invalid` for the field `name`.
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

/** Returns the form in which names are compared, ignoring case. Names are ASCII, and no other letter equals one of theirs. */
export const nameKey = lowerAscii;

/**
 * Returns the form in which email addresses are compared, ignoring the case of A to Z. With all of Unicode, the Kelvin sign U+212A would
 * equal `k`, and its address that of someone else.
 */
export const emailKey = lowerAscii;

export interface AppTester {
  user: { id: string; name: string };
  since: number;
}
