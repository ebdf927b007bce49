/** A statement that PostgreSQL continues after its client has died. */
import { once } from 'node:events';
import pg from 'pg';
import { expect, it } from 'vitest';
import { pagesOf, signIn, upload } from '../../faults/client.ts';
import { createGround } from '../../faults/ground.ts';
import { type KnownBuild, openLedger } from '../../faults/ledger.ts';
import { until } from '../../faults/scenario.ts';
import { checkNow, settleAndCheck } from '../../faults/settle.ts';
import { buildApk } from '../support/build-apk.ts';
import { shared } from '../support/shared-servers.ts';

const packageName = 'com.example.removed';
const lock = 7_731;
/** Leasing a removal blocks inside the statement while the lock is held. */
const slowLease = `
  create function wait() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(${lock}); return new; end $$;
  create trigger slow before update on outbox for each row
    when (new.kind = 'remove-build' and new.leased_until is not null) execute function wait();`;

async function pidsOf(direct: pg.Client): Promise<number[]> {
  const { rows } = await direct.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  return rows.map(({ pid }) => pid);
}

it('the crash check waits for unfinished transactions before checking what a kill left behind', {
  timeout: 120_000,
}, async () => {
  const ground = await createGround({ postgresUrl: await shared('postgres'), s3: null }, 'postgres+disk');
  const direct = new pg.Client({ connectionString: ground.environment.SLIPWAY_DATABASE_URL });
  try {
    const ledger = openLedger();
    const { origin, process } = await ground.serve();
    await direct.connect();
    const add = (versionCode: number) =>
      upload(origin, ledger, { packageName, bytes: buildApk({ packageName, versionCode }) });
    await add(1);
    await add(2);
    const pages = pagesOf(origin, (await signIn(origin, ledger)) ?? '');
    const form = { csrf: (await pages.csrf()) ?? '', revision: '1' };
    const told = await pages.post(`/users/admin/platforms/android/apps/${packageName}/binaries/delete`, form);
    expect(told?.status).toBe(303);
    const [deleted] = ledger.builds.values();
    Object.assign(deleted ?? {}, {
      expired: true,
      allowed: ['hidden', 'gone'],
    } satisfies Partial<KnownBuild>);
    await direct.query(`${slowLease} select pg_advisory_lock(${lock})`);
    await direct.query("update outbox set run_at = 0 where kind = 'remove-build'");
    await add(3);
    const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
    await until('the removal is being leased', async () => (await direct.query(waiting)).rowCount === 1);
    const ended = once(process, 'exit');
    process.kill('SIGKILL');
    await ended;

    const before = await pidsOf(direct);
    let looked = false;
    const atOnce = checkNow(ground, ledger, new Set()).finally(() => {
      looked = true;
    });
    const comers = new Set<number>();
    await until('somebody has come again and again, or has looked', async () => {
      for (const pid of await pidsOf(direct)) if (!before.includes(pid)) comers.add(pid);
      return looked || comers.size >= 5;
    });
    expect(looked).toBe(false);
    await direct.end();
    expect((await atOnce).faults).toEqual([]);
    expect((await settleAndCheck(ground, ledger, new Set())).faults).toEqual([]);
    expect(deleted?.allowed).toEqual(['gone']);
  } finally {
    await direct.end();
    await ground.remove();
  }
});
