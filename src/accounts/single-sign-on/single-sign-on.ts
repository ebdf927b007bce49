/** Decides which account an identity at the provider may sign in to. */
import { randomBytes } from 'node:crypto';
import { AppError, conflict, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { User } from '../../owners/owner.ts';
import { checkName, emailKey, maxNameLength } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { Quota } from '../../owners/quota.ts';
import { accountTexts } from '../account-texts.ts';
import type { Invitation } from '../invitations/invitation.ts';
import { joinByInvitation } from '../invitations/invite.ts';
import { limitNewAccount } from '../profile/create-account.ts';
import { notifyPerson } from '../profile/notice.ts';
import { requireSession } from '../sessions/require-session.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { identityQueries } from './identity-queries.ts';
import type { ProviderIdentity } from './provider-identity.ts';
import type { AdmissionRules } from './single-sign-on-config.ts';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

/** An account at a provider, linked to a User. */
export interface LinkedIdentity {
  issuer: string;
  subject: string;
  label: string;
  createdAt: number;
}

/** The purpose of a visit to the provider. To link or confirm, the person must be signed in. */
export type SignOnPurpose =
  | { kind: 'sign in' }
  | { kind: 'link'; userId: string }
  | { kind: 'confirm access'; userId: string }
  /** The session of the person shall count as signed in at the provider. */
  | { kind: 'join'; userId: string };

/**
 * `refused`: no account is linked to the identity, and none is created: there was no invitation (`uninvited`), the domain of the
 * address is not permitted (`domain`), or an account already has the address, either unconfirmed (`unconfirmed`) or linked to
 * another identity (`other-identity`); or the provider may not sign in to the account (`unmanaged`) or create more of them (`full`).
 */
export type Admission =
  | { kind: 'known'; user: User }
  | { kind: 'made'; user: User; joined: Invitation | null }
  | { kind: 'refused'; why: RefusedAdmission };

export type RefusedAdmission =
  | 'uninvited'
  | 'domain'
  | 'unconfirmed'
  | 'other-identity'
  | 'unmanaged'
  | 'full';

export interface SingleSignOn {
  /** Throws `NotFound` if someone else has used the invitation in the meantime. */
  admit(identity: ProviderIdentity, invitation: Invitation | null): Promise<Admission>;
  /** Throws `conflict` if the identity is linked to someone else, or the person has another one of that provider. */
  link(person: { user: User; sessionToken: string }, identity: ProviderIdentity): Promise<void>;
  /** Whether the provider may speak for the linked account: begin sessions, and confirm access. */
  vouchesFor(user: User): Promise<boolean>;
}

/** What a provider may decide about accounts. */
export interface AdmissionRulesOfProvider {
  vouchesFor(connection: Connection, user: User): Promise<boolean>;
  /** The address that a new account gets; null for none. */
  addressOf(
    tx: Connection,
    identity: ProviderIdentity,
  ): Promise<{ email: string; isConfirmed: boolean } | null>;
  /** Why nobody without an invitation gets an account; null if they do. */
  refusalOf(tx: Connection, email: string | null): Promise<RefusedAdmission | null>;
  /** Called in the transaction that creates an account. */
  record?(tx: Connection, user: User, now: number): Promise<void>;
}

/** The provider of the installation may sign in to every account that is linked to it. */
export const installationRules = (config: AdmissionRules): AdmissionRulesOfProvider => ({
  vouchesFor: async () => true,
  addressOf: async (_tx, { email, emailConfirmed }) =>
    email !== null && emailConfirmed ? { email, isConfirmed: true } : null,
  refusalOf: async (_tx, email) => refusalOf(config, email),
});

/** Returns whether the person had that identity. */
export type UnlinkIdentity = (
  user: User,
  identity: Pick<LinkedIdentity, 'issuer' | 'subject'>,
) => Promise<boolean>;

/** Attempts to find a free name; later attempts add random digits. */
const maxAttempts = 8;

interface Parts {
  data: Data;
  rules: AdmissionRulesOfProvider;
  signUpQuota: Quota | null;
  now: () => number;
  wakeOutbox: () => void;
}

export function createSingleSignOn(deps: Parts): SingleSignOn {
  const { data, now, wakeOutbox } = deps;
  return {
    admit: async (identity, invitation) => {
      const name = suggestUserName(identity.names);
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const tried = userNameForAttempt(name, attempt, randomBytes(2).toString('hex'));
        const admission = await admitOnce(deps, identity, invitation, tried);
        if (admission) {
          wakeOutbox();
          return admission;
        }
      }
      throw new Error(`no name like ${name} is available`);
    },
    link: async ({ user, sessionToken }, identity) => {
      const link = () =>
        data.transaction(async (tx) => {
          await requireSession(tx, hashSessionToken(sessionToken), now());
          await linkToExistingUser(tx, user, identity, now());
        });
      await data.refuseDuplicate(link, () => conflict(singleSignOnTexts.taken));
      wakeOutbox();
    },
    vouchesFor: (user) => deps.rules.vouchesFor(data, user),
  };
}

export function createUnlinkIdentity(deps: Pick<Parts, 'data' | 'now' | 'wakeOutbox'>): UnlinkIdentity {
  return async (user, { issuer, subject }) => {
    const at = deps.now();
    const unlinked = await deps.data.transaction(async (tx) => {
      if (!(await identityQueries(tx).deleteIdentity(user.id, issuer, subject))) return false;
      const entry = { at, action: 'identity.unlinked', ownerId: user.id, subject: user.name };
      await auditQueries(tx).record({ ...entry, actor: { kind: 'user', user }, details: { issuer } });
      await notifyPerson(tx, 'identity-unlinked', { userId: user.id, at });
      return true;
    });
    if (unlinked) deps.wakeOutbox();
    return unlinked;
  };
}

/** Null if a name, an address or the identity was taken concurrently; the caller then tries again. */
async function admitOnce(
  deps: Parts,
  identity: ProviderIdentity,
  invitation: Invitation | null,
  name: string,
): Promise<Admission | null> {
  const { signUpQuota, rules } = deps;
  const taken = conflict('taken');
  const admitting = () =>
    deps.data.transaction(async (tx): Promise<Admission> => {
      const known = await identityQueries(tx).findUserOfIdentity(identity.issuer, identity.subject);
      if (known)
        return (await rules.vouchesFor(tx, known))
          ? { kind: 'known', user: known }
          : { kind: 'refused', why: 'unmanaged' };
      const address = await rules.addressOf(tx, identity);
      const holder = address && (await identityQueries(tx).findHolderOfEmail(address.email));
      if (address && holder) {
        // An unconfirmed address may belong to another person.
        const isProven = address.isConfirmed && holder.emailConfirmed;
        if (!isProven) return { kind: 'refused', why: 'unconfirmed' };
        if (!(await rules.vouchesFor(tx, holder))) return { kind: 'refused', why: 'unmanaged' };
        return admitHolder(tx, identity, holder, deps.now());
      }
      const refusal = invitation ? null : await rules.refusalOf(tx, address?.email ?? null);
      if (refusal) return { kind: 'refused', why: refusal };
      const user = await make(tx, { name, address, identity, invitation, signUpQuota, now: deps.now() });
      await rules.record?.(tx, user, deps.now());
      return { kind: 'made', user, joined: invitation };
    });
  try {
    return await deps.data.refuseDuplicate(admitting, () => taken);
  } catch (error) {
    if (error === taken) return null;
    throw error;
  }
}

/** An account that is already linked may have an address that the provider has since given to someone else. */
async function admitHolder(
  tx: Connection,
  identity: ProviderIdentity,
  user: User,
  now: number,
): Promise<Admission> {
  const linked = await identityQueries(tx).listIdentities(user.id);
  if (linked.some(({ issuer }) => issuer === identity.issuer)) {
    return { kind: 'refused', why: 'other-identity' };
  }
  await linkToExistingUser(tx, user, identity, now);
  return { kind: 'known', user };
}

function refusalOf({ signUp, domains }: AdmissionRules, email: string | null) {
  if (signUp === 'invited') return 'uninvited';
  const address = emailKey(email ?? '');
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domains.length === 0 || domains.includes(domain) ? null : 'domain';
}

async function make(
  tx: Connection,
  accountRequest: {
    name: string;
    address: { email: string; isConfirmed: boolean } | null;
    identity: ProviderIdentity;
    invitation: Invitation | null;
    signUpQuota: Quota | null;
    now: number;
  },
): Promise<User> {
  const { name, address, identity, invitation, signUpQuota, now } = accountRequest;
  const user = await ownerQueries(tx).insertUser({
    name,
    email: address?.email ?? null,
    emailConfirmed: address?.isConfirmed ?? false,
    passwordHash: null,
    administrator: false,
    createdAt: now,
  });
  await limitNewAccount(tx, user, { invitation, quota: signUpQuota });
  const entry = { at: now, action: 'user.made', ownerId: user.id, subject: name };
  const details = { issuer: identity.issuer, invitation: invitation?.id ?? null };
  await auditQueries(tx).record({ ...entry, actor: 'single-sign-on', details });
  await record(tx, user, identity, now);
  if (invitation && !(await joinByInvitation(tx, invitation, user, now))) {
    throw new NotFound(accountTexts.invitation.goneTitle);
  }
  return user;
}

async function record(tx: Connection, user: User, identity: ProviderIdentity, now: number) {
  const { issuer, subject, label } = identity;
  await identityQueries(tx).insertIdentity({ issuer, subject, label, userId: user.id, createdAt: now });
  const entry = { at: now, action: 'identity.linked', ownerId: user.id, subject: user.name };
  await auditQueries(tx).record({ ...entry, actor: { kind: 'user', user }, details: { issuer } });
}

/** Links the identity to an existing account and notifies its owner. */
async function linkToExistingUser(tx: Connection, user: User, identity: ProviderIdentity, now: number) {
  await record(tx, user, identity, now);
  await notifyPerson(tx, 'identity-linked', { userId: user.id, at: now });
}

// Generates user names for people who do not choose one.

/** Leaves room for a suffix that makes the name unique. */
const maxStemLength = maxNameLength - 8;

/** Returns a valid name derived from the first usable candidate; `user` if none is usable. */
export function suggestUserName(candidateNames: readonly string[]): string {
  for (const wish of candidateNames) {
    const [local = ''] = wish.split('@');
    const stem = local
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, maxStemLength)
      .replace(/(?<!-)-+$/, '');
    if (stem !== '') return isName(stem) ? stem : `${stem}-1`;
  }
  return 'user-1';
}

/** Returns the name for an attempt, counted from 0. `randomSuffix`: four hexadecimal digits, for names that many people share. */
export function userNameForAttempt(name: string, attempt: number, randomSuffix: string): string {
  if (attempt === 0) return name;
  return attempt < 5 ? `${name}-${attempt + 1}` : `${name}-${randomSuffix}`;
}

function isName(name: string): boolean {
  try {
    return checkName('user', name) === name;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
