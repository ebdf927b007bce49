/** What the server has about a person: completeness, export, erasure and the ends of what it keeps. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditChain, createAuditChain, sealAll } from '../../src/audit/seal-entries.ts';
import { verifyChain } from '../../src/audit/verify-chain.ts';
import { readSecret } from '../../src/core/secret.ts';
import type { Database } from '../../src/db/database.ts';
import { describeTables } from '../../src/db/describe-tables.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { erasePerson, pseudonymOf } from '../../src/privacy/erase-person.ts';
import { exportPerson, personDocument } from '../../src/privacy/person-export.ts';
import { personalTables } from '../../src/privacy/personal-data.ts';
import { personalDataQueries } from '../../src/privacy/personal-data-queries.ts';
import { createPrivacyRounds } from '../../src/privacy/privacy-rounds.ts';
import { createOwnerDeletion } from '../../src/projects/deletion/owner-deletion.ts';
import { type FullInstallation, startFullInstallation } from '../support/full-installation.ts';
import { openTestData } from '../support/open-test-data.ts';

/** Columns that a person could be in, and that are not exported, with the reason. */
const exemptColumns: Readonly<Record<string, string>> = {
  'attempts.subject': 'a keyed hash, for some hours',
  'audit_rows.actor_kind': 'no person',
  'audit_rows.subject': 'exported with the entries of the person; erased by its text',
  'audit_seals.entry_hash': 'a salted hash, without its salt after an erasure',
  'build_checks.facts': 'facts about the package',
  'builds.label': 'chosen by the uploader for the build',
  'distribution_pages.networks': 'networks that may open a page, not visitors',
  'events.owner_id': 'copies of what the owner’s other rows say, for 30 days',
  'events.data': 'copies of what other rows say, for 30 days',
  'hook_deliveries.facts': 'copies of what other rows say, deleted with the deliveries',
  'hook_deliveries.attempt_log': 'answers of receivers',
  'hooks.shown_address': 'the address of a receiver',
  'hooks.sealed_address': 'the address of a receiver',
  'idempotency_keys.owner_id': 'for a day, without personal values',
  'idempotent_requests.owner_id': 'for a day, without personal values',
  'idempotent_requests.held_by': 'a node',
  'invitations.label': 'the name of a link',
  'outbox.payload': 'work in progress',
  'outbox.held_by': 'a node',
  'owners.accountable_id': 'a Project; transferred when the account is deleted',
  'password_resets.user_id': 'the hash of a link, for an hour',
  'recovery_codes.user_id': 'hashes of secrets',
  'resumable_uploads.held_by': 'a node',
  'resumable_uploads.owner_id': 'the owner of the app; the sender is exported',
  'saml_sessions.name_id': 'part of a session, and deleted with it',
  'scim_group_members.user_id': 'of the directory, which is the source',
  'signing_keys.owner_id': 'secrets of the owner',
  'stored_totals.owner_id': 'sums of what is exported',
  'page_visitors.visitor': 'a salted hash, for a day',
};

/** Columns with names that a person may be behind, and texts in which everything can be. */
const suspicious =
  /user_id|owner_id|_by(_name)?$|email$|address$|udid|actor|sender|author|name_id$|user_agent|network|account|^held_by|subject|visitor|payload|^facts$|attempt_log|^data$|entry_hash/;

describe('the tables of personal data', () => {
  it('name every column that a person can be in, or the reason why it is not exported', async () => {
    const test = await openTestData('sqlite');
    try {
      const tables = await describeTables(test.database);
      const known = new Set([
        ...Object.entries(personalTables).flatMap(([table, { by, omit = [] }]) =>
          [...Object.keys(by), ...omit].map((column) => `${table}.${column}`),
        ),
        ...Object.keys(exemptColumns),
      ]);
      const exported = Object.keys(personalTables);
      const columns = tables.flatMap(({ name, columns: all }) => all.map((column) => ({ name, column })));
      const missing = columns.filter(
        // What else a row has about the person is exported with it.
        ({ name, column }) =>
          suspicious.test(column) && !known.has(`${name}.${column}`) && !exported.includes(name),
      );
      expect(missing.map(({ name, column }) => `${name}.${column}`)).toEqual([]);
      const real = new Set(columns.map(({ name, column }) => `${name}.${column}`));
      expect([...known].filter((column) => !real.has(column))).toEqual([]);
      // A column that references a person must be one by which rows are found.
      const unfound = tables.flatMap(({ name, columns: all, references }) =>
        references.includes('users')
          ? all.filter((column) => column === 'user_id' && !known.has(`${name}.${column}`))
          : [],
      );
      expect(unfound).toEqual([]);
    } finally {
      await test.close();
    }
  });
});

describe('a person', { timeout: 120_000 }, () => {
  let slipway: FullInstallation;
  let database: Database;
  let chain: AuditChain;
  beforeAll(async () => {
    slipway = await startFullInstallation();
    await slipway.service.outbox.idle();
    await slipway.service.outbox.stop();
    database = await openDatabase(slipway.config.database);
    chain = createAuditChain(await readSecret(slipway.config));
  }, 120_000);
  afterAll(async () => {
    await database.close();
    await slipway.close();
  });

  const find = async (name: string) => {
    const person = await personalDataQueries(slipway.data).findPerson(name);
    if (!person) throw new Error(`there is no ${name}`);
    return person;
  };
  /** Rows of all tables that contain the name as a word. */
  const traces = async (name: string) => {
    const found: string[] = [];
    for (const table of await describeTables(database)) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table.name)}`.execute(
        database.queries,
      );
      for (const row of rows)
        for (const [column, value] of Object.entries(row))
          if (typeof value === 'string' && new RegExp(`\\b${name}\\b`).test(value))
            found.push(`${table.name}.${column}: ${value}`);
    }
    return found;
  };

  it('gets everything that names them, without secrets', async () => {
    const person = await find('tess');
    const by = { actor: 'command-line', at: slipway.clock.now() } as const;
    const exported = await exportPerson(slipway.data, person, by);
    expect(exported.owners?.[0]).toMatchObject({ id: person.id, name: 'tess', kind: 'user' });
    expect(exported.users?.[0]).toMatchObject({ email: person.email });
    expect(exported.incomplete).toEqual([]);
    for (const table of ['sessions', 'team_members', 'audit_rows', 'member_activity'])
      expect(exported[table]?.length, table).toBeGreaterThan(0);
    expect(exported.sessions?.[0]?.created_at).toMatch(/^2\d{3}-.*Z$/);
    const columns = Object.values(exported).flatMap((rows) => rows.flatMap((row) => Object.keys(row)));
    expect(columns.filter((column) => /hash|secret|encrypted|sealed_/.test(column))).toEqual([]);
    const text = (await Array.fromAsync(personDocument(slipway.data, person, by))).join('');
    const { audit_rows: entries = [], ...rest } = exported;
    const { audit_rows: later, ...same } = JSON.parse(text);
    expect(same).toEqual(JSON.parse(JSON.stringify(rest)));
    const [first, second] = later.slice(-2);
    expect([first, second].map(({ action, subject }) => [action, subject])).toEqual([
      ['user.data-exported', 'tess'],
      ['user.data-exported', 'tess'],
    ]);
    expect(later.length).toBe(entries.length + 1);
  });

  it('is in no table after the erasure, and the hash chain stays valid', async () => {
    const person = await find('tess');
    const data = slipway.data;
    const deletion = createOwnerDeletion({ data, now: slipway.clock.now, wakeOutbox: () => undefined });
    const user = await data.owners.findOwner('tess');
    const by = { actor: 'command-line', at: slipway.clock.now() } as const;
    await expect(erasePerson(data, chain, person, by)).rejects.toThrow('delete it first');
    if (user?.kind !== 'user') throw new Error('tess is no user');
    expect(await deletion.deleteOwner({ kind: 'user', user }, user, 'tess')).toBe('deleted');
    await sealAll(data, chain);
    await erasePerson(data, chain, await find('tess'), by);
    const verified = await verifyChain(data, chain);
    expect(verified.problems).toEqual([]);
    expect(verified.erased).toBeGreaterThan(0);
    // Copies that are deleted after 30 days, and an email whose sample has the address of somebody else.
    const left = await traces('tess');
    expect(
      left.filter((trace) => !/^(events\.data|outbox\.payload|hook_deliveries\.|mails\.address)/.test(trace)),
    ).toEqual([]);
    expect((await traces(pseudonymOf(person))).length).toBeGreaterThan(0);
    // The name stays reserved.
    const insert = data.owners.insertUser({
      name: 'Tess',
      email: null,
      passwordHash: null,
      mustChangePassword: false,
      emailConfirmed: false,
      administrator: false,
      createdAt: 1,
    });
    await expect(insert).rejects.toThrow(/unique/i);
  });

  it('is erased by a round, which also ends addresses, sign-ins and old entries', async () => {
    const data = slipway.data;
    const now = slipway.clock.now() + 40 * 24 * 60 * 60_000;
    const round = (audit: { signInDays: number; days: number | null; eraseDays: number | null }) =>
      createPrivacyRounds({
        data,
        chain,
        config: { audit: { stream: null, addressDays: 30, ...audit } },
        now: () => now,
      }).handlers['privacy-round']({ kind: 'privacy-round' }, '');
    const user = await data.owners.findOwner('hanna');
    if (user?.kind !== 'user') throw new Error('hanna is no user');
    await sql`update owners set deleted_at = 1 where id = ${user.id}`.execute(database.queries);
    await sql`delete from users where owner_id = ${user.id}`.execute(database.queries);
    const actions = async () => [
      ...new Set((await data.audit.page({ ownerId: null }, { limit: 5000 })).map(({ action }) => action)),
    ];
    expect(await actions()).toContain('sign-in.accepted');
    await round({ signInDays: 30, days: null, eraseDays: 30 });
    expect(await actions()).not.toContain('sign-in.accepted');
    expect(await actions()).toContain('user.made');
    const { rows } = await sql<{ name: string }>`select name from owners where id = ${user.id}`.execute(
      database.queries,
    );
    expect(rows[0]?.name).toBe(pseudonymOf(user));
    const addresses = await sql`select 1 from sessions where address <> '' or user_agent <> ''`.execute(
      database.queries,
    );
    expect(addresses.rows).toEqual([]);
    expect((await verifyChain(data, chain)).problems).toEqual([]);
    await round({ signInDays: 30, days: 30, eraseDays: null });
    expect(await actions()).toEqual(['user.erased']);
    expect(await verifyChain(data, chain)).toMatchObject({ entries: 1, problems: [] });
    // Due once a day.
    const rounds = createPrivacyRounds({
      data,
      chain,
      config: { audit: { stream: null, addressDays: 30, signInDays: 30, days: null, eraseDays: null } },
      now: () => now,
    });
    await rounds.plan();
    await rounds.plan();
    const planned = await sql<{ id: string }>`select id from outbox where kind = 'privacy-round'`.execute(
      database.queries,
    );
    expect(planned.rows).toEqual([{ id: `privacy-${new Date(now).toISOString().slice(0, 10)}` }]);
  });
});
