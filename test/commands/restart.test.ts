/** A server that starts again after a crash continues at once what its predecessor held. */
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { leaseMs } from '../../src/claims/claim.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createInstallation } from '../support/run-cli.ts';
import { dialects } from '../support/test-database.ts';

it.each(dialects)('continues the jobs of a server that was killed, on %s', async (dialect) => {
  const installation = await createInstallation(dialect);
  const first = await installation.serve();
  const database = await openDatabase(readConfig(installation.environment).database);
  try {
    const { queries } = database;
    const known = () => queries.selectFrom('nodes').select('id').executeTakeFirst();
    // SQLite has one server, which is not listed.
    if (dialect === 'postgres') await vi.waitFor(async () => expect(await known()).toBeDefined());
    const nodeId = (await known())?.id ?? 'the predecessor';
    const ended = once(first.process, 'exit');
    first.process.kill('SIGKILL');
    await ended;
    const held = {
      held_by: nodeId,
      claim_number: 1,
      // As if it had renewed its claims with its last breath.
      leased_until: Date.now() + leaseMs,
    };
    await queries
      .insertInto('outbox')
      .values({
        ...held,
        id: 'held',
        kind: 'draw-icon',
        payload: '{"buildId":"gone"}',
        attempts: 1,
        run_at: 1,
        last_error: null,
        created_at: 1,
        queued_for: '',
      })
      .execute();
    await queries
      .insertInto('idempotent_requests')
      .values({
        ...held,
        owner_id: 'o',
        key: 'k',
        digest: '',
        encrypted_answer: null,
        created_at: Date.now(),
      })
      .execute();
    await installation.serve();
    const rest = async () => [
      ...(await queries.selectFrom('outbox').select('id').where('id', '=', 'held').execute()),
      ...(await queries.selectFrom('idempotent_requests').select('key').execute()),
    ];
    await vi.waitFor(async () => expect(await rest()).toEqual([]), leaseMs / 3);
    expect(await queries.selectFrom('nodes').select('id').where('id', '=', nodeId).execute()).toEqual([]);
  } finally {
    await database.close();
    await installation.remove();
  }
});
