/** Creates an account by sign-up or invitation. */

import { conflictingField, FormInvalid, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { checkName, emailKey, type User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { Quota } from '../../owners/quota.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { accountTexts } from '../account-texts.ts';
import type { Invitation } from '../invitations/invitation.ts';
import { joinByInvitation } from '../invitations/invite.ts';
import type { RefuseBreached } from '../passwords/breached-passwords.ts';
import { checkPassword, hashPassword } from '../passwords/password.ts';
import { emailChangeLifetimeMs } from './account-email.ts';
import { accountQueries } from './account-queries.ts';

export interface AccountRequest {
  name: string;
  password: string;
  /**
   * Takes effect when confirmed by email, even if another account has it, so that the response does not reveal whether an account
   * exists. An invitation sent to the address confirms it.
   */
  email: string | null;
  invitation: Invitation | null;
}

/**
 * Throws `FormInvalid` for a breached password, `invalid`, `conflict` for a taken name, `NotFound` for an invitation
 * that is no longer valid.
 */
export type RegisterAccount = (request: AccountRequest) => Promise<{ user: User; passwordHash: string }>;

export function createRegisterAccount(deps: {
  data: Data;
  now: () => number;
  canSendMail: boolean;
  signUpQuota: Quota | null;
  wakeOutbox: () => void;
  refuseBreached: RefuseBreached;
}): RegisterAccount {
  const { data, now } = deps;
  return async (request) => {
    const name = checkName('user', request.name);
    checkPassword(request.password, [name, request.email]);
    await deps.refuseBreached(request.password);
    const passwordHash = await hashPassword(request.password);
    const make = () =>
      data.transaction(async (tx) => {
        const createdAt = now();
        const proven = await findConfirmedEmail(tx, request);
        const email = proven ?? (await plainEmail(tx, request, deps.canSendMail));
        const user = await ownerQueries(tx).insertUser({
          name,
          email,
          emailConfirmed: proven !== null,
          passwordHash,
          administrator: false,
          createdAt,
        });
        await limitNewAccount(tx, user, { invitation: request.invitation, quota: deps.signUpQuota });
        const invitation = request.invitation?.id ?? null;
        const entry = { at: createdAt, action: 'user.made', ownerId: user.id, subject: name };
        await auditQueries(tx).record({ ...entry, actor: 'sign-up', details: { invitation } });
        if (request.invitation && !(await joinByInvitation(tx, request.invitation, user, createdAt))) {
          throw new NotFound(accountTexts.invitation.goneTitle);
        }
        if (request.email !== null && proven === null && deps.canSendMail) {
          const accountEmail = { about: 'email-change', userId: user.id, email: request.email } as const;
          const until = createdAt + emailChangeLifetimeMs;
          await outboxQueries(tx).add(
            user.id,
            { kind: 'send-account-email', accountEmail, until },
            createdAt,
          );
        }
        return user;
      });
    const user = await data.refuseDuplicate(make, () => conflictingField('name', accountTexts.signUp.taken));
    deps.wakeOutbox();
    return { user, passwordHash };
  };
}

/**
 * Returns the address for a server without email, where nobody can confirm one. An invited person may set it, as in the profile,
 * which refuses an address in use; in open sign-up, that refusal would reveal to anyone which addresses have an account.
 */
async function plainEmail(
  tx: Connection,
  { email, invitation }: AccountRequest,
  canSendMail: boolean,
): Promise<string | null> {
  if (email === null || invitation === null || canSendMail) return null;
  if (await accountQueries(tx).isEmailTaken(email))
    throw new FormInvalid({ email: [accountTexts.profile.unusable] });
  return email;
}

/**
 * In open sign-up, new accounts get the limits from the settings. So do people invited by other users, who could otherwise bypass
 * the limits by inviting themselves. People invited by administrators have no limits.
 */
export async function limitNewAccount(
  tx: Connection,
  user: User,
  account: { invitation: Invitation | null; quota: Quota | null },
): Promise<void> {
  const byAdministrator = account.invitation !== null && account.invitation.into === null;
  if (account.quota !== null && !byAdministrator) await quotaQueries(tx).set(user.id, account.quota);
}

async function findConfirmedEmail(
  tx: Connection,
  { email, invitation }: AccountRequest,
): Promise<string | null> {
  if (email === null || emailKey(invitation?.email ?? '') !== emailKey(email)) return null;
  return (await accountQueries(tx).isEmailTaken(email)) ? null : email;
}
