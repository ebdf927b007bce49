/** What all changes by a directory and to its groups have in common: the Workspace is locked, and the caller may still change it. */
import { AppError, unauthenticated } from '../core/errors.ts';
import type { Connection, Data } from '../db/data.ts';
import type { DirectoryActor, UserActor } from '../owners/actor.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import { lockManagedWorkspace, lockWorkspace } from '../owners/members.ts';
import type { Workspace } from '../owners/owner.ts';
import { directoryQueries } from './directory-queries.ts';
import type { Directory } from './scim/scim.ts';

export interface DirectoryChange {
  tx: Connection;
  by: DirectoryActor;
  workspace: Pick<Workspace, 'id' | 'name'>;
  at: number;
}

/** Versions in `If-Match`; null without the header, and `*` for any. */
export type Expected = readonly number[] | '*' | null;

/** Throws `precondition_failed`. */
export function requireExpected(expected: Expected, version: number): void {
  if (expected === null || expected === '*' || expected.includes(version)) return;
  throw new AppError('precondition_failed', 'the resource has changed since its ETag was read');
}

/** Changes of one directory run one after another. */
export async function changeDirectory<Result>(
  deps: { data: Data; now: () => number; wakeOutbox: () => void },
  { workspace, token }: Directory,
  work: (change: DirectoryChange) => Promise<Result>,
): Promise<Result> {
  const result = await deps.data.transaction(async (tx) => {
    await lockWorkspace(tx, workspace);
    if (!(await directoryQueries(tx).hasToken(token.id))) throw unauthenticated();
    return work({ tx, by: { kind: 'directory', token }, workspace, at: deps.now() });
  });
  deps.wakeOutbox();
  return result;
}

/** Throws `NotFound` unless `by` owns the Workspace or is an administrator. */
export async function changeGroups<Result>(
  deps: { data: Data; now: () => number; wakeOutbox: () => void },
  by: UserActor,
  workspace: Workspace,
  work: (tx: Connection, at: number) => Promise<Result>,
): Promise<Result> {
  const result = await deps.data.transaction(async (tx) => {
    await lockManagedWorkspace(tx, by, workspace);
    return work(tx, deps.now());
  });
  deps.wakeOutbox();
  return result;
}

export const recordDirectoryChange = (
  tx: Connection,
  { by, at, workspace }: { by: UserActor; at: number; workspace: Workspace },
  action: string,
  subject: string,
) =>
  auditQueries(tx).record({
    at,
    actor: by,
    action,
    ownerId: null,
    subject: `${subject}: ${workspace.name}`,
  });
