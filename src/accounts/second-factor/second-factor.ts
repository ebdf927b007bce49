/** Verifies second factors: codes of an authenticator app, passkeys and recovery codes. */
import { createEncryption } from '../../core/encrypted-text.ts';
import { invalid } from '../../core/errors.ts';
import type { ServerSecret } from '../../core/signature.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { AttemptLimit } from '../../limits/attempts.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { stampOf } from '../access/account-state.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import type { Passkey } from '../passkeys/passkey.ts';
import { notifyPerson } from '../profile/notice.ts';
import type { CountGuess, GuessLimits, GuessOrigin, GuessTarget } from '../sign-in/attempt-limits.ts';
import { hashRecoveryCode, readRecoveryCode } from './recovery-code.ts';
import { secondFactorQueries } from './second-factor-queries.ts';
import { securityTexts } from './security-texts.ts';
import { readTotpCode, stepOfCode } from './totp.ts';

/** The second factors of a person. */
export interface Factors {
  app: boolean;
  passkeys: number;
  recoveryCodes: number;
  /** Whether the password alone is not enough. */
  any: boolean;
}

export interface SecondFactors {
  of(userId: string): Promise<Factors>;
  /** Verifies and uses up a code of the app, across all nodes. Throws `TooManyRequests`. */
  takeCode(user: { id: string }, submitted: string, from: GuessOrigin): Promise<boolean>;
  /** Throws `TooManyRequests`. */
  takeRecoveryCode(user: { id: string }, submitted: string, from: GuessOrigin): Promise<boolean>;
  /** Records the use of a passkey. Throws `invalid` if its counter has not grown, which suggests a clone. */
  usePasskey(passkey: Passkey, signatureCount: number): Promise<void>;
}

interface Parts {
  data: Data;
  countGuess: CountGuess;
  secret: ServerSecret;
  now: () => number;
  wakeOutbox: () => void;
}

const t = securityTexts;
const guesses = {
  limit: 10,
  windowMs: 15 * 60_000,
  refusal: 'codes',
} as const;
const perDay = (limit: number): AttemptLimit => ({
  limit,
  windowMs: 24 * 60 * 60_000,
  refusal: 'codes',
});
/** Three of a million codes are valid at any time, so guessing one takes years within these daily limits. */
const fromOnePlace = [guesses, perDay(50)] as const;
/** Half of the account's attempts are reserved for its owner, in case an attacker who knows the password uses up theirs. */
const perAccount = { elsewhere: perDay(50), account: perDay(100) };
const codeLimits: GuessLimits = { name: 'code', known: fromOnePlace, network: fromOnePlace, ...perAccount };
/**
 * 80 bits are too many to guess, so a new password may reset these limits: an attacker who knew the old one may have used them
 * up.
 */
const recoveryCodeLimits: GuessLimits = {
  name: 'recovery code',
  known: [guesses],
  network: [guesses],
  ...perAccount,
};

export function createSecondFactors(deps: Parts): SecondFactors {
  const { data, now } = deps;
  const encryption = createTotpEncryption(deps.secret);
  return {
    of: (userId) => factorsOf(data, userId),
    takeCode: (user, submitted, from) =>
      guarded(deps, codeLimits, { name: user.id, userId: user.id }, from, async () => {
        const code = readTotpCode(submitted);
        const encrypted = (await secondFactorQueries(data).findFactors(user.id))?.encryptedTotp;
        const secret = encrypted ? encryption.decrypt(encrypted, user.id) : null;
        if (code === null || !encrypted || !secret) return false;
        const step = stepOfCode(secret, code, now());
        return step !== null && secondFactorQueries(data).takeTotpStep(user.id, encrypted, step);
      }),
    takeRecoveryCode: async (user, submitted, from) => {
      const state = await accountStateQueries(data).find(user.id);
      const target = { name: `${user.id} ${state && stampOf(state)}`, userId: user.id };
      return guarded(deps, recoveryCodeLimits, target, from, async () => {
        const code = readRecoveryCode(submitted);
        return code !== null && useRecoveryCode(deps, user, code);
      });
    },
    usePasskey: async (passkey, signatureCount) => {
      if (await secondFactorQueries(data).usePasskey(passkey.id, signatureCount, now())) return;
      const user = await ownerQueries(data).findOwnerById(passkey.userId);
      if (user?.kind === 'user') {
        const actor = { kind: 'user', user } as const;
        const entry = { at: now(), actor, action: 'passkey.refused', ownerId: user.id, subject: user.name };
        await auditQueries(data).record({ ...entry, details: { passkey: passkey.name, signatureCount } });
      }
      throw invalid(t.passkeys.copied);
    },
  };
}

/** Encrypts the secret of an app for the database, bound to its person. */
export function createTotpEncryption(secret: ServerSecret) {
  return createEncryption(secret, 'totp secret');
}

export async function factorsOf(data: Connection, userId: string): Promise<Factors> {
  const found = await secondFactorQueries(data).findFactors(userId);
  const { encryptedTotp, passkeys, recoveryCodes } = found ?? {
    encryptedTotp: null,
    passkeys: 0,
    recoveryCodes: 0,
  };
  const app = encryptedTotp !== null;
  return { app, passkeys, recoveryCodes, any: app || passkeys > 0 };
}

async function guarded(
  { countGuess }: Parts,
  limits: GuessLimits,
  target: GuessTarget,
  from: GuessOrigin,
  isRight: () => Promise<boolean>,
): Promise<boolean> {
  const right = await countGuess(limits, target, from);
  if (!(await isRight())) return false;
  await right();
  return true;
}

async function useRecoveryCode(
  { data, now, wakeOutbox }: Parts,
  person: { id: string },
  code: string,
): Promise<boolean> {
  const user = await ownerQueries(data).findOwnerById(person.id);
  if (user?.kind !== 'user') return false;
  const used = await data.transaction(async (tx) => {
    const at = now();
    const hash = hashRecoveryCode(user.id, code);
    if (!(await secondFactorQueries(tx).takeRecoveryCode(user.id, hash))) return false;
    const { recoveryCodes } = await factorsOf(tx, user.id);
    const actor = { kind: 'user', user } as const;
    const entry = { at, actor, action: 'recovery-code.used', ownerId: user.id, subject: user.name };
    await auditQueries(tx).record({ ...entry, details: { left: recoveryCodes } });
    await notifyPerson(tx, 'recovery-code-used', { userId: user.id, at });
    return true;
  });
  if (used) wakeOutbox();
  return used;
}
