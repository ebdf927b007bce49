/** Creates, approves and redeems device codes. A code becomes an ordinary API key of the person who approved it. */
import { NotFound, TooManyRequests } from '../../core/errors.ts';
import type { KeyScope } from '../../core/key-scope.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { UserActor } from '../../owners/actor.ts';
import { requireSessionForKeys } from '../../owners/gate/workspace-refusal.ts';
import type { User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import { availableScopes, type IssueKey } from '../keys/issue-key.ts';
import { requireSession } from '../sessions/require-session.ts';
import { hashSessionToken } from '../sessions/session.ts';
import {
  type DeviceCode,
  deviceCodeLifetimeMs,
  hashDeviceSecret,
  hashUserCode,
  makeRoom,
  maxClientLength,
  maxPendingDeviceCodes,
  newUserCode,
  pollIntervalSeconds,
  readUserCode,
} from './device-code.ts';
import { deviceCodeQueries } from './device-code-queries.ts';

export interface AskingProgram {
  client: string;
  network: string;
  scopes: readonly KeyScope[];
  /** Derives the secret that only the program knows, and authenticates with. */
  secretOf(userCode: string): string;
}

/** `slow down`: the program polls more often than it was told to. */
export type PollResult =
  | { kind: 'pending' | 'slow down' | 'denied' | 'unknown' }
  | { kind: 'approved'; key: string; user: User; scopes: readonly KeyScope[]; expiresAt: number | null };

export interface DeviceCodes {
  /**
   * Returns the code for the person to enter. If too many are pending, deletes the oldest ones that no person has looked at;
   * throws `TooManyRequests` if there are none.
   */
  create(program: AskingProgram): Promise<string>;
  /** For a person who has already approved the program, in the browser that it opened. */
  createApproved(program: AskingProgram, by: Approver, days: number): Promise<void>;
  /** The pending code; null if there is none. */
  find(userCode: string): Promise<DeviceCode | null>;
  /** Like `find`, but records that a person has looked at the code. */
  view(userCode: string): Promise<DeviceCode | null>;
  /** Each returns whether the code was pending. */
  approve(by: Approver, userCode: string, days: number): Promise<boolean>;
  deny(userCode: string): Promise<boolean>;
  /** Answers the polling program. Issues the key of an approved code, once. */
  poll(secret: string): Promise<PollResult>;
}

/** A signed-in person. */
export interface Approver {
  actor: UserActor;
  sessionToken: string;
}

const dayMs = 24 * 60 * 60_000;
/** Networks delay requests, so a program that keeps the interval may still arrive slightly early. */
const pollToleranceMs = 1000;

export function createDeviceCodes(deps: { data: Data; issueKey: IssueKey; now: () => number }): DeviceCodes {
  const { data, now } = deps;
  const queries = deviceCodeQueries(data);
  const newCode = (
    program: AskingProgram,
    rest: Pick<DeviceCode, 'state' | 'userId' | 'keyDays' | 'signOns'>,
    userCode: string | null,
  ) => {
    const createdAt = now();
    return {
      client: cleanClient(program.client),
      network: program.network,
      scopes: program.scopes,
      secretHash: hashDeviceSecret(program.secretOf(userCode ?? '')),
      userCodeHash: userCode && hashUserCode(userCode),
      createdAt,
      expiresAt: createdAt + deviceCodeLifetimeMs,
      ...rest,
    };
  };
  /** The approval outlives the session, so it must not happen after the account's access was ended. */
  const asApprover = <Result>({ actor, sessionToken }: Approver, work: (tx: Connection) => Promise<Result>) =>
    data.transaction(async (tx) => {
      await accountStateQueries(tx).lock(actor.user.id);
      await requireSession(tx, hashSessionToken(sessionToken), now());
      await requireSessionForKeys(tx, actor);
      return work(tx);
    });
  const find = async (text: string) => {
    const code = readUserCode(text);
    const found = code === null ? null : await queries.findByUserCode(hashUserCode(code), now());
    return found?.state === 'pending' ? found : null;
  };
  return {
    create: async (program) => {
      const code = newUserCode();
      const at = now();
      await queries.deleteExpired(at);
      const pending = await queries.listPending(at, maxPendingDeviceCodes.everyone + 1);
      const dropped = makeRoom(pending, program.network);
      if (!dropped) throw new TooManyRequests('openSignIns', 60);
      await queries.deletePending(dropped);
      await queries.insert(
        newCode(program, { state: 'pending', userId: null, keyDays: null, signOns: [] }, code),
      );
      return code;
    },
    createApproved: async (program, by, days) => {
      const approved = approvalOf(by, days);
      const code = newCode(program, approved, null);
      await queries.deleteExpired(code.createdAt);
      await asApprover(by, (tx) => deviceCodeQueries(tx).insert(code));
    },
    find,
    view: async (userCode) => {
      const code = await find(userCode);
      if (code) await queries.setViewed(code.id, now());
      return code;
    },
    approve: async (by, userCode, days) => {
      const code = await find(userCode);
      if (code === null) return false;
      const approved = approvalOf(by, days);
      return asApprover(by, (tx) => deviceCodeQueries(tx).change(code.id, 'pending', approved));
    },
    deny: async (userCode) => {
      const code = await find(userCode);
      return code !== null && queries.change(code.id, 'pending', { state: 'denied' });
    },
    poll: async (secret) => {
      const at = now();
      const code = await queries.findBySecret(hashDeviceSecret(secret), at);
      if (!code || code.state === 'redeemed') return { kind: 'unknown' };
      if (code.state === 'denied') return { kind: 'denied' };
      if (code.state === 'pending') {
        const isEarly =
          code.polledAt !== null && at - code.polledAt < pollIntervalSeconds * 1000 - pollToleranceMs;
        await queries.setPolled(code.id, at);
        return { kind: isEarly ? 'slow down' : 'pending' };
      }
      return redeem(deps, code, at);
    },
  };
}

const approvalOf = ({ actor: { user, gate } }: Approver, keyDays: number) =>
  ({ state: 'approved', userId: user.id, keyDays, signOns: gate?.signOns ?? [] }) as const;

async function redeem(
  { data, issueKey }: { data: Data; issueKey: IssueKey },
  code: DeviceCode,
  at: number,
): Promise<PollResult> {
  const user = await ownerQueries(data).findOwnerById(code.userId ?? '');
  if (user?.kind !== 'user') return { kind: 'denied' };
  const available = availableScopes(user);
  const gone = new NotFound();
  const issued = await issueKey({
    ownerName: user.name,
    ownerKind: 'user',
    name: code.client,
    expiresAt: at + (code.keyDays ?? 0) * dayMs,
    scopes: code.scopes.filter((scope) => available.includes(scope)),
    client: code.client,
    by: { kind: 'user', user },
    signOns: code.signOns,
    // Only one of two concurrent requests gets the key, and neither does once the account's access was ended.
    recheck: async (tx) => {
      const account = await accountStateQueries(tx).lock(user.id);
      if (!account || account.isDisabled) throw gone;
      if (!(await deviceCodeQueries(tx).change(code.id, 'approved', { state: 'redeemed' }))) throw gone;
    },
  }).catch((error: unknown) => {
    if (error === gone) return null;
    throw error;
  });
  if (!issued) return { kind: 'unknown' };
  const { key, record } = issued;
  return { kind: 'approved', key, user, scopes: record.scopes, expiresAt: record.expiresAt };
}

/** Returns one line without control characters or marks that change the direction of text. */
function cleanClient(text: string): string {
  const line = text
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return line.slice(0, maxClientLength).toWellFormed() || 'Terminal';
}
