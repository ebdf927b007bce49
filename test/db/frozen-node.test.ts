/** Effects of a frozen node or command, a row that stays locked, and lost connections on other nodes (PostgreSQL). */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accountStateQueries } from '../../src/accounts/access/account-state-queries.ts';
import { hashApiKey } from '../../src/accounts/keys/api-key.ts';
import { defineQueries } from '../../src/db/data.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import type { PostgresLimits } from '../../src/db/postgres-limits.ts';
import { createTestQueries, type TestConnection, type TestQueries } from '../support/every-query.ts';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import { send } from '../support/http-client.ts';
import { bearer, refusalOf, upload, uploaded } from '../support/interface-client.ts';
import { startServiceOn } from '../support/start-service-with.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const maxConnections = 10;
/** No wait of these tests ends by itself. */
const endless = 60 * 60_000;
/** Limits of services that wait until the test ends what they wait for, however slow the machine is. */
/** Long enough to connect on a busy machine. */
const pingMs = 1500;
const patient = { lockMs: endless, turnMs: endless, statementMs: endless } as const;

describe('a node on PostgreSQL', () => {
  let database: TestDatabase;
  /** The database of another node, which is never frozen. */
  let other: Database;
  let data: TestQueries;
  let projectId: string;
  const closing: (() => Promise<unknown>)[] = [];

  const start = async (
    limits: Partial<PostgresLimits>,
    url = database.url,
    parts: Parameters<typeof startServiceOn>[1] = {},
  ) => {
    const slipway = await startServiceOn({ kind: 'postgres', url, maxConnections, limits }, parts);
    closing.push(() => slipway.close());
    const port = Number(new URL(slipway.origin).port);
    return { ...slipway, port, isReady: async () => (await send(port, '/readyz')).status };
  };
  type Started = Awaited<ReturnType<typeof start>>;
  let slipway: Started;

  beforeAll(async () => {
    database = await createTestDatabase('postgres');
    slipway = await start(patient);
    other = await openDatabase(database.config, 'server');
    closing.push(() => other.close());
    data = createTestQueries(other);
    const admin = await data.owners.findOwner('admin');
    const project = await data.owners.insertProject({
      name: 'other',
      description: '',
      workspace: null,
      createdAt: 1,
    });
    projectId = project.id;
    await data.owners.addTeamMember(project.id, 'owner', admin?.id ?? '', 1);
    await slipway.service.outbox.idle();
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
    await database?.remove();
  });

  /** Begins a transaction that does `hold` and nothing more. `end` does what PostgreSQL does after the limit. */
  const freeze = async (
    use: 'server' | 'command',
    hold: (tx: TestConnection) => Promise<unknown>,
    limits: Partial<PostgresLimits> = { idleInTransactionMs: endless },
  ) => {
    const process = await openDatabase({ ...database.config, limits } as typeof database.config, use);
    closing.push(() => process.close());
    const held = Promise.withResolvers<number>();
    const thawed = Promise.withResolvers<void>();
    const frozen = createTestQueries(process).transaction(async (tx) => {
      const pid = await backendQueries(tx).pid();
      await hold(tx);
      held.resolve(pid);
      await thawed.promise;
      return tx.owners.hasUsers();
    });
    frozen.catch(held.reject);
    const lost = expect(frozen).rejects.toThrow();
    const pid = await held.promise;
    return {
      pid,
      end: () => sql`select pg_terminate_backend(${pid}::integer)`.execute(other.queries),
      /** Resolves when the process was told that its transaction is lost. */
      thaw: async () => {
        thawed.resolve();
        await lost;
      },
    };
  };
  const isThere = async (pid: number) => {
    const { rows } = await sql`select from pg_stat_activity where pid = ${pid}::integer`.execute(
      other.queries,
    );
    return rows.length > 0;
  };

  describe.each(['server', 'command'] as const)('beside a frozen %s', (use) => {
    it('gets its locks, because PostgreSQL ends the transaction', async () => {
      // Long enough that a busy machine sends the statements of the transaction in time.
      const limits = { idleInTransactionMs: 2000 };
      const frozen = await freeze(use, (tx) => tx.quotas.lockForUpload(projectId), limits);
      await vi.waitFor(async () => expect(await isThere(frozen.pid)).toBe(false), 60_000);
      await data.transaction((tx) => tx.quotas.lockForUpload(projectId));
      await frozen.thaw();
    });

    it('serves other owners and stays ready while it holds the row of one, whose uploads then succeed', async () => {
      const frozen = await freeze(use, (tx) => tx.quotas.lockForUpload(projectId));
      const finished: string[] = [];
      const uploadTo = async (owner: string) => {
        const { status } = await upload(slipway, { owner });
        finished.push(owner);
        return status;
      };
      let isOver = false;
      const stuck = Promise.all(Array.from({ length: 3 * maxConnections }, () => uploadTo('other')));
      const answers = new Set<number>();
      const watched = (async () => {
        while (!isOver) answers.add(await slipway.isReady());
      })();
      const served = await Promise.all(Array.from({ length: 5 }, () => uploadTo('admin')));
      expect(new Set(served)).toEqual(new Set([200]));
      expect(finished).not.toContain('other');
      await frozen.end();
      expect(new Set(await stuck)).toEqual(new Set([200]));
      isOver = true;
      await watched;
      expect([...answers]).toEqual([200]);
      await frozen.thaw();
    });

    it('recognizes keys and sessions that it holds', async () => {
      const admin = await data.owners.findOwner('admin');
      // Long enough ago that a request records its use.
      await sql`update api_keys set last_used_at = 1`.execute(other.queries);
      const frozen = await freeze(use, async (tx) => {
        await tx.keys.lockKey(hashApiKey(slipway.adminKey), Date.now());
        await accountStateQueries(tx).lock(admin?.id ?? '');
      });
      const answers = await Promise.all(
        Array.from({ length: 3 * maxConnections }, () =>
          send(slipway.port, '/api/organizations', { headers: bearer(slipway.adminKey) }),
        ),
      );
      expect(await isThere(frozen.pid)).toBe(true);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      await frozen.end();
      await frozen.thaw();
    });
  });

  it('answers 503 with Retry-After for a row that stays locked, and serves other owners', async () => {
    const hurried = await start({ firstLockMs: 20, lockMs: 100, turnMs: 200 });
    const holder = await freeze('command', (tx) => tx.quotas.lockForUpload(projectId));
    const stuck = await Promise.all(
      Array.from({ length: maxConnections }, () => upload(hurried, { owner: 'other' })),
    );
    for (const answer of stuck) {
      expect(refusalOf(answer, 503).error_type).toBe('unavailable');
      expect(answer.headers['retry-after']).toBe('5');
    }
    expect((await upload(hurried)).status).toBe(200);
    await holder.end();
    await holder.thaw();
  });

  it.each([6, -6])('does at once what a node plans whose clock is off by %i minutes', async (minutes) => {
    const aheadMs = minutes * 60_000;
    const wrong = await start({}, database.url, { machineTime: () => Date.now() + aheadMs });
    await wrong.service.outbox.idle();
    await wrong.service.outbox.stop();
    await uploaded(wrong, { fields: { distribution_name: `off by ${minutes}` } });
    const { rows: builds } = await sql<{ at: number }>`select max(created_at) as at from builds`.execute(
      other.queries,
    );
    expect((Number(builds[0]?.at) - Date.now()) / 60_000).toBeCloseTo(0, 0);
    slipway.service.outbox.wake();
    await vi.waitFor(async () => {
      // Each node has another file store here, so only one of them can read the package, which the second email waits for.
      const { rows } = await sql`select kind from outbox
        where kind not in ('analyze-build', 'announce-build')`.execute(other.queries);
      expect(rows).toEqual([]);
    }, 60_000);
  });

  it('is ready again soon after its connections were lost silently', async () => {
    const proxy = await startFaultyProxy(new URL(`http://${new URL(database.url).host}`));
    const address = new URL(database.url);
    address.host = new URL(proxy.endpoint).host;
    const far = await start({ pingMs }, address.href);
    // Before the service, which would wait for answers on lost connections.
    closing.push(() => proxy.close());
    await far.service.outbox.idle();
    // Several connections.
    await Promise.all(Array.from({ length: maxConnections }, far.isReady));
    proxy.set({ kind: 'silence' });
    await vi.waitFor(async () => expect(await far.isReady()).toBe(200), 60_000);
    expect((await upload(far)).status).toBe(200);
  });
});

describe('a database whose connections are all in use', () => {
  const lock = 7;
  const takeLock = sql`select pg_advisory_xact_lock(${sql.lit(lock)})`;
  const closing: (() => Promise<unknown>)[] = [];
  let database: TestDatabase;
  let other: Database;
  beforeAll(async () => {
    database = await createTestDatabase('postgres');
    other = await openDatabase(database.config, 'server');
    closing.push(() => other.close());
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
    await database?.remove();
  });

  /** Opens the database through a proxy, runs `during` while each of its connections waits for a lock, and returns how the waits end. */
  const whileAllWait = async (during: (database: Database, proxy: FaultyProxy) => Promise<unknown>) => {
    const proxy = await startFaultyProxy(new URL(`http://${new URL(database.url).host}`));
    const url = new URL(database.url);
    url.host = new URL(proxy.endpoint).host;
    const limits = { ...patient, firstLockMs: null, idleInTransactionMs: endless, pingMs };
    const far = await openDatabase({ kind: 'postgres', url: url.href, maxConnections, limits }, 'server');
    closing.push(
      () => far.close(),
      () => proxy.close(),
    );
    return other.queries.transaction().execute(async (holder) => {
      await takeLock.execute(holder);
      const waits = Promise.allSettled(
        Array.from({ length: maxConnections }, () => takeLock.execute(far.queries)),
      );
      await vi.waitFor(async () => {
        const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted`.execute(
          other.queries,
        );
        expect(rows).toHaveLength(maxConnections);
      }, 60_000);
      await during(far, proxy);
      return { waits };
    });
  };

  it('answers pings, and closes none of them', async () => {
    const { waits } = await whileAllWait(async (far) => {
      for (let time = 0; time < 3; time++) await far.ping();
    });
    expect(new Set((await waits).map(({ status }) => status))).toEqual(new Set(['fulfilled']));
  });

  it('closes them as soon as a new connection answers and the one for pings does not', async () => {
    const { waits } = await whileAllWait(async (far, proxy) => {
      await far.ping();
      proxy.set({ kind: 'silence' });
      await vi.waitFor(() => far.ping(), 60_000);
    });
    expect(new Set((await waits).map(({ status }) => status))).toEqual(new Set(['rejected']));
  });
});

const backendQueries = defineQueries((db) => ({
  pid: async () => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    return rows[0]?.pid ?? 0;
  },
}));
