/** Issues API keys. The key itself is returned once and never stored. */
import { conflictingField, invalid, NotFound } from '../../core/errors.ts';
import { type KeyScope, keyScopes } from '../../core/key-scope.ts';
import { checkNameText } from '../../core/name-text.ts';
import type { Connection, Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import type { NoticeKind } from '../../jobs/outbox.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import type { Actor, KeyRestriction } from '../../owners/actor.ts';
import { type AuditEntry, auditQueries } from '../../owners/audit-queries.ts';
import { workspaceGateQueries } from '../../owners/gate/workspace-gate-queries.ts';
import { requireSessionForKeys } from '../../owners/gate/workspace-refusal.ts';
import type { Owner } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { requireAllowedExpiry } from '../../owners/policies/enforce-policies.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import { notifyPerson } from '../profile/notice.ts';
import {
  type ApiKey,
  hashApiKey,
  hintOf,
  maxKeyLength,
  minimumChosenKeyLength,
  newApiKey,
} from './api-key.ts';
import { keyQueries } from './key-queries.ts';
import { keyTexts } from './key-texts.ts';

const t = keyTexts.errors;

export interface KeyRequest {
  ownerName: string;
  ownerKind: 'user' | 'project';
  name: string;
  expiresAt: number | null;
  /** Absent: all scopes available to the Owner. */
  scopes?: readonly KeyScope[];
  /** Absent or null: unrestricted. */
  restriction?: KeyRestriction | null;
  /** A key chosen by the operator instead of a random one. */
  chosenKey?: string;
  /** Where the person was signed in when they approved the key; otherwise that of `by` counts. */
  signOns?: readonly string[];
  /** The program that signed in from a terminal with this key. */
  client?: string;
  /** False for the key that is created with an account: it gives nobody access to anything that already existed. */
  notify?: false;
}

/**
 * The caller who changes a key. `recheck` runs in the transaction of the change, while the Owner's access cannot be ended, and
 * throws if the credential of the request (such as its session) has ended in the meantime.
 */
export type KeyChanger =
  | { by: Actor; recheck: (tx: Connection) => Promise<unknown> }
  | { by: Exclude<AuditEntry['actor'], Actor>; recheck?: undefined };

export type IssueKey = (request: KeyRequest & KeyChanger) => Promise<{ key: string; record: ApiKey }>;

/** For new keys, including rotated ones. */
export const newKeyLimit = {
  name: 'new key',
  limit: 30,
  windowMs: 60 * 60_000,
  per: 'caller',
  refusal: 'newKeys',
} as const;
export const maxKeyNameLength = 255;
/** Active keys per Owner. */
export const maxKeysOfOwner = 100;

export function createIssueKey(deps: {
  data: Data;
  now: () => number;
  /** Absent in commands: a running server finds the job without it. */
  wakeOutbox?: () => void;
}): IssueKey {
  return async (request) => {
    const owner = await ownerQueries(deps.data).findOwner(request.ownerName);
    if (owner?.kind !== request.ownerKind)
      throw new NotFound(t.noOwner({ kind: request.ownerKind, name: request.ownerName }));
    const name = checkNameText(request.name, maxKeyNameLength);
    const scopes = checkScopes(owner, request.scopes);
    const key = request.chosenKey === undefined ? newApiKey() : checkChosenKey(request.chosenKey);
    const createdAt = deps.now();
    const issue = () =>
      deps.data.transaction(async (tx) => {
        if ((await keyQueries(tx).countUsableKeys(owner.id, createdAt)) >= maxKeysOfOwner)
          throw conflictingField('name', keyTexts.errors.full({ limit: maxKeysOfOwner }));
        // From here on, ending the account's access also ends the new key, or `recheck` fails.
        if (owner.kind === 'user') await accountStateQueries(tx).lock(owner.id);
        await request.recheck?.(tx);
        if (owner.kind === 'user') await requireSessionForKeys(tx, request.by);
        await requireAllowedExpiry(tx, owner, request.expiresAt, createdAt);
        const record = await keyQueries(tx).insertKey({
          ownerId: owner.id,
          name,
          keyHash: hashApiKey(key),
          hint: hintOf(key),
          createdAt,
          expiresAt: request.expiresAt,
          scopes,
          restriction: request.restriction ?? null,
          createdBy: creatorOf(request.by),
          client: request.client ?? null,
        });
        await scheduleKeyExpiry(tx, owner.id, record, createdAt);
        if (owner.kind === 'user')
          await workspaceGateQueries(tx).recordKey(record.id, request.signOns ?? signOnsOf(request.by));
        const entry = {
          at: createdAt,
          actor: request.by,
          action: 'key.issued',
          ownerId: owner.id,
          subject: name,
        };
        await auditQueries(tx).record(entry);
        const event = { type: 'key.created', ownerId: owner.id, keyId: record.id } as const;
        await eventQueries(tx).dispatch(owner.id, event, createdAt);
        if (request.notify !== false)
          await notifyKeyOwners(tx, owner, ['key-created', 'project-key-created'], {
            at: createdAt,
            subject: `${request.name} (${record.hint}…)`.trim(),
          });
        return { key, record };
      });
    const issued = await deps.data.refuseDuplicate(issue, () => invalid(t.taken));
    if (request.notify !== false) deps.wakeOutbox?.();
    return issued;
  };
}

/** Emails the User, or everyone in the Project's owner team, because a key outlives the session that created it. */
export async function notifyKeyOwners(
  tx: Connection,
  owner: Owner,
  [ofUser, ofProject]: readonly [NoticeKind, NoticeKind],
  about: { at: number; subject: string },
): Promise<void> {
  if (owner.kind === 'user') return notifyPerson(tx, ofUser, { ...about, userId: owner.id });
  for (const { user, teams } of await ownerQueries(tx).listMembers(owner.id)) {
    if (!teams.includes('owner')) continue;
    await notifyPerson(tx, ofProject, { ...about, userId: user.id, project: owner.name });
  }
}

/** How long before a key expires its Owner is notified. Keys with a shorter lifetime cause no notice. */
export const expiryNoticeMs = 7 * 24 * 60 * 60_000;

/** Call it in the transaction that issues or rotates the key. */
export async function scheduleKeyExpiry(
  tx: Connection,
  ownerId: string,
  { id: keyId, expiresAt }: Pick<ApiKey, 'id' | 'expiresAt'>,
  now: number,
): Promise<void> {
  if (expiresAt === null) return;
  const job = { kind: 'key-expiry', keyId, expiresAt } as const;
  const noticeAt = expiresAt - expiryNoticeMs;
  if (noticeAt > now) await outboxQueries(tx).addAll(ownerId, [job], now, noticeAt);
  await outboxQueries(tx).addAll(ownerId, [job], now, expiresAt);
}

/** Call it in the transaction that rotates the key. */
export async function scheduleSecretEnd(
  tx: Connection,
  ownerId: string,
  { id: keyId, previousUntil }: Pick<ApiKey, 'id' | 'previousUntil'>,
  now: number,
): Promise<void> {
  if (previousUntil === null) return;
  const job = { kind: 'key-expiry', keyId, expiresAt: previousUntil } as const;
  await outboxQueries(tx).addAll(ownerId, [job], now, previousUntil);
}

export const signOnsOf = (by: KeyChanger['by']) =>
  typeof by === 'object' && by.kind === 'user' ? (by.gate?.signOns ?? []) : [];
const creatorOf = (by: KeyChanger['by']) => (typeof by === 'object' && by.kind === 'user' ? by.user : null);

/** Returns the scopes that keys of the Owner may have. Only administrators' keys may have `admin`. */
export function availableScopes(owner: Owner): KeyScope[] {
  const administers = owner.kind === 'user' && owner.administrator;
  return keyScopes.filter((scope) => scope !== 'admin' || administers);
}

function checkScopes(owner: Owner, scopes: readonly KeyScope[] | undefined): readonly KeyScope[] {
  const available = availableScopes(owner);
  if (scopes === undefined) return available;
  if (scopes.length === 0) throw invalid(t.scopes);
  if (scopes.some((scope) => !available.includes(scope))) throw invalid(t.adminScope);
  return keyScopes.filter((scope) => scopes.includes(scope));
}

/** Checks a key that the operator chose. Throws `invalid`. */
export function checkChosenKey(key: string): string {
  if (key.length >= minimumChosenKeyLength && key.length <= maxKeyLength && /^[\x21-\x7e]+$/.test(key))
    return key;
  throw invalid(t.characters({ minimum: minimumChosenKeyLength, limit: maxKeyLength }));
}
