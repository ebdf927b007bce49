/** A search in more builds than a single request searches: the page reports it and links to the next part. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxSearchedRevisions } from '../../src/apps/builds/build-labels.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { addApp, sampleBuild } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService, testAdminKey } from '../support/test-service.ts';

const packageName = 'com.example.long';
const path = `/users/admin/apps/${packageName}`;
/** Three searches reach from the newest to the oldest. */
const newest = 2 * maxSearchedRevisions + 2;

describe.each(dialects)('search in many builds on %s', (dialect) => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService({ dialect, blobs: 'memory' });
    const admin = await slipway.data.owners.findOwner('admin');
    const { appId } = await addApp(slipway.data, admin?.id ?? '', { packageName });
    for (const [revision, message] of [
      [2, 'the oldest rare word'],
      [newest - 1, 'the newest rare word'],
      [newest, 'nothing'],
    ] as const) {
      await slipway.data.builds.insertBuild(sampleBuild(appId, revision, { message }));
    }
    // As if the builds between them had been deleted long ago.
    const database = await openDatabase(slipway.config.database);
    await database.queries.updateTable('apps').set({ last_revision: newest }).execute();
    await database.close();
  });
  afterAll(() => slipway.close());

  const look = async (address: string) => {
    const answer = await fetch(new URL(address, slipway.origin), {
      headers: { authorization: `Bearer ${testAdminKey}` },
    });
    const text = await answer.text();
    const link = (rel: 'next' | 'prev') =>
      new RegExp(`<a href="([^"]*)" rel="${rel}"`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? null;
    return {
      found: [...text.matchAll(/the (?:oldest|newest) rare word/g)].map(([words]) => words),
      searched: text.includes('Searched 20,000 builds.'),
      older: link('next'),
      newer: link('prev'),
      text,
    };
  };

  it('stops after a fixed number of builds, reports it, and continues in both directions', async () => {
    const first = await look(`${path}?q=RARE`);
    expect(first).toMatchObject({ found: ['the newest rare word'], searched: true, newer: null });
    const second = await look(first.older ?? '');
    expect(second).toMatchObject({ found: [], searched: true });
    expect(second.text).toContain('No matching builds so far');
    const third = await look(second.older ?? '');
    expect(third).toMatchObject({ found: ['the oldest rare word'], searched: false, older: null });
    const back = await look(third.newer ?? '');
    expect(back).toMatchObject({ found: [], searched: true });
    expect((await look(back.newer ?? '')).found).toEqual(['the newest rare word']);
    expect((await look(back.older ?? '')).found).toEqual(['the oldest rare word']);
  });

  it('does not report a stop when the search is complete or the page is full', async () => {
    const last = await look(`${path}?q=nowhere&platform=android&below=${maxSearchedRevisions}`);
    expect(last).toMatchObject({ found: [], searched: false, older: null });
    expect(last.text).toContain('No matching builds<');
    expect(await look(path)).toMatchObject({ searched: false, older: null, newer: null });
  });
});
