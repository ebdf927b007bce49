/** Whom an identity at the provider lets in here, and under which account. */
import { randomBytes } from 'node:crypto';
import { conflict, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { Quota } from '../../owners/quota.ts';
import { accountTexts } from '../account-texts.ts';
import type { Invitation } from '../invitations/invitation.ts';
import { joinByInvitation } from '../invitations/invite.ts';
import { limitNewAccount } from '../profile/create-account.ts';
import { tellPerson } from '../profile/notice.ts';
import { nameForTry, nameNear } from './account-name.ts';
import { identityQueries } from './identity-queries.ts';
import type { LinkedIdentity, ProviderIdentity } from './provider-identity.ts';
import type { SingleSignOnConfig } from './single-sign-on-config.ts';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

/** What a visit to the provider is for. The person who links or confirms is signed in. */
export type SignOnPurpose =
  | { kind: 'sign in' }
  | { kind: 'link'; userId: string }
  | { kind: 'confirm access'; userId: string };

/**
 * `refused`: nobody here has that identity, and it makes no account: no invitation was shown (`uninvited`), the address is
 * of no domain that gets in (`domain`), or an account here has the address and nobody has seen that it is the same person's
 * (`unconfirmed`), or has been linked to another identity (`other-identity`).
 */
export type Admission =
  | { kind: 'known'; user: User }
  | { kind: 'made'; user: User; joined: Invitation | null }
  | { kind: 'refused'; why: 'uninvited' | 'domain' | 'unconfirmed' | 'other-identity' };

export interface SingleSignOn {
  /** Throws `not_found` when somebody else used the invitation meanwhile. */
  admit(identity: ProviderIdentity, invitation: Invitation | null): Promise<Admission>;
  /** Throws `conflict` when it is somebody else's, or the person has another one of that provider. */
  link(user: User, identity: ProviderIdentity): Promise<void>;
  /** Answers whether the person had it. */
  unlink(user: User, identity: Pick<LinkedIdentity, 'issuer' | 'subject'>): Promise<boolean>;
}

/** Of tries to find a free name; the later ones have chance in them. */
const mostTries = 8;

interface Parts {
  data: Data;
  config: Pick<SingleSignOnConfig, 'signUp' | 'domains'>;
  signUpQuota: Quota | null;
  now: () => number;
  wakeOutbox: () => void;
}

export function createSingleSignOn(parts: Parts): SingleSignOn {
  const { data, now, wakeOutbox } = parts;
  return {
    admit: async (identity, invitation) => {
      const name = nameNear(identity.names);
      for (let attempt = 0; attempt < mostTries; attempt++) {
        const tried = nameForTry(name, attempt, randomBytes(2).toString('hex'));
        const admission = await admitOnce(parts, identity, invitation, tried);
        if (admission) {
          wakeOutbox();
          return admission;
        }
      }
      throw new Error(`no name like ${name} is free`);
    },
    link: (user, identity) =>
      data.refuseDuplicate(
        () => data.transaction((inside) => linkToKnown(inside, user, identity, now())).then(wakeOutbox),
        () => conflict(singleSignOnTexts.taken),
      ),
    unlink: async (user, { issuer, subject }) => {
      const at = now();
      const unlinked = await data.transaction(async (inside) => {
        if (!(await identityQueries(inside).deleteIdentity(user.id, issuer, subject))) return false;
        const entry = { at, action: 'identity.unlinked', ownerId: user.id, subject: user.name };
        await auditQueries(inside).record({ ...entry, actor: { kind: 'user', user }, details: { issuer } });
        await tellPerson(inside, 'identity-unlinked', { userId: user.id, at });
        return true;
      });
      if (unlinked) wakeOutbox();
      return unlinked;
    },
  };
}

/** Null when a name, an address or the identity itself was taken at the same moment: then everything is looked at anew. */
async function admitOnce(
  parts: Parts,
  identity: ProviderIdentity,
  invitation: Invitation | null,
  name: string,
): Promise<Admission | null> {
  const { signUpQuota } = parts;
  const taken = conflict('taken');
  const admitting = () =>
    parts.data.transaction(async (inside): Promise<Admission> => {
      const known = await identityQueries(inside).findUserOfIdentity(identity.issuer, identity.subject);
      if (known) return { kind: 'known', user: known };
      const email = identity.emailConfirmed ? identity.email : null;
      const holder = email === null ? null : await identityQueries(inside).findHolderOfEmail(email);
      if (holder) return admitHolder(inside, identity, holder, parts.now());
      const refusal = invitation ? null : refusalOf(parts.config, email);
      if (refusal) return { kind: 'refused', why: refusal };
      const user = await make(inside, { name, email, identity, invitation, signUpQuota, now: parts.now() });
      return { kind: 'made', user, joined: invitation };
    });
  try {
    return await parts.data.refuseDuplicate(admitting, () => taken);
  } catch (error) {
    if (error === taken) return null;
    throw error;
  }
}

/**
 * Somebody here has the address that the provider vouches for. An address that its owner merely typed may be another
 * person's; one whose account is linked already may have passed to somebody new at the provider.
 */
async function admitHolder(
  inside: Connection,
  identity: ProviderIdentity,
  { user, confirmed }: { user: User; confirmed: boolean },
  now: number,
): Promise<Admission> {
  if (!confirmed) return { kind: 'refused', why: 'unconfirmed' };
  const linked = await identityQueries(inside).listIdentities(user.id);
  if (linked.some(({ issuer }) => issuer === identity.issuer)) {
    return { kind: 'refused', why: 'other-identity' };
  }
  await linkToKnown(inside, user, identity, now);
  return { kind: 'known', user };
}

function refusalOf({ signUp, domains }: Parts['config'], email: string | null) {
  if (signUp === 'invited') return 'uninvited';
  const domain = email?.slice(email.lastIndexOf('@') + 1).toLowerCase() ?? '';
  return domains.length === 0 || domains.includes(domain) ? null : 'domain';
}

async function make(
  inside: Connection,
  making: {
    name: string;
    email: string | null;
    identity: ProviderIdentity;
    invitation: Invitation | null;
    signUpQuota: Quota | null;
    now: number;
  },
): Promise<User> {
  const { name, email, identity, invitation, signUpQuota, now } = making;
  const user = await ownerQueries(inside).insertUser({
    ...{ name, email, emailConfirmed: email !== null },
    ...{ passwordHash: null, administrator: false, createdAt: now },
  });
  await limitNewAccount(inside, user, { invitation, quota: signUpQuota });
  const entry = { at: now, action: 'user.made', ownerId: user.id, subject: name };
  const details = { issuer: identity.issuer, invitation: invitation?.id ?? null };
  await auditQueries(inside).record({ ...entry, actor: 'single-sign-on', details });
  await record(inside, user, identity, now);
  if (invitation && !(await joinByInvitation(inside, invitation, user, now))) {
    throw new NotFound(accountTexts.invitation.goneTitle);
  }
  return user;
}

async function record(inside: Connection, user: User, identity: ProviderIdentity, now: number) {
  const { issuer, subject, label } = identity;
  await identityQueries(inside).insertIdentity({ issuer, subject, label, userId: user.id, createdAt: now });
  const entry = { at: now, action: 'identity.linked', ownerId: user.id, subject: user.name };
  await auditQueries(inside).record({ ...entry, actor: { kind: 'user', user }, details: { issuer } });
}

/** A new way into an account that was there before: its owner gets to know. */
async function linkToKnown(inside: Connection, user: User, identity: ProviderIdentity, now: number) {
  await record(inside, user, identity, now);
  await tellPerson(inside, 'identity-linked', { userId: user.id, at: now });
}
