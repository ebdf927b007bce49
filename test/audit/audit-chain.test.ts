import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditChainQueries } from '../../src/audit/audit-chain-queries.ts';
import { auditLine } from '../../src/audit/audit-line.ts';
import { createAuditChain, sealAll } from '../../src/audit/seal-entries.ts';
import { verifyChain, verifyCopy } from '../../src/audit/verify-chain.ts';
import { copyRows } from '../../src/db/copy-rows.ts';
import { createData, type Data } from '../../src/db/data.ts';
import { auditQueries } from '../../src/owners/audit-queries.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { scansOf } from '../support/query-plans.ts';
import { dialects } from '../support/test-database.ts';

const chain = createAuditChain('a secret of the server that is long enough');
const hour = 60 * 60_000;
const start = Date.parse('2026-11-21T09:00:00Z');

describe.each(dialects)('hash chain of the audit log on %s', (dialect) => {
  let test: TestData;
  let data: Data;
  let statements: Set<string>;
  beforeEach(async () => {
    statements = new Set();
    test = await openTestData(dialect, ({ sql: text }) => statements.add(text));
    data = createData(test.database);
  });
  afterEach(() => test.close());

  const record = (subject: string, at = start, action = 'project.made') =>
    auditQueries(data).record({ at, actor: 'system', action, ownerId: null, subject });
  /** Five sealed entries. */
  const fill = async () => {
    for (const number of [1, 2, 3, 4, 5]) await record(`project-${number}`, start + number);
    await sealAll(data, chain);
  };
  const byHand = (text: string) => sql.raw(text).execute(test.database.queries);
  const idOf = async (seq: number) => (await auditChainQueries(data).findSeal(seq))?.entryId ?? '';
  const problems = async () => {
    const verified = await verifyChain(data, chain);
    return verified.problems.map(({ problem, seq }) => `${problem} ${seq}`);
  };
  const exported = async () => {
    const seals = await auditChainQueries(data).listSealed(0, 100);
    let previous = '0'.repeat(64);
    return seals.map((seal) => {
      const line = auditLine(seal, previous);
      previous = seal.hash;
      return line;
    });
  };
  const copyOf = async (lines: readonly string[]) => {
    const read = (async function* () {
      yield* lines;
    })();
    const { problems: wrong, ...rest } = await verifyCopy(data, read);
    return { ...rest, problems: wrong.map(({ problem, seq }) => `${problem} ${seq}`) };
  };

  it('seals entries in order, also those that are committed late', async () => {
    await fill();
    await record('late', start - 30 * 60_000);
    expect(await sealAll(data, chain)).toBe(1);
    expect(await sealAll(data, chain)).toBe(0);
    const verified = await verifyChain(data, chain);
    expect(verified).toMatchObject({ entries: 6, removed: 0, unsealed: 0, problems: [], head: { seq: 6 } });
    const [, , , , , last] = await auditChainQueries(data).listSealed(0, 10);
    expect(last?.entry?.subject).toBe('late');
    expect(await verifyChain(data, chain, { from: 3, to: 4 })).toMatchObject({ entries: 2, problems: [] });
  });

  it('lets two nodes seal at once', async () => {
    const second = createData((await test.openSecond()).database);
    for (let number = 0; number < 450; number++) await record(`project-${number}`);
    const sealed = await Promise.all([sealAll(data, chain), sealAll(second, chain)]);
    expect(sealed[0] + sealed[1]).toBe(450);
    expect(await verifyChain(data, chain)).toMatchObject({ entries: 450, problems: [] });
  });

  it.each([
    ['a changed subject', "update audit_rows set subject = 'x' where id = ?", ['changed 3']],
    ['a changed actor', "update audit_rows set actor_name = 'x' where id = ?", ['changed 3']],
    ['a changed time', 'update audit_rows set at = at + 1 where id = ?', ['changed 3']],
    ['an entry without its mark', 'update audit_rows set sealed = 0 where id = ?', ['changed 3']],
    ['a deleted entry', 'delete from audit_rows where id = ?', ['deleted 3']],
    ['a forged waiver', "update audit_seals set waiver = 'x', salt = null where entry_id = ?", ['changed 3']],
    ['a deleted seal', 'delete from audit_seals where entry_id = ?', ['gap 3', 'inserted null']],
  ])('reports %s', async (_, statement, expected) => {
    await fill();
    await byHand(statement.replace('?', `'${await idOf(3)}'`));
    expect(await problems()).toEqual(expected);
  });

  it('reports a deletion with its seal, wherever it was', async () => {
    await fill();
    for (const [seq, found] of [
      [5, ['gap 5']],
      [1, ['gap 5', 'gap 1']],
    ] as const) {
      await byHand(`delete from audit_rows where id = '${await idOf(seq)}'`);
      await byHand(`delete from audit_seals where seq = ${seq}`);
      expect((await problems()).sort()).toEqual([...found].sort());
    }
  });

  it('reports inserted and backdated entries', async () => {
    await fill();
    const insert = (id: string, at: number, sealed: number) =>
      byHand(
        `insert into audit_rows (id, at, actor_kind, actor_name, action, subject, details, sealed)
         values ('${id}', ${at}, 'system', 'system', 'project.made', 'forged', '{}', ${sealed})`,
      );
    await insert('0forged', start, 1);
    await insert('1forged', start - 2 * hour, 0);
    await sealAll(data, chain);
    expect(await problems()).toEqual(['backdated 6', 'inserted null']);
  });

  it('reports exchanged entries, and a chain that was made again without the secret', async () => {
    await fill();
    await byHand("update audit_seals set entry_id = 'x' where seq = 2");
    await byHand(
      `update audit_seals set entry_id = (select id from audit_rows where subject = 'project-2') where seq = 3`,
    );
    await byHand(
      `update audit_seals set entry_id = (select id from audit_rows where subject = 'project-3') where seq = 2`,
    );
    expect(await problems()).toEqual(['changed 2', 'changed 3']);
    await byHand("update installation_facts set value = '0 x y' where name = 'audit-head'");
    expect(await problems()).toEqual(['signature null']);
    await expect(sealAll(data, chain)).rejects.toThrow('the hash chain of the audit log is broken');
  });

  it('does not extend a chain whose end was removed', async () => {
    await fill();
    await byHand(`delete from audit_rows where id = '${await idOf(5)}'`);
    await byHand('delete from audit_seals where seq = 5');
    await record('next');
    await expect(sealAll(data, chain)).rejects.toThrow('its newest seal was changed');
  });

  it('stays valid when retention removes entries from the middle and from the start', async () => {
    for (const action of [
      'project.made',
      'sign-in.accepted',
      'project.made',
      'sign-in.ended',
      'project.made',
    ])
      await record('one', start, action);
    await sealAll(data, chain);
    const removal = { actions: ['sign-in.accepted', 'sign-in.ended'], before: start + hour };
    expect(await data.transaction((tx) => chain.removeSome(tx, removal))).toBe(2);
    expect(await verifyChain(data, chain)).toMatchObject({ entries: 3, removed: 2, problems: [] });
    const copy = await exported();
    await byHand(`delete from audit_rows where id = '${await idOf(3)}'`);
    expect(await problems()).toEqual(['deleted 3']);
    await record('last', start + 2 * hour);
    await sealAll(data, chain);
    const everything = { actions: null, before: start + hour };
    expect(await data.transaction((tx) => chain.removeSome(tx, everything))).toBe(2);
    const [first] = await auditChainQueries(data).listSealed(0, 10);
    // Kept, because nothing explains why the third entry is missing.
    expect(first?.seq).toBe(3);
    expect(await problems()).toEqual(['deleted 3']);
    expect(await copyOf(copy)).toMatchObject({ lines: 5, problems: [] });
  });

  it('keeps only the last link when retention removed everything before it', async () => {
    await fill();
    await data.transaction((tx) => chain.removeSome(tx, { actions: null, before: start + hour }));
    expect(await auditChainQueries(data).listSealed(0, 10)).toEqual([]);
    expect(await problems()).toEqual([]);
    await record('next');
    await sealAll(data, chain);
    expect(await verifyChain(data, chain)).toMatchObject({ entries: 1, head: { seq: 6 }, problems: [] });
    await byHand("update installation_facts set value = '0 x y' where name = 'audit-start'");
    expect(await problems()).toEqual(['signature null']);
  });

  it('lets a person be erased, and nobody else change the entry', async () => {
    await fill();
    const sealed = await auditChainQueries(data).findSeal(2);
    if (!sealed?.entry) throw new Error('there is no entry');
    const entry = { ...sealed.entry, subject: 'deleted-user' };
    await data.transaction((tx) => chain.rewrite(tx, [{ sealed, entry }]));
    expect(await verifyChain(data, chain)).toMatchObject({ entries: 5, erased: 1, problems: [] });
    expect((await auditChainQueries(data).findSeal(2))?.salt).toBe(null);
    await byHand(`update audit_rows set subject = 'somebody' where id = '${entry.id}'`);
    expect(await problems()).toEqual(['changed 2']);
  });

  it('verifies a copy with repeated and incomplete lines, and reports changed and missing ones', async () => {
    await fill();
    const lines = await exported();
    const [one = '', two = '', three = '', four = ''] = lines;
    const interrupted = [one, two.slice(0, 40), one, two, three];
    expect(await copyOf(interrupted)).toEqual({
      lines: 4,
      repeated: 1,
      incomplete: 1,
      first: 1,
      last: 3,
      problems: [],
    });
    expect((await copyOf([one, two.replace('project-2', 'project-9'), three])).problems).toEqual(['line 2']);
    expect((await copyOf([one, three])).problems).toEqual(['gap 2']);
    await byHand('update audit_seals set hash = entry_hash where seq = 4');
    expect((await copyOf([three, four])).problems).toEqual(['differs 4']);
    await byHand('delete from audit_seals where seq >= 3');
    expect((await copyOf([two, three])).problems).toEqual(['differs 3']);
  });

  it('stays valid in another database of either kind', async () => {
    await fill();
    const target = await openTestData('sqlite');
    try {
      await copyRows(test.database, target.database);
      expect(await verifyChain(createData(target.database), chain)).toMatchObject({
        entries: 5,
        problems: [],
      });
    } finally {
      await target.close();
    }
  });

  it('cannot be verified without the secret', async () => {
    await fill();
    const other = createAuditChain('another secret of the server, also long enough');
    const { problems: wrong } = await verifyChain(data, other);
    expect(wrong).toEqual([
      {
        problem: 'signature',
        seq: null,
        about: expect.stringContaining('a secret that this server does not have'),
      },
    ]);
  });

  it('reads no table completely while it seals, removes and streams', async () => {
    await fill();
    await auditChainQueries(data).hasUnsealed();
    await data.transaction((tx) => chain.removeSome(tx, { actions: ['sign-in.ended'], before: start }));
    await data.transaction((tx) => chain.removeSome(tx, { actions: null, before: start }));
    const asked = [...statements].filter(
      (text) => /^(select|insert|update|delete)/.test(text) && /audit_/.test(text),
    );
    expect(await scansOf(test.database, asked)).toEqual([]);
  });
});
