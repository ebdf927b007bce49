/** `slipway key add`, `list`, `rotate`, `end-old-secret` and `revoke`. */
import { stateOf } from '../accounts/keys/api-key.ts';
import { createRotateKey, endPreviousSecret, revokeKey } from '../accounts/keys/key-changes.ts';
import { keyQueries } from '../accounts/keys/key-queries.ts';
import { describeRestriction, parseRestriction } from '../accounts/keys/key-restriction.ts';
import { invalid, NotFound } from '../core/errors.ts';
import type { KeyScope } from '../core/key-scope.ts';
import type { Data } from '../db/data.ts';
import type { Owner } from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { type CommandIo, print } from './command-io.ts';
import { UsageError } from './uploader/upload-error.ts';
import { withData } from './with-data.ts';

interface KeyOwnerOptions {
  user?: string;
  project?: string;
}

function ownerOf(options: KeyOwnerOptions): { ownerName: string; ownerKind: 'user' | 'project' } {
  if ((options.user === undefined) === (options.project === undefined)) {
    throw new UsageError('use either --user or --project');
  }
  return options.user === undefined
    ? { ownerName: options.project ?? '', ownerKind: 'project' }
    : { ownerName: options.user, ownerKind: 'user' };
}

async function findKeyOwner(data: Data, options: KeyOwnerOptions): Promise<Owner> {
  const { ownerName, ownerKind } = ownerOf(options);
  const owner = await ownerQueries(data).findOwner(ownerName);
  if (owner?.kind !== ownerKind) throw new NotFound(`there is no ${ownerKind} ${ownerName}`);
  return owner;
}

export async function runKeyAdd(
  io: CommandIo,
  options: KeyOwnerOptions & {
    name: string;
    expires?: number;
    scope?: KeyScope[];
    owner?: string[];
    app?: string[];
    json?: boolean;
  },
): Promise<void> {
  const owner = ownerOf(options);
  await withData(io, async ({ data, issueKey, now }) => {
    const places = [...(options.owner ?? []), ...(options.app ?? [])];
    if (options.app?.some((place) => !place.includes('/')))
      throw invalid('an app must be OWNER/PLATFORM/PACKAGE, for example crew/android/com.example.app');
    const restriction = await parseRestriction(data, await findKeyOwner(data, options), places);
    const expiresAt = options.expires === undefined ? null : now() + options.expires;
    const { key, record } = await issueKey({
      ...owner,
      name: options.name,
      expiresAt,
      restriction,
      by: 'command-line',
      ...(options.scope ? { scopes: options.scope } : {}),
    });
    const facts = {
      api_key: key,
      id: record.id,
      owner: owner.ownerName,
      name: record.name,
      expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      scopes: record.scopes,
      restricted_to: restriction && (await describeRestriction(data, restriction)),
    };
    print(io, options.json ?? false, facts, `API key of ${owner.ownerName}. This is shown once:`, key);
  });
}

export async function runKeyList(
  io: CommandIo,
  options: KeyOwnerOptions & { json?: boolean },
): Promise<void> {
  await withData(io, async ({ data, now }) => {
    const owner = await findKeyOwner(data, options);
    for (const key of await keyQueries(data).listKeys(owner.id)) {
      const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
      const facts = {
        id: key.id,
        name: key.name,
        begins_with: key.hint,
        created_at: time(key.createdAt),
        last_used_at: time(key.lastUsedAt),
        expires_at: time(key.expiresAt),
        revoked_at: time(key.revokedAt),
        last_used_network: key.lastUsedNetwork,
        scopes: key.scopes,
        restricted_to: key.restriction && (await describeRestriction(data, key.restriction)),
        created_by: key.createdBy?.name ?? null,
        rotated_at: time(key.rotatedAt),
        old_secret_until: time(key.previousUntil),
      };
      const state = stateOf(key, now());
      const words = state === 'usable' ? `last used ${facts.last_used_at ?? 'never'}` : state;
      const scopes = key.scopes.join(',');
      print(io, options.json ?? false, facts, `${key.id}  ${key.hint}…  ${key.name}  ${scopes}  ${words}`);
    }
  });
}

export async function runKeyRotate(
  io: CommandIo,
  id: string,
  options: KeyOwnerOptions & { overlap: number; json?: boolean },
): Promise<void> {
  await withData(io, async ({ data, now }) => {
    const owner = await findKeyOwner(data, options);
    const rotateKey = createRotateKey({ data, now });
    const request = { owner, keyId: id, overlapMs: options.overlap, by: 'command-line' } as const;
    const { key, record } = await rotateKey(request);
    const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
    const facts = {
      api_key: key,
      id,
      owner: owner.name,
      name: record.name,
      expires_at: time(record.expiresAt),
      old_secret_until: time(record.previousUntil),
    };
    const old = facts.old_secret_until;
    const sentence = old === null ? 'The old secret no longer works.' : `The old secret works until ${old}.`;
    print(
      io,
      options.json ?? false,
      facts,
      `New secret of the key ${id}. ${sentence} This is shown once:`,
      key,
    );
  });
}

export async function runOldSecretEnd(
  io: CommandIo,
  id: string,
  options: KeyOwnerOptions & { json?: boolean },
): Promise<void> {
  await withData(io, async ({ data, now }) => {
    const owner = await findKeyOwner(data, options);
    const ended = await endPreviousSecret(data, { owner, keyId: id, by: 'command-line', at: now() });
    if (!ended) throw new NotFound(`the key ${id} of ${owner.name} has no old secret to revoke`);
    print(io, options.json ?? false, { id, ended }, `The old secret of the key ${id} no longer works.`);
  });
}

export async function runKeyRevoke(
  io: CommandIo,
  id: string,
  options: KeyOwnerOptions & { json?: boolean },
): Promise<void> {
  await withData(io, async ({ data, now }) => {
    const owner = await findKeyOwner(data, options);
    const request = { ownerId: owner.id, keyId: id, by: 'command-line', at: now() } as const;
    const revoked = await data.transaction((tx) => revokeKey(tx, request));
    if (!revoked) throw new NotFound(`${ownerOf(options).ownerName} has no usable key ${id}`);
    print(io, options.json ?? false, { id, revoked: true }, `The key ${id} is revoked.`);
  });
}
