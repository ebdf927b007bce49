/** Adds and removes second factors. Each change is recorded in the audit log and emailed to the person. */
import { createEncryption } from '../../core/encrypted-text.ts';
import { conflict, invalid, NotFound } from '../../core/errors.ts';
import type { ServerSecret } from '../../core/signature.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { NoticeKind } from '../../jobs/outbox.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { User } from '../../owners/owner.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import { endAccess } from '../access/end-access.ts';
import { maxPasskeysOfUser, type Passkey } from '../passkeys/passkey.ts';
import { notifyPerson } from '../profile/notice.ts';
import { requireSession } from '../sessions/require-session.ts';
import { hashRecoveryCode, newRecoveryCodes, readRecoveryCode } from './recovery-code.ts';
import { createTotpEncryption, factorsOf } from './second-factor.ts';
import { secondFactorQueries } from './second-factor-queries.ts';
import { securityTexts } from './security-texts.ts';
import { newTotpSecret, readTotpCode, stepOfCode } from './totp.ts';

interface Change {
  user: User;
  /** `hashSessionToken` of the current session, which survives when others end. */
  keep: string;
}

/** New recovery codes, to be shown once; null if the person already has some. */
export type NewCodes = readonly string[] | null;

/** Removing a factor, or adding the first one, ends all other sessions of the person. */
export interface SecondFactorChanges {
  /** Creates a secret that is not active yet. `pending`: the secret, encrypted, for the form. */
  newApp(userId: string, boundTo: string): { secret: Uint8Array; pending: string };
  /** Throws `invalid` unless `newApp` created it for that person and session. */
  pendingApp(userId: string, boundTo: string, pending: string): Uint8Array;
  /** Returns `wrong` for a wrong code. Throws `conflict` if there already is an app. */
  enableApp(change: Change & { secret: Uint8Array; code: string }): Promise<{ codes: NewCodes } | 'wrong'>;
  /** Throws `NotFound`. */
  disableApp(change: Change): Promise<void>;
  createRecoveryCodes(change: Change): Promise<readonly string[]>;
  /** Throws `conflict` if there are too many passkeys or this one is already registered. */
  addPasskey(
    change: Change & {
      passkey: Pick<Passkey, 'credentialId' | 'publicKey' | 'signatureCount' | 'transports'>;
      name: string;
    },
  ): Promise<{ codes: NewCodes }>;
  /** Throws `NotFound`. */
  renamePasskey(user: User, id: string, name: string): Promise<void>;
  /** Throws `NotFound`. */
  removePasskey(change: Change & { id: string }): Promise<void>;
}

interface Parts {
  data: Data;
  secret: ServerSecret;
  now: () => number;
  wakeOutbox: () => void;
}

const t = securityTexts;

export function createSecondFactorChanges(deps: Parts): SecondFactorChanges {
  const { data, now } = deps;
  const encryption = createTotpEncryption(deps.secret);
  const unconfirmed = createEncryption(deps.secret, 'totp secret to be confirmed');
  return {
    newApp: (userId, boundTo) => {
      const secret = newTotpSecret();
      return { secret, pending: unconfirmed.encrypt(secret, `${userId} ${boundTo}`) };
    },
    pendingApp: (userId, boundTo, pending) => {
      const secret = unconfirmed.decrypt(pending, `${userId} ${boundTo}`);
      if (!secret) throw invalid(t.app.late);
      return secret;
    },
    enableApp: async ({ user, keep, secret, code }) => {
      const step = stepOfCode(secret, readTotpCode(code) ?? '', now());
      if (step === null) return 'wrong';
      return addFactor(deps, { user, keep }, 'app-on', async (tx) => {
        const encrypted = encryption.encrypt(secret, user.id);
        if (!(await secondFactorQueries(tx).insertTotp(user.id, encrypted, step)))
          throw conflict(t.app.alreadyOn);
        return { action: 'second-factor.on' };
      });
    },
    disableApp: (change) =>
      removeFactor(deps, change, 'app-off', async (tx) => {
        if (!(await secondFactorQueries(tx).deleteTotp(change.user.id)))
          throw new NotFound(securityTexts.app.missing);
        return { action: 'second-factor.off' };
      }),
    createRecoveryCodes: (change) => recreateCodes(deps, change),
    addPasskey: ({ user, keep, passkey, name }) => {
      const add = async (tx: Connection) => {
        if ((await factorsOf(tx, user.id)).passkeys >= maxPasskeysOfUser)
          throw conflict(t.passkeys.full({ limit: maxPasskeysOfUser }));
        const row = { ...passkey, userId: user.id, name };
        await secondFactorQueries(tx).insertPasskey(row, now());
        return { action: 'passkey.added', details: { passkey: row.name } };
      };
      return data.refuseDuplicate(
        () => addFactor(deps, { user, keep }, 'passkey-added', add),
        () => conflict(t.passkeys.known),
      );
    },
    renamePasskey: async (user, id, name) => {
      await data.transaction(async (tx) => {
        if (!(await secondFactorQueries(tx).renamePasskey(user.id, id, name))) throw noPasskey();
        const entry = { at: now(), actor: { kind: 'user', user }, action: 'passkey.renamed' } as const;
        await auditQueries(tx).record({
          ...entry,
          ownerId: user.id,
          subject: user.name,
          details: { passkey: name },
        });
      });
    },
    removePasskey: ({ id, ...change }) =>
      removeFactor(deps, change, 'passkey-removed', async (tx) => {
        const name = await secondFactorQueries(tx).deletePasskey(change.user.id, id);
        if (name === null) throw noPasskey();
        return { action: 'passkey.removed', details: { passkey: name } };
      }),
  };
}

const noPasskey = () => new NotFound(securityTexts.passkeys.missing);

/** Locks the account. Throws `unauthenticated` if the session has ended since the request began. */
async function lockSignedInAccount({ now }: Parts, tx: Connection, { user, keep }: Change): Promise<void> {
  await accountStateQueries(tx).lock(user.id);
  await requireSession(tx, keep, now());
}

type Action = (tx: Connection) => Promise<{ action: string; details?: Record<string, unknown> }>;

async function addFactor(
  deps: Parts,
  { user, keep }: Change,
  notice: NoticeKind,
  add: Action,
): Promise<{ codes: NewCodes }> {
  const codes = await deps.data.transaction(async (tx) => {
    await lockSignedInAccount(deps, tx, { user, keep });
    const before = await factorsOf(tx, user.id);
    const done = await add(tx);
    const made = before.recoveryCodes === 0 ? await replaceCodes(tx, user.id) : null;
    let sessions = 0;
    if (before.any) await accountStateQueries(tx).beginEpoch(user.id);
    else ({ sessions } = await endAccess(tx, user.id, { sessions: { except: keep }, at: deps.now() }));
    await tell(deps, tx, user, notice, { ...done, details: { ...done.details, sessions } });
    return made;
  });
  deps.wakeOutbox();
  return { codes };
}

/** Removing the last factor also deletes the recovery codes, because they would replace nothing. */
async function removeFactor(
  deps: Parts,
  { user, keep }: Change,
  notice: NoticeKind,
  take: Action,
): Promise<void> {
  await deps.data.transaction(async (tx) => {
    await lockSignedInAccount(deps, tx, { user, keep });
    const done = await take(tx);
    if (!(await factorsOf(tx, user.id)).any) await secondFactorQueries(tx).replaceRecoveryCodes(user.id, []);
    const { sessions } = await endAccess(tx, user.id, { sessions: { except: keep }, at: deps.now() });
    await tell(deps, tx, user, notice, { ...done, details: { ...done.details, sessions } });
  });
  deps.wakeOutbox();
}

async function recreateCodes(deps: Parts, change: Change): Promise<readonly string[]> {
  const { user } = change;
  const codes = await deps.data.transaction(async (tx) => {
    await lockSignedInAccount(deps, tx, change);
    if (!(await factorsOf(tx, user.id)).any) throw conflict(t.codes.after);
    const made = await replaceCodes(tx, user.id);
    await tell(deps, tx, user, 'recovery-codes-made', { action: 'recovery-codes.made' });
    return made;
  });
  deps.wakeOutbox();
  return codes;
}

async function replaceCodes(tx: Connection, userId: string): Promise<readonly string[]> {
  const codes = newRecoveryCodes();
  const hashes = codes.map((code) => hashRecoveryCode(userId, readRecoveryCode(code) ?? ''));
  await secondFactorQueries(tx).replaceRecoveryCodes(userId, hashes);
  return codes;
}

async function tell(
  { now }: Parts,
  tx: Connection,
  user: User,
  notice: NoticeKind,
  done: Awaited<ReturnType<Action>>,
): Promise<void> {
  const at = now();
  const actor = { kind: 'user', user } as const;
  await auditQueries(tx).record({ at, actor, ownerId: user.id, subject: user.name, ...done });
  await notifyPerson(tx, notice, { userId: user.id, at });
}
