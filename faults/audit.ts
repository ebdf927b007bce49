/**
 * The chain and the stream of the audit log: kill -9 while entries are sealed and appended, a full disk under the file, two nodes that
 * write at once, backups that are restored and a database that is moved.
 */
import { once } from 'node:events';
import { rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readAuditStatus } from '../src/audit/audit-stream.ts';
import { readConfig } from '../src/config.ts';
import { auditQueries } from '../src/owners/audit-queries.ts';
import { mountSmallDisk } from '../test/blobs/scratch.ts';
import type { ServerProcess } from '../test/support/run-cli.ts';
import { auditLogStreamed, checkAuditLog } from './audit-log.ts';
import { auditStreamIn, createGround, type Ground } from './ground.ts';
import { nodeSettings, type Outcome, type Scenario, type ScenarioRun, until } from './scenario.ts';
import { endLeases, withData } from './settle.ts';

const mebibyte = 1024 * 1024;
/** Several batches of the stream. */
const entriesPerRound = 4_000;
const leastLineBytes = 400;
const longestSubject = 400;
/** Room that is left on the full disk: less than a batch needs. */
const mostSpareBytes = 60_000;

export const audit: Scenario = {
  name: 'audit',
  about: 'kill -9 and a full disk while the audit log is sealed and streamed, then restores and a move',
  stores: ['sqlite+disk', 'postgres+disk'],
  run: async (run) => {
    const small = mountSmallDisk(256 * mebibyte);
    const settings: Record<string, string> = {
      ...(small ? { SLIPWAY_AUDIT_STREAM: auditStreamIn(small.folder) } : {}),
      ...(run.stores === 'sqlite+disk'
        ? {}
        : { SLIPWAY_SECRET: 'a secret that both nodes of the faults have' }),
    };
    const ground = await createGround(run.servers, run.stores, settings);
    try {
      return await breakStream(run, ground, small?.folder ?? null);
    } finally {
      await ground.remove();
      small?.remove();
    }
  },
};

async function breakStream(run: ScenarioRun, ground: Ground, disk: string | null): Promise<Outcome> {
  const counts = { kills: 0, 'while streaming': 0, 'full disks': 0, restored: 0, moved: 0, audited: 0 };
  const faults: string[] = [];
  const backups = { older: join(ground.folder, 'older'), newest: join(ground.folder, 'newest') };
  const isEmbedded = run.stores === 'sqlite+disk';
  const check = async (place: Ground, options: Parameters<typeof checkAuditLog>[1]) => {
    const checked = await checkAuditLog(place, options);
    faults.push(...checked.faults);
    counts.audited = checked.entries;
  };
  const streamRest = async (place: Ground, hasOthers = false) => {
    await record(run, place);
    await endLeases(place.config());
    const server = await place.serve();
    await withData(place.config(), auditLogStreamed);
    await server.stop();
    await check(place, { streamed: true, hasOthers });
  };
  await (await ground.serve()).stop();
  const rounds = Math.max(6, Math.ceil(run.rounds / 4));
  for (let round = 0; round < rounds && faults.length === 0; round++) {
    await record(run, ground);
    const filler = disk && run.random.chance(0.4) ? await fill(disk, run.random.below(mostSpareBytes)) : null;
    if (await killWhileStreaming(run, ground, filler)) counts['while streaming'] += 1;
    if (filler !== null) counts['full disks'] += 1;
    counts.kills += 1;
    await check(ground, { streamed: false });
    if (round === 1 && isEmbedded) await ground.runJson(['backup', backups.older]);
    if (round % 5 === 4) run.say(`${round + 1} kills`);
  }
  await streamRest(ground);
  if (isEmbedded) {
    await ground.runJson(['backup', backups.newest]);
    const restored = await restore(ground, backups.newest);
    await streamRest(restored);
    await streamRest(await move(restored));
    counts.moved += 1;
    // The file also has entries that this backup does not have.
    await streamRest(await restore(ground, backups.older), true);
    counts.restored += 2;
  }
  return { counts, faults, skipped: null };
}

/** Adds more entries than are sealed before a server can be killed. */
async function record({ random }: ScenarioRun, ground: Ground): Promise<void> {
  await withData(ground.config(), (data) =>
    data.transaction(async (tx) => {
      for (let count = 0; count < entriesPerRound; count++)
        await auditQueries(tx).record({
          at: Date.now(),
          actor: 'system',
          action: 'project.made',
          ownerId: null,
          subject: '✈ '.repeat(random.below(longestSubject / 2)),
          details: { number: count },
        });
    }),
  );
}

/** On PostgreSQL, a second node seals and streams at the same time, and then alone. Returns whether entries were left when the first was killed. */
async function killWhileStreaming(
  { random, stores }: ScenarioRun,
  ground: Ground,
  filler: string | null,
): Promise<boolean> {
  const before = await streamedBytes(ground);
  const enough = before + random.below(entriesPerRound * leastLineBytes);
  const first = await ground.serve();
  const second =
    stores === 'sqlite+disk' ? null : await ground.serve({ environment: nodeSettings(ground, 'second') });
  return withData(ground.config(), async (data) => {
    if (filler === null)
      await until('entries were appended', async () => (await streamedBytes(ground)) > enough);
    else {
      const failures = async () => (await readAuditStatus(data)).stream.failures;
      await until('the disk was full', async () => (await failures()) > 0);
      await rm(filler);
    }
    await kill(first);
    const { unsealed, sealed, stream } = await readAuditStatus(data);
    if (second) {
      await endLeases(ground.config());
      await auditLogStreamed(data);
      await kill(second);
    }
    return unsealed || stream.seq < sealed;
  });
}

async function kill(server: ServerProcess): Promise<void> {
  const ended = once(server.process, 'exit');
  server.process.kill('SIGKILL');
  await ended;
}

async function streamedBytes({ environment }: Ground): Promise<number> {
  const facts = await stat(fileURLToPath(environment.SLIPWAY_AUDIT_STREAM ?? '')).catch(() => null);
  return facts?.size ?? 0;
}

async function fill(disk: string, spareBytes: number): Promise<string> {
  const { bavail, bsize } = await statfs(disk);
  const filler = join(disk, 'filler');
  await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - spareBytes)));
  return filler;
}

/** The same installation with other settings. */
function elsewhere(ground: Ground, settings: Record<string, string>): Ground {
  const environment = { ...ground.environment, ...settings };
  return {
    ...ground,
    environment,
    config: () => readConfig(environment),
    run: (args, options) =>
      ground.run(args, { ...options, environment: { ...settings, ...options?.environment } }),
    runJson: (args, options) =>
      ground.runJson(args, { ...options, environment: { ...settings, ...options?.environment } }),
    serve: (options) => ground.serve({ ...options, environment: { ...settings, ...options?.environment } }),
  };
}

async function restore(ground: Ground, backup: string): Promise<Ground> {
  const place = elsewhere(ground, { SLIPWAY_DATA_DIR: `${backup}-restored` });
  await place.runJson(['restore', backup]);
  return place;
}

async function move(ground: Ground): Promise<Ground> {
  const url = `sqlite:${join(ground.folder, 'moved.sqlite')}`;
  await ground.runJson(['move', '--database-url', url]);
  return elsewhere(ground, {
    SLIPWAY_DATA_DIR: ground.environment.SLIPWAY_DATA_DIR ?? '',
    SLIPWAY_DATABASE_URL: url,
  });
}
