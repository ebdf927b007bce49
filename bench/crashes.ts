/** The time until work continues after `kill -9` of the node that had claimed a job of every queue. */

import { leaseMs } from '../src/claims/claim.ts';
import type { Database } from '../src/db/database.ts';
import { installation, type Job, type LaneName, laneNames } from '../src/jobs/outbox.ts';
import { jobRow } from '../src/jobs/outbox-queries.ts';
import { atMost, type Result } from './measure.ts';
import { openBenchData } from './open-bench-data.ts';
import { type RunningServer, startSlipway } from './run-server.ts';

/** Jobs for objects that do not exist. They end immediately. */
const jobs: Record<LaneName, Job> = {
  builds: { kind: 'draw-icon', buildId: 'gone' },
  analyses: { kind: 'analyze-build', buildId: 'gone' },
  conversions: {
    kind: 'convert-bundle',
    ...{ buildId: 'gone', ownerId: 'gone', uploaderId: null, pageId: null },
    ...{ keyNumber: 1, apkBytes: 1, contentBytes: 1, releaseNote: '', announces: false },
  },
  events: { kind: 'dispatch-event', eventId: 'gone', at: 1, event: { type: 'page.edited', pageId: 'gone' } },
  mail: { kind: 'key-expiry', keyId: 'gone', expiresAt: 1 },
  webhooks: { kind: 'send-webhook', deliveryId: 'gone' },
  removals: { kind: 'remove-blobs', blobs: [] },
  retention: { kind: 'retain-builds', appId: 'gone', after: 0 },
  directories: { kind: 'directory-round' },
  checks: { kind: 'check-files', after: '' },
  seals: { kind: 'seal-audit' },
  audit: { kind: 'stream-audit' },
};

/** `settings`: a new installation. `other`: a second node of it, on PostgreSQL. */
export async function benchCrashes(
  name: string,
  settings: Record<string, string>,
  other: Record<string, string> | null,
): Promise<Result[]> {
  const what = (how: string) => `work after a crash on ${name}, ${how}`;
  const { node: first, database } = await openFirst(settings);
  try {
    const restarted = await whenDone(database, await killWhileItWorks(database, first), () =>
      startSlipway(settings),
    );
    const results = [atMost(what('the node restarts'), restarted.seconds, 5, ' s', restarted.note)];
    if (!other) {
      await restarted.node.stop();
      return results;
    }
    const held = await nodeIdOf(database);
    const second = await startSlipway({ ...settings, ...other });
    const killed = await killWhileItWorks(database, restarted.node, held);
    const takenOver = await whenDone(database, killed, async () => second);
    await second.stop();
    return [...results, atMost(what('another node takes over'), takenOver.seconds, 60, ' s', takenOver.note)];
  } finally {
    await database.close();
  }
}

async function openFirst(settings: Record<string, string>) {
  const node = await startSlipway(settings);
  return { node, database: (await openBenchData(settings)).database };
}

/** The id of the only node; SQLite has none, because the claims of its node end with it. */
async function nodeIdOf({ queries }: Database): Promise<string> {
  const nodes = await queries.selectFrom('nodes').select('id').execute();
  if (nodes.length > 1) throw new Error('there are several nodes');
  return nodes[0]?.id ?? 'the only one';
}

/** Gives the node a claim on a job of each lane, as long as a new one, and kills it. Returns when. */
async function killWhileItWorks(database: Database, node: RunningServer, heldBy?: string): Promise<number> {
  const { queries } = database;
  const now = Date.now();
  const claim = {
    leased_until: now + leaseMs,
    held_by: heldBy ?? (await nodeIdOf(database)),
    claim_number: 1_000_000,
  };
  await queries.deleteFrom('outbox').execute();
  const rows = laneNames.map((lane) => ({
    ...jobRow(installation, jobs[lane], { id: lane, now, runAt: now }),
    ...claim,
  }));
  await queries.insertInto('outbox').values(rows).execute();
  process.kill(node.pid, 'SIGKILL');
  return performance.now();
}

/** When the job of the last queue is done, in seconds. */
async function whenDone({ queries }: Database, since: number, start: () => Promise<RunningServer>) {
  const node = await start();
  const left = new Set<string>(laneNames);
  let first = Number.POSITIVE_INFINITY;
  for (;;) {
    const rows = await queries
      .selectFrom('outbox')
      .select('id')
      .where('id', 'in', [...left])
      .execute();
    const seconds = (performance.now() - since) / 1000;
    for (const lane of left) if (!rows.some(({ id }) => id === lane)) left.delete(lane);
    if (left.size < laneNames.length) first = Math.min(first, seconds);
    if (left.size === 0) return { node, seconds, note: `the first queue after ${first.toFixed(1)} s` };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
