/** How second factors come and go. Each change is in the audit log and in an email to the person. */

import { createSeal } from '../../core/encrypted-text.ts';
import { conflict, invalid, NotFound } from '../../core/errors.ts';
import type { ServerSecret } from '../../core/signature.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { NoticeKind } from '../../jobs/outbox.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { User } from '../../owners/owner.ts';
import { maxPasskeysOfUser, type Passkey } from '../passkeys/passkey.ts';
import { tellPerson } from '../profile/notice.ts';
import { sessionQueries } from '../sessions/session-queries.ts';
import { hashRecoveryCode, newRecoveryCodes, readRecoveryCode } from './recovery-code.ts';
import { createTotpSeal, factorsOf } from './second-factor.ts';
import { secondFactorQueries } from './second-factor-queries.ts';
import { securityTexts } from './security-texts.ts';
import { newTotpSecret, readTotpCode, stepOfCode } from './totp.ts';

interface Change {
  user: User;
  /** `hashSessionToken` of the session in which it is done, which goes on when others end. */
  keep: string;
}

/** The ten codes, when they were made just now, to be shown once; null when there are some already. */
export type NewCodes = readonly string[] | null;

/** Taking a factor away ends all other sessions of the person, and so does the first one. */
export interface SecondFactorChanges {
  /** A secret that is not in force yet. `pending`: the same for the form, to be read here alone. */
  newApp(userId: string, boundTo: string): { secret: Uint8Array; pending: string };
  /** Throws `invalid` for what `newApp` did not make for that person and session. */
  pendingApp(userId: string, boundTo: string, pending: string): Uint8Array;
  /** `wrong` when the code is. Throws `conflict` when there is an app already. */
  switchOnApp(change: Change & { secret: Uint8Array; code: string }): Promise<{ codes: NewCodes } | 'wrong'>;
  /** Throws `not_found`. */
  switchOffApp(change: Change): Promise<void>;
  createRecoveryCodes(user: User): Promise<readonly string[]>;
  /** Throws `conflict` when there are too many or this one is known. */
  addPasskey(
    change: Change & {
      passkey: Pick<Passkey, 'credentialId' | 'publicKey' | 'signatureCount' | 'transports'>;
      name: string;
    },
  ): Promise<{ codes: NewCodes }>;
  /** Throws `not_found`. */
  renamePasskey(user: User, id: string, name: string): Promise<void>;
  /** Throws `not_found`. */
  removePasskey(change: Change & { id: string }): Promise<void>;
}

interface Parts {
  data: Data;
  secret: ServerSecret;
  now: () => number;
  wakeOutbox: () => void;
}

const words = securityTexts;

export function createSecondFactorChanges(parts: Parts): SecondFactorChanges {
  const { data, now } = parts;
  const seal = createTotpSeal(parts.secret);
  const unconfirmed = createSeal(parts.secret, 'totp secret to be confirmed');
  return {
    newApp: (userId, boundTo) => {
      const secret = newTotpSecret();
      return { secret, pending: unconfirmed.close(secret, `${userId} ${boundTo}`) };
    },
    pendingApp: (userId, boundTo, pending) => {
      const secret = unconfirmed.open(pending, `${userId} ${boundTo}`);
      if (!secret) throw invalid(words.app.late);
      return secret;
    },
    switchOnApp: async ({ user, keep, secret, code }) => {
      const step = stepOfCode(secret, readTotpCode(code) ?? '', now());
      if (step === null) return 'wrong';
      return addFactor(parts, { user, keep }, 'app-on', async (inside) => {
        const sealed = seal.close(secret, user.id);
        if (!(await secondFactorQueries(inside).insertTotp(user.id, sealed, step)))
          throw conflict(words.app.alreadyOn);
        return { action: 'second-factor.on' };
      });
    },
    switchOffApp: (change) =>
      takeFactor(parts, change, 'app-off', async (inside) => {
        if (!(await secondFactorQueries(inside).deleteTotp(change.user.id)))
          throw new NotFound('there is no app to switch off');
        return { action: 'second-factor.off' };
      }),
    createRecoveryCodes: (user) => remakeCodes(parts, user),
    addPasskey: ({ user, keep, passkey, name }) => {
      const add = async (inside: Connection) => {
        if ((await factorsOf(inside, user.id)).passkeys >= maxPasskeysOfUser)
          throw conflict(words.passkeys.full(maxPasskeysOfUser));
        const row = { ...passkey, userId: user.id, name };
        await secondFactorQueries(inside).insertPasskey(row, now());
        return { action: 'passkey.added', details: { passkey: row.name } };
      };
      return data.refuseDuplicate(
        () => addFactor(parts, { user, keep }, 'passkey-added', add),
        () => conflict(words.passkeys.known),
      );
    },
    renamePasskey: async (user, id, name) => {
      if (!(await secondFactorQueries(data).renamePasskey(user.id, id, name))) throw noPasskey();
    },
    removePasskey: ({ id, ...change }) =>
      takeFactor(parts, change, 'passkey-removed', async (inside) => {
        const name = await secondFactorQueries(inside).deletePasskey(change.user.id, id);
        if (name === null) throw noPasskey();
        return { action: 'passkey.removed', details: { passkey: name } };
      }),
  };
}

const noPasskey = () => new NotFound('there is no such passkey');

type Action = (inside: Connection) => Promise<{ action: string; details?: Record<string, unknown> }>;

async function addFactor(
  parts: Parts,
  { user, keep }: Change,
  notice: NoticeKind,
  add: Action,
): Promise<{ codes: NewCodes }> {
  const codes = await parts.data.transaction(async (inside) => {
    await secondFactorQueries(inside).holdFactors(user.id);
    const before = await factorsOf(inside, user.id);
    const done = await add(inside);
    const made = before.recoveryCodes === 0 ? await replaceCodes(inside, user.id) : null;
    const sessions = before.any ? 0 : await sessionQueries(inside).deleteSessionsOf(user.id, keep);
    await tell(parts, inside, user, notice, { ...done, details: { ...done.details, sessions } });
    return made;
  });
  parts.wakeOutbox();
  return { codes };
}

/** The codes on paper go with the last factor: they stand in for one. */
async function takeFactor(
  parts: Parts,
  { user, keep }: Change,
  notice: NoticeKind,
  take: Action,
): Promise<void> {
  await parts.data.transaction(async (inside) => {
    await secondFactorQueries(inside).holdFactors(user.id);
    const done = await take(inside);
    if (!(await factorsOf(inside, user.id)).any)
      await secondFactorQueries(inside).replaceRecoveryCodes(user.id, []);
    const sessions = await sessionQueries(inside).deleteSessionsOf(user.id, keep);
    await tell(parts, inside, user, notice, { ...done, details: { ...done.details, sessions } });
  });
  parts.wakeOutbox();
}

async function remakeCodes(parts: Parts, user: User): Promise<readonly string[]> {
  const codes = await parts.data.transaction(async (inside) => {
    await secondFactorQueries(inside).holdFactors(user.id);
    if (!(await factorsOf(inside, user.id)).any) throw conflict(words.codes.after);
    const made = await replaceCodes(inside, user.id);
    await tell(parts, inside, user, 'recovery-codes-made', { action: 'recovery-codes.made' });
    return made;
  });
  parts.wakeOutbox();
  return codes;
}

async function replaceCodes(inside: Connection, userId: string): Promise<readonly string[]> {
  const codes = newRecoveryCodes();
  const hashes = codes.map((code) => hashRecoveryCode(userId, readRecoveryCode(code) ?? ''));
  await secondFactorQueries(inside).replaceRecoveryCodes(userId, hashes);
  return codes;
}

async function tell(
  { now }: Parts,
  inside: Connection,
  user: User,
  notice: NoticeKind,
  done: Awaited<ReturnType<Action>>,
): Promise<void> {
  const at = now();
  const actor = { kind: 'user', user } as const;
  await auditQueries(inside).record({ at, actor, ownerId: user.id, subject: user.name, ...done });
  await tellPerson(inside, notice, { userId: user.id, at });
}
