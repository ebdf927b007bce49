/**
 * Enforces the policies that limit settings. The changes of these settings call it in their transactions, so that the web, the API and
 * the command line cannot differ.
 */
import { PolicyRefused } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import { policyRefusal } from '../gate/workspace-refusal.ts';
import type { Owner } from '../owner.ts';
import { ownerQueries } from '../owner-queries.ts';
import { dayMs } from '../retention/retention.ts';
import { isAllowedEmail, isAllowedPerson, isBelowFloor, restrictAccess } from './policies.ts';
import { policyQueries } from './policy-queries.ts';
import { policyTexts } from './policy-texts.ts';

/** Returns the access of a new distribution page of the owner's apps. */
export async function accessOfNewPage<Access extends string>(
  tx: Connection,
  ownerId: string,
  access: Access,
): Promise<Access | 'members'> {
  return restrictAccess(access, (await policyQueries(tx).lockOfOwner(ownerId)).pageAccess);
}

/** Throws `PolicyRefused` for the field `access`. Call it in a transaction that called `lockOfOwner`. */
export async function requireAllowedAccess(tx: Connection, ownerId: string, access: string): Promise<void> {
  const { pageAccess } = await policyQueries(tx).ofOwner(ownerId);
  if (isBelowFloor(access, pageAccess))
    throw new PolicyRefused('page_access', policyTexts.refusals.pageAccess, { field: 'access' });
}

/** Throws `PolicyRefused` for the field `login` if the policies of the place do not admit the address. */
export async function requireAllowedEmail(
  tx: Connection,
  place: { kind: 'project' | 'workspace' | 'app'; id: string },
  person: { id: string } | { address: string },
): Promise<void> {
  if (place.kind === 'app') return;
  const { emailDomains } = await (place.kind === 'project'
    ? policyQueries(tx).ofOwner(place.id)
    : policyQueries(tx).ofWorkspace(place.id));
  if (emailDomains.length === 0) return;
  const user = 'id' in person ? await ownerQueries(tx).findOwnerById(person.id) : null;
  const isAllowed =
    'address' in person
      ? isAllowedEmail(emailDomains, person.address)
      : user?.kind === 'user' && isAllowedPerson(emailDomains, user);
  if (isAllowed) return;
  const message = policyTexts.limits.email({ domains: emailDomains.join(', ') });
  throw new PolicyRefused('email_domains', message, { field: 'login' });
}

/** Whether the policies admit the address, for emails about what is in the owner's apps. */
export async function admitsEmail(
  connection: Connection,
  ownerId: string,
  address: string,
): Promise<boolean> {
  return isAllowedEmail((await policyQueries(connection).ofOwner(ownerId)).emailDomains, address);
}

/** Throws `PolicyRefused` for the field `expires` if a new key of the Project would live too long. */
export async function requireAllowedExpiry(
  tx: Connection,
  owner: Pick<Owner, 'id'>,
  expiresAt: number | null,
  now: number,
): Promise<void> {
  const { keyDays } = await policyQueries(tx).ofOwner(owner.id);
  if (keyDays === null || (expiresAt !== null && expiresAt <= now + keyDays * dayMs)) return;
  const message = policyTexts.limits.keyExpiry({ days: keyDays });
  throw new PolicyRefused('key_days', message, { field: 'expires' });
}

/** Throws `PolicyRefused` if one of the existing builds must still be kept. */
export async function requireDeletable(
  tx: Connection,
  ownerId: string,
  /** When the newest of them was uploaded; null if there are none. */
  newestAt: number | null,
  now: number,
): Promise<void> {
  if (newestAt === null) return;
  const values = await policyQueries(tx).lockOfOwner(ownerId);
  if (values.retentionDays !== null && newestAt > now - values.retentionDays * dayMs)
    throw policyRefusal('retentionDays', values);
}
