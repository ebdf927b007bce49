/** Where a name still is in texts that people wrote. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditQueries } from '../../src/owners/audit-queries.ts';
import { mentionQueries } from '../../src/privacy/mention-queries.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addApp, addPage, addProject } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('mentions on %s', (dialect) => {
  let test: TestData;
  beforeEach(async () => {
    test = await openTestData(dialect);
  });
  afterEach(() => test.close());

  it('finds whole names and addresses in every text, in any case', async () => {
    const { id: owner } = await addProject(test.data, 'tide');
    const { appId, builds } = await addApp(test.data, owner, { packageName: 'com.tide' });
    const build = builds[0]?.id ?? '';
    await addPage(test.data, appId, build, { name: 'main' });
    const { queries } = test.database;
    await queries.updateTable('builds').set({ message: 'Fix of MINA.h, see the log' }).execute();
    await queries.updateTable('distribution_pages').set({ release_note: 'Thanks, mina.h!' }).execute();
    await queries.updateTable('projects').set({ description: 'mina.hart and xmina.h and minaxh' }).execute();
    await auditQueries(test.data).record({
      at: 1,
      actor: 'system',
      action: 'project.made',
      ownerId: null,
      subject: 'tide',
      details: { reason: 'asked by mina_h@example.com' },
    });
    const found = await mentionQueries(test.data).findMentions(['mina.h', 'mina_h@example.com']);
    expect(found).toEqual([
      { table: 'builds', column: 'message', id: build, excerpt: 'Fix of MINA.h, see the log' },
      {
        table: 'distribution_pages',
        column: 'release_note',
        id: expect.any(String),
        excerpt: 'Thanks, mina.h!',
      },
      {
        table: 'audit_rows',
        column: 'details',
        id: expect.any(String),
        excerpt: expect.stringContaining('asked by mina_h@example.com'),
      },
    ]);
    expect(await mentionQueries(test.data).findMentions(['minaXh@example.com'])).toEqual([]);
  });
});
