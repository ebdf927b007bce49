/** Owners take turns in every lane, so that nobody waits for the jobs of somebody else. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Job, laneNames, lanes } from '../../src/jobs/outbox.ts';
import { outboxQueries } from '../../src/jobs/outbox-queries.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { testClaim } from '../support/test-claims.ts';
import { dialects } from '../support/test-database.ts';

const many = 1_000;

describe.each(dialects)('the owners of jobs on %s', (dialect) => {
  let test: TestData;
  beforeAll(async () => {
    test = await openTestData(dialect);
  });
  afterAll(() => test.close());

  const outbox = () => outboxQueries(test.data);
  /** The owners of the next jobs. */
  const next = async (lane: (typeof laneNames)[number], count: number, now = 1000) => {
    const owners: string[] = [];
    for (let left = count; left > 0; left--) {
      const turn = { after: owners.at(-1) ?? null, except: [] };
      const claimed = await outbox().claim(lane, now, testClaim, turn);
      if (claimed) owners.push(claimed.ownerId);
    }
    return owners;
  };
  const addMany = async (ownerId: string, job: Job, runAt: number) => {
    await outbox().add(ownerId, job, 1);
    await sql`update outbox set run_at = ${runAt}, queue = ${runAt > 1 ? null : sql.ref('queue')}`.execute(
      test.database.queries,
    );
    const digits = sql`(select 0 as d union all select 1 union all select 2 union all select 3 union all select 4
      union all select 5 union all select 6 union all select 7 union all select 8 union all select 9)`;
    await sql`
      insert into outbox (id, kind, payload, attempts, run_at, created_at, queued_for, queue)
      select id || a.d || b.d || c.d, kind, payload, 0, run_at, created_at, queued_for, queue
      from outbox, ${digits} a, ${digits} b, ${digits} c`.execute(test.database.queries);
  };
  const clear = () => sql`delete from outbox`.execute(test.database.queries);

  it.each(laneNames)('take turns in the lane %s', async (lane) => {
    const job = { kind: lanes[lane].kinds[0] } as unknown as Job;
    await clear();
    await addMany('busy', job, 1);
    for (const owner of ['another', 'zoe']) await outbox().add(owner, job, 900);
    expect(await next(lane, 5)).toEqual(['another', 'busy', 'zoe', 'busy', 'busy']);
    // Jobs that are due later, for example after a pause between two attempts.
    await clear();
    await addMany('busy', job, 500);
    for (const owner of ['another', 'zoe']) await outbox().addAll(owner, [job], 1, 900);
    expect(await next(lane, 1)).toEqual([]);
    expect(await outbox().queueDueJobs(1000, 2 * many)).toBe(many + 3);
    expect(await next(lane, 5)).toEqual(['another', 'busy', 'zoe', 'busy', 'busy']);
  });

  it('get no turn while they are excepted', async () => {
    await clear();
    for (const owner of ['ann', 'bob']) await outbox().add(owner, { kind: 'draw-icon', buildId: owner }, 1);
    const claimBeside = (...except: string[]) =>
      outbox().claim('builds', 1, testClaim, { after: null, except });
    expect(await claimBeside('ann', 'bob')).toBeNull();
    expect(await claimBeside('ann')).toMatchObject({ ownerId: 'bob' });
  });

  it('have their jobs in the order in which they were due', async () => {
    await clear();
    for (const at of [3, 1, 2]) await outbox().add('ann', { kind: 'draw-icon', buildId: `b${at}` }, at);
    const builds: string[] = [];
    for (const _ of [1, 2, 3]) {
      const claimed = await outbox().claim('builds', 5, testClaim);
      if (claimed?.job.kind === 'draw-icon') builds.push(claimed.job.buildId);
    }
    expect(builds).toEqual(['b1', 'b2', 'b3']);
  });
});

it('adds no jobs without an owner but those of the installation itself', () => {
  const folder = 'src';
  const users = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      /\.tsx?$/.test(path) &&
      !path.startsWith('jobs/') &&
      /\binstallation\b[^;]*from '[^']*jobs\/outbox\.ts'/.test(readFileSync(join(folder, path), 'utf8')),
  );
  expect(users.sort()).toEqual([
    // Anyone can ask for it, with the name of an account that may not exist.
    'accounts/passwords/password-reset-routes.ts',
    // One log for all owners.
    'audit/area.ts',
    // One chain for the builds of all owners, which lets new uploads go first.
    'insight/analyze-builds.ts',
    // Rounds over everything, which continue with the owners of the apps.
    'insight/calendar/rule-rounds.ts',
    'operations/verify-stored-files.ts',
    'owners/retention/retention-rounds.ts',
    'privacy/privacy-rounds.ts',
    // Everyone in the directory of the installation.
    'provisioning/directory-rounds.ts',
  ]);
});
