/** Somebody makes an account: by signing up, or with an invitation. */
import { conflict, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { checkName, type User } from '../../owners/owner.ts';
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
   * Becomes the account's own once it is proven: by an email, whoever else has it, so that nobody learns from the answer
   * whether somebody has. An invitation that was mailed there is such an email.
   */
  email: string | null;
  invitation: Invitation | null;
}

/** Throws `FormRefused` for a breached password, `invalid`, `conflict` for a name that is taken, `not_found` for an invitation that is no longer valid. */
export type MakeAccount = (request: AccountRequest) => Promise<User>;

export function createMakeAccount(parts: {
  data: Data;
  now: () => number;
  canSendMail: boolean;
  signUpQuota: Quota | null;
  wakeOutbox: () => void;
  refuseBreached: RefuseBreached;
}): MakeAccount {
  const { data, now } = parts;
  return async (request) => {
    const name = checkName('user', request.name);
    checkPassword(request.password, [name, request.email]);
    await parts.refuseBreached(request.password);
    const passwordHash = await hashPassword(request.password);
    const make = () =>
      data.transaction(async (inside) => {
        const createdAt = now();
        const proven = await provenEmail(inside, request);
        const user = await ownerQueries(inside).insertUser({
          ...{ name, email: proven, emailConfirmed: proven !== null },
          ...{ passwordHash, administrator: false, createdAt },
        });
        await limitNewAccount(inside, user, { invitation: request.invitation, quota: parts.signUpQuota });
        const invitation = request.invitation?.id ?? null;
        const entry = { at: createdAt, action: 'user.made', ownerId: user.id, subject: name };
        await auditQueries(inside).record({ ...entry, actor: 'sign-up', details: { invitation } });
        if (request.invitation && !(await joinByInvitation(inside, request.invitation, user, createdAt))) {
          throw new NotFound(accountTexts.invitation.goneTitle);
        }
        if (request.email !== null && proven === null && parts.canSendMail) {
          const letter = { about: 'email-change', userId: user.id, email: request.email } as const;
          const until = createdAt + emailChangeLifetimeMs;
          await outboxQueries(inside).add({ kind: 'send-letter', letter, until }, createdAt);
        }
        return user;
      });
    const user = await data.refuseDuplicate(make, () => conflict(accountTexts.signUp.taken));
    parts.wakeOutbox();
    return user;
  };
}

/**
 * With open sign-up, each new account gets the limits from the settings. So does someone another user invites, or people could
 * bypass the limits by inviting themselves; only administrators invite without limits.
 */
export async function limitNewAccount(
  inside: Connection,
  user: User,
  account: { invitation: Invitation | null; quota: Quota | null },
): Promise<void> {
  const byAdministrator = account.invitation !== null && account.invitation.into === null;
  if (account.quota !== null && !byAdministrator) await quotaQueries(inside).set(user.id, account.quota);
}

async function provenEmail(
  inside: Connection,
  { email, invitation }: AccountRequest,
): Promise<string | null> {
  if (email === null || invitation?.email?.toLowerCase() !== email.toLowerCase()) return null;
  return (await accountQueries(inside).isEmailTaken(email)) ? null : email;
}
