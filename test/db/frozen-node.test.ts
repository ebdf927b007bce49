/** What a frozen node, a row that stays locked and lost connections do to other nodes on PostgreSQL. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accountStateQueries } from '../../src/accounts/access/account-state-queries.ts';
import { hashApiKey } from '../../src/accounts/keys/api-key.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createTestQueries, type TestQueries } from '../support/every-query.ts';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import { send } from '../support/http-client.ts';
import { bearer, refusalOf, upload } from '../support/interface-client.ts';
import { type ServiceOnDatabase, startServiceOn } from '../support/start-service-with.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const maxConnections = 10;

describe('a node on PostgreSQL', () => {
  let database: TestDatabase;
  let proxy: FaultyProxy;
  let slipway: ServiceOnDatabase & { port: number };
  /** Of another node, on the database itself. */
  let other: Database;
  let data: TestQueries;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase('postgres');
    proxy = await startFaultyProxy(new URL(`http://${new URL(database.url).host}`));
    const address = new URL(database.url);
    address.host = new URL(proxy.endpoint).host;
    const started = await startServiceOn({ kind: 'postgres', url: address.href, maxConnections });
    slipway = { ...started, port: Number(new URL(started.origin).port) };
    other = await openDatabase(database.config, 'server');
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
    await other?.close();
    await slipway?.close();
    await proxy?.close();
    await database?.remove();
  });

  const isReady = async () => (await send(slipway.port, '/readyz')).status;

  it('serves other owners and stays ready while a frozen node holds the row of one, whose uploads then succeed', async () => {
    const held = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();
    const frozen = data.transaction(async (tx) => {
      await tx.quotas.lockForUpload(projectId);
      held.resolve();
      await thawed.promise;
      await tx.owners.hasUsers();
    });
    const lost = expect(frozen).rejects.toThrow();
    await held.promise;
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
      while (!isOver) answers.add(await isReady());
    })();
    const served = Promise.all(Array.from({ length: 5 }, () => uploadTo('admin')));
    expect(new Set(await served)).toEqual(new Set([200]));
    expect(finished).not.toContain('other');
    expect(new Set(await stuck)).toEqual(new Set([200]));
    isOver = true;
    await watched;
    expect([...answers]).toEqual([200]);
    thawed.resolve();
    await lost;
  });

  it('recognizes keys and sessions that a frozen node holds', async () => {
    const admin = await data.owners.findOwner('admin');
    const held = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();
    // Long enough ago that a request records its use.
    await sql`update api_keys set last_used_at = 1`.execute(other.queries);
    const frozen = data.transaction(async (tx) => {
      await tx.keys.holdKey(hashApiKey(slipway.adminKey), Date.now());
      await accountStateQueries(tx).hold(admin?.id ?? '');
      held.resolve();
      await thawed.promise;
      return tx.owners.hasUsers();
    });
    let isFrozen = true;
    const lost = expect(frozen).rejects.toThrow();
    await held.promise;
    const answers = Promise.all(
      Array.from({ length: 3 * maxConnections }, () =>
        send(slipway.port, '/api/organizations', { headers: bearer(slipway.adminKey) }),
      ),
    ).then((all) => {
      expect(isFrozen).toBe(true);
      return all.map(({ status }) => status);
    });
    const ended = vi.waitFor(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`.execute(
        other.queries,
      );
      expect(rows).toEqual([]);
      isFrozen = false;
    }, 20_000);
    expect(new Set(await answers)).toEqual(new Set([200]));
    await ended;
    thawed.resolve();
    await lost;
  });

  it('answers 503 with Retry-After for a row that stays locked, and serves other owners', async () => {
    const held = Promise.withResolvers<number>();
    const command = await openDatabase(database.config, 'command');
    const holder = command.queries.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`
        select pg_backend_pid() as pid from owners where id = ${projectId} for no key update`.execute(tx);
      held.resolve(rows[0]?.pid ?? 0);
      // Busy, not idle: PostgreSQL does not end it.
      await sql`select pg_sleep(60)`.execute(tx);
    });
    const ended = expect(holder).rejects.toThrow();
    const pid = await held.promise;
    const stuck = await Promise.all(
      Array.from({ length: maxConnections }, () => upload(slipway, { owner: 'other' })),
    );
    for (const answer of stuck) {
      expect(refusalOf(answer, 503).error_type).toBe('unavailable');
      expect(answer.headers['retry-after']).toBe('5');
    }
    expect((await upload(slipway)).status).toBe(200);
    await sql`select pg_terminate_backend(${pid}::integer)`.execute(other.queries);
    await ended;
    await command.close();
  });

  it('is ready again soon after its connections were lost silently', async () => {
    // Several connections.
    await Promise.all(Array.from({ length: maxConnections }, isReady));
    proxy.set({ kind: 'silence' });
    await vi.waitFor(async () => expect(await isReady()).toBe(200), 30_000);
    expect((await upload(slipway)).status).toBe(200);
  });
});
