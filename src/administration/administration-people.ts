/** Actions of administrators on accounts. The person is notified by email. */

import { accountStateQueries } from '../accounts/access/account-state-queries.ts';
import { disableAccount, endAccess } from '../accounts/access/end-access.ts';
import { requireKey, revokeKey } from '../accounts/keys/key-changes.ts';
import { createPasswordResetToken, passwordResetLifetimeMs } from '../accounts/profile/account-email.ts';
import { notifyPerson } from '../accounts/profile/notice.ts';
import { resetFactorsInTransaction } from '../accounts/second-factor/reset-factors.ts';
import { factorsOf } from '../accounts/second-factor/second-factor.ts';
import { conflict, NotFound } from '../core/errors.ts';
import type { Connection, Data } from '../db/data.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import type { Actor } from '../owners/actor.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import type { User } from '../owners/owner.ts';
import { ownerDeletionQueries } from '../projects/deletion/owner-deletion-queries.ts';
import { administrationQueries } from './administration-queries.ts';
import { administrationTexts } from './administration-texts.ts';

type By = Extract<Actor, { kind: 'user' }>;

/**
 * Each throws `not_found` if a person no longer exists or `by` is no longer an administrator, and `conflict` if the action is not
 * possible.
 */
export interface PeopleChanges {
  /** Never removes the last administrator with an enabled account. Returns whether anything changed. */
  setAdministrator(by: By, user: User, administrator: boolean): Promise<boolean>;
  /** Ends all sessions and disables keys; uploads stay. Returns whether anything changed. */
  disable(by: By, user: User): Promise<boolean>;
  enable(by: By, user: User): Promise<boolean>;
  /** Returns the number of ended sessions. */
  endSessions(by: By, user: User): Promise<number>;
  /** Returns whether that key was active. */
  revokeKey(by: By, user: User, keyId: string): Promise<boolean>;
  /** Removes every second factor and ends all sessions. Returns whether there was a factor. */
  resetFactors(by: By, user: User): Promise<boolean>;
  /**
   * Returns the token of a password reset link, which works once within an hour; earlier links become invalid. Refused for `by`
   * themself.
   */
  createResetLink(by: By, user: User): Promise<string>;
  /** Sends the same link by email. */
  sendResetLink(by: By, user: User): Promise<void>;
}

interface ChangeDeps {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox contains jobs. */
  wakeOutbox: () => void;
}

const t = administrationTexts.person.refusals;
const gone = () => new NotFound();

export function createPeopleChanges(deps: ChangeDeps): PeopleChanges {
  const { data, now } = deps;
  /** Locks every administrator and the account, in the same order for all callers. */
  const change = async <Result>(
    by: By,
    user: User,
    work: (tx: Connection, held: Held, at: number) => Promise<Result>,
  ): Promise<Result> => {
    const result = await data.transaction(async (tx) => {
      const administrators = await ownerDeletionQueries(tx).lockAdministrators();
      const account = await administrationQueries(tx).lockAccount(user.id);
      // If two administrators remove each other, the second one fails here.
      if (!account || !administrators.includes(by.user.id)) throw gone();
      return work(tx, { ...account, administrators }, now());
    });
    deps.wakeOutbox();
    return result;
  };
  const record = (tx: Connection, at: number, action: Action) =>
    auditQueries(tx).record({
      at,
      actor: action.by,
      action: action.action,
      ownerId: action.user.id,
      subject: action.user.name,
      details: action.details ?? {},
    });

  return {
    setAdministrator: (by, user, administrator) =>
      change(by, user, async (tx, held, at) => {
        if (held.administrator === administrator) return false;
        if (!administrator) refuseLast(held, user);
        await administrationQueries(tx).setAdministrator(user.id, administrator);
        const action = administrator ? 'administrator.made' : 'administrator.unmade';
        await record(tx, at, { by, user, action });
        const notice = administrator ? 'administrator-granted' : 'administrator-removed';
        await notifyPerson(tx, notice, { userId: user.id, at });
        return true;
      }),
    disable: (by, user) =>
      change(by, user, async (tx, held, at) => {
        if (user.id === by.user.id) throw conflict(t.self);
        if (held.disabled) return false;
        refuseLast(held, user);
        const { sessions } = await disableAccount(tx, user.id, { at });
        await record(tx, at, { by, user, action: 'account.disabled', details: { sessions } });
        return true;
      }),
    enable: (by, user) =>
      change(by, user, async (tx, held, at) => {
        if (!held.disabled) return false;
        await accountStateQueries(tx).setDisabled(user.id, null);
        await record(tx, at, { by, user, action: 'account.enabled' });
        await notifyPerson(tx, 'account-enabled', { userId: user.id, at });
        return true;
      }),
    endSessions: (by, user) =>
      change(by, user, async (tx, _held, at) => {
        const { sessions } = await endAccess(tx, user.id, { sessions: 'all', at });
        if (sessions > 0) await record(tx, at, { by, user, action: 'sessions.ended', details: { sessions } });
        return sessions;
      }),
    revokeKey: (by, user, keyId) =>
      change(by, user, async (tx, _held, at) => {
        await requireKey(tx, user, keyId);
        return (await revokeKey(tx, { ownerId: user.id, keyId, by, at })) !== null;
      }),
    resetFactors: (by, user) =>
      change(by, user, async (tx, _held, at) => {
        if (user.id === by.user.id) throw conflict(t.ownFactors);
        const { any } = await factorsOf(tx, user.id);
        if (any) await resetFactorsInTransaction(tx, user, by, at);
        return any;
      }),
    createResetLink: (by, user) =>
      change(by, user, async (tx, held, at) => {
        refuseOwnReset(by, user);
        if (held.disabled) throw conflict(t.disabled);
        const token = await createPasswordResetToken(tx, user.id, at);
        await record(tx, at, { by, user, action: 'password.link-made' });
        await notifyPerson(tx, 'reset-link-created', { userId: user.id, at });
        return token;
      }),
    sendResetLink: (by, user) =>
      change(by, user, async (tx, held, at) => {
        refuseOwnReset(by, user);
        if (held.disabled) throw conflict(t.disabled);
        if (user.email === null) throw conflict(t.noAddress);
        const accountEmail = { about: 'password-reset', login: user.email } as const;
        const job = {
          kind: 'send-account-email',
          accountEmail,
          until: at + passwordResetLifetimeMs,
        } as const;
        await outboxQueries(tx).add(user.id, job, at);
        await record(tx, at, { by, user, action: 'password.email-sent' });
      }),
  };
}

interface Held {
  administrator: boolean;
  disabled: boolean;
  /** Ids of administrators with enabled accounts. */
  administrators: readonly string[];
}

interface Action {
  by: By;
  user: User;
  action: string;
  details?: Record<string, unknown>;
}

/** A stolen session must not become a way to set the password. */
function refuseOwnReset(by: By, user: User): void {
  if (user.id === by.user.id) throw conflict(t.ownReset);
}

function refuseLast({ administrators }: Held, user: User): void {
  if (administrators.length === 1 && administrators[0] === user.id) throw conflict(t.lastAdministrator);
}
