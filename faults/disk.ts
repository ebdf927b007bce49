/** A disk that is nearly full, full, or temporarily read-only: a small tmpfs, which root can mount. */
import { execFileSync } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { mountSmallDisk, type Scratch } from '../test/blobs/scratch.ts';
import { ask, signIn, upload } from './client.ts';
import { auditStreamIn, createGround, type Ground, loadService } from './ground.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { randomApk } from './people.ts';
import { type Outcome, outcomeOf, type Scenario, type ScenarioRun, skipped, until } from './scenario.ts';
import { becomesReady, checkNow, servingErrors, settleAndCheck } from './settle.ts';

const mebibyte = 1024 * 1024;
const packageName = 'com.example.disk';

export const disk: Scenario = {
  name: 'disk',
  about:
    'a disk with less room than must stay free, one that is full to the last byte, one that is read-only for a while',
  stores: ['sqlite+disk', 'postgres+disk'],
  run: async (run) => {
    const outcomes: Outcome[] = [];
    for (const part of [nearlyFull, full, readOnly]) {
      const small = mountSmallDisk(part === nearlyFull ? 320 * mebibyte : 32 * mebibyte);
      if (!small) return skipped('this user cannot mount a disk');
      try {
        outcomes.push(await part(run, small));
      } finally {
        small.remove();
      }
    }
    return together(outcomes);
  },
};

function together(outcomes: readonly Outcome[]): Outcome {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    for (const [name, count] of Object.entries(outcome.counts)) counts[name] = (counts[name] ?? 0) + count;
  }
  return { counts, faults: outcomes.flatMap(({ faults }) => faults), skipped: null };
}

/** The program as it is normally started, with its default minimum of free space. */
async function nearlyFull(run: ScenarioRun, small: Scratch): Promise<Outcome> {
  return onDisk(run, small, { SLIPWAY_DATA_DIR: join(small.folder, 'data') }, async (ground, ledger) => {
    const faults: string[] = [];
    const server = await ground.serve();
    const send = () => uploadOne(run, server.origin, ledger);
    if (!(await send())) faults.push('the first upload was refused');
    const filler = join(small.folder, 'filler');
    await writeFile(filler, Buffer.alloc(120 * mebibyte));
    if (await send()) faults.push('an upload was accepted although the disk is nearly full');
    faults.push(...(await servingErrors(server.origin, ledger)));
    await rm(filler);
    if (!(await send())) faults.push('an upload was refused although there is space again');
    await server.stop();
    return { counts: { 'nearly full': 1 }, faults };
  });
}

/** Runs in this process, because the program keeps more space free than is filled here. */
async function full(run: ScenarioRun, small: Scratch): Promise<Outcome> {
  return onDisk(run, small, { SLIPWAY_DATA_DIR: join(small.folder, 'data') }, async (ground, ledger) => {
    const faults: string[] = [];
    const { createService } = await loadService();
    const config = ground.config();
    config.limits.minimumFreeBytes = 0;
    const service = await createService(config, { logger: pino({ level: 'silent' }) });
    const origin = `http://127.0.0.1:${(await service.listen()).port}`;
    const filler = join(small.folder, 'filler');
    const times = Math.max(6, Math.ceil(run.rounds / 4));
    try {
      await signIn(origin, ledger);
      for (let time = 0; time < times; time++) {
        const { bavail, bsize } = await statfs(small.folder);
        const spareBytes = run.random.below(run.random.chance(0.5) ? mebibyte : 60_000);
        await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - spareBytes)));
        await Promise.all([1, 2, 3].map(() => uploadOne(run, origin, ledger)));
        const list = await ask(`${origin}/`, { headers: { accept: 'text/html' } });
        if (list?.status !== 200) faults.push(`the first page got ${list?.status} on a full disk`);
        await rm(filler);
        if (!(await uploadOne(run, origin, ledger)))
          faults.push('an upload was refused although there is space again');
      }
      faults.push(...(await servingErrors(origin, ledger)));
    } finally {
      await service.close();
    }
    return { counts: { full: times }, faults };
  });
}

/** The database is elsewhere: a disk with files open for writing cannot be made read-only. */
async function readOnly(run: ScenarioRun, small: Scratch): Promise<Outcome> {
  const settings: Record<string, string> = { SLIPWAY_BLOB_URL: `file:${small.folder}/blobs` };
  return onDisk(run, small, settings, async (ground, ledger) => {
    const faults: string[] = [];
    const server = await ground.serve();
    const times = Math.max(3, Math.ceil(run.rounds / 20));
    for (let time = 0; time < times; time++) {
      if (!(await uploadOne(run, server.origin, ledger))) faults.push('an upload was refused on a good disk');
      await remount(small, 'ro');
      if (await uploadOne(run, server.origin, ledger))
        faults.push('an upload was accepted on a read-only disk');
      if (!(await becomesReady(server.origin, 503))) faults.push('readyz was not 503 on a read-only disk');
      const last = [...ledger.builds.values()].at(-1);
      const file = await ask(`${server.origin}${last?.file}`);
      if (file?.status !== 200) faults.push(`a package got ${file?.status} on a read-only disk`);
      await remount(small, 'rw');
      if (!(await uploadOne(run, server.origin, ledger)))
        faults.push('an upload was refused although the disk is writable again');
    }
    faults.push(...(await servingErrors(server.origin, ledger)));
    await server.stop();
    return { counts: { 'read-only': times }, faults };
  });
}

/** The kernel refuses it while the audit log is appended to its file. */
async function remount({ folder }: Scratch, mode: 'ro' | 'rw'): Promise<void> {
  await until(`the disk was ${mode}`, () => {
    try {
      execFileSync('mount', ['-o', `remount,${mode}`, folder], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

async function onDisk(
  run: ScenarioRun,
  small: Scratch,
  settings: Record<string, string>,
  play: (ground: Ground, ledger: Ledger) => Promise<Pick<Outcome, 'counts' | 'faults'>>,
): Promise<Outcome> {
  const ground = await createGround(run.servers, run.stores, {
    SLIPWAY_AUDIT_STREAM: auditStreamIn(small.folder),
    ...settings,
  });
  const ledger = openLedger();
  try {
    const { counts, faults } = await play(ground, ledger);
    const compared = new Set<string>();
    const checks = [await checkNow(ground, ledger, compared), await settleAndCheck(ground, ledger, compared)];
    const outcome = outcomeOf(ledger, checks, counts);
    return { ...outcome, faults: [...faults, ...outcome.faults] };
  } finally {
    await ground.remove();
  }
}

/** Refused because the disk is full or read-only. */
function uploadOne({ random }: ScenarioRun, origin: string, ledger: Ledger) {
  const mayBeRefused = (status: number) => status === 507 || status === 503;
  const fields = { distribution_name: 'main' };
  const bytes = randomApk(random, packageName);
  return upload(origin, ledger, { packageName, bytes, fields, mayBeRefused });
}
