/** Storage totals by owner and platform, and quotas. */
import type { Quota } from '../owners/quota.ts';
import type { Platform } from '../packages/package-info.ts';

/** Totals of an Owner’s Apps on one platform. Deleted builds count until they are removed. */
export interface StoredPart {
  ownerId: string;
  ownerKind: 'user' | 'project';
  ownerName: string;
  workspaceId: string | null;
  platform: Platform;
  /** Excludes deleted ones. */
  apps: number;
  builds: number;
  bytes: number;
}

/** Totals of one Owner or Workspace. */
export interface StoredLine {
  kind: 'user' | 'project' | 'workspace';
  name: string;
  apps: number;
  builds: number;
  bytes: number;
}

export interface OwnerLine extends StoredLine {
  /** Null for a Workspace, which has no quota. */
  quota: Quota | null;
}

export interface Stored {
  bytes: number;
  builds: number;
  apps: number;
  byPlatform: Readonly<Record<Platform, { builds: number; bytes: number }>>;
  /** Owners with stored files, largest first. */
  owners: readonly (StoredLine & { id: string })[];
  /** By id of the Workspace. */
  workspaces: ReadonlyMap<string, Pick<StoredLine, 'apps' | 'builds' | 'bytes'>>;
}

/** Sums up the parts in one pass and sorts the owners once. */
export function sumStored(parts: readonly StoredPart[]): Stored {
  const nothing = () => ({ apps: 0, builds: 0, bytes: 0 });
  const byPlatform = { android: nothing(), ios: nothing() };
  const total = nothing();
  const owners = new Map<string, StoredLine & { id: string }>();
  const workspaces = new Map<string, ReturnType<typeof nothing>>();
  for (const part of parts) {
    const { ownerId: id, ownerKind: kind, ownerName: name, workspaceId } = part;
    const owner = owners.get(id) ?? { id, kind, name, ...nothing() };
    owners.set(id, owner);
    const workspace = workspaceId === null ? null : (workspaces.get(workspaceId) ?? nothing());
    if (workspaceId !== null && workspace) workspaces.set(workspaceId, workspace);
    for (const sum of [total, byPlatform[part.platform], owner, ...(workspace ? [workspace] : [])]) {
      sum.apps += part.apps;
      sum.builds += part.builds;
      sum.bytes += part.bytes;
    }
  }
  const largestFirst = [...owners.values()].sort(
    (one, other) => other.bytes - one.bytes || (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1),
  );
  return { ...total, byPlatform, owners: largestFirst, workspaces };
}

/** How long a total is cached, because computing it reads an index of all builds. */
const cacheTtlMs = 60_000;

export type CountStored = () => Promise<Stored & { countedAt: number }>;

/** Concurrent callers share one result, which may be up to a minute old. */
export function createCountStored(ask: () => Promise<StoredPart[]>, now: () => number): CountStored {
  let known: (Stored & { countedAt: number }) | null = null;
  let inFlight: Promise<Stored & { countedAt: number }> | null = null;
  const count = async () => {
    const countedAt = now();
    known = { ...sumStored(await ask()), countedAt };
    return known;
  };
  return async () => {
    if (known && Math.abs(now() - known.countedAt) < cacheTtlMs) return known;
    inFlight ??= count().finally(() => {
      inFlight = null;
    });
    return inFlight;
  };
}
