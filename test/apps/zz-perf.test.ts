import { appendFileSync } from 'node:fs';
import { it } from 'vitest';
import { openTestData } from '../support/open-test-data.ts';
import { addUser, sampleBuild, sampleInfo } from '../support/sample-rows.ts';
import { createRemovalHandlers } from '../../src/apps/remove-deleted.ts';
import { createMemoryBlobStore } from '../../src/blobs/memory-blob-store.ts';
const say = (...w: unknown[]) => appendFileSync('/tmp/perf.log', `${w.join(' ')}\n`);
it.each(['sqlite','postgres'] as const)('perf %s', async (dialect) => {
  const test = await openTestData(dialect); const { data } = test;
  const ada = await addUser(data, 'ada');
  const labels = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`l${i}`, 'a label of some length '.repeat(3)]));
  const ids: string[] = []; let appId = '';
  for (let chunk = 0; chunk < 20; chunk++) await data.transaction(async (inside) => {
    for (let n = 0; n < 500; n++) {
      const t = await inside.apps.takeNextRevision({ ownerId: ada.id, platform: 'android', packageName: 'p', secret: 's', now: 1 });
      appId = t.id; const b = sampleBuild(t.id, t.lastRevision, { info: sampleInfo({ labels }) }); ids.push(b.id); await inside.builds.insertBuild(b);
    }
  });
  const time = async (name: string, f: () => Promise<unknown>) => { const s = performance.now(); for (let i = 0; i < 5; i++) await f(); say(dialect, name, ((performance.now() - s) / 5).toFixed(2), 'ms'); };
  await time('list 26 of 10000', () => data.builds.listBuilds(appId, { most: 26 }));
  await time('listApps', () => data.apps.listApps([ada.id], 0, 51));
  await time('usage', () => data.appDeletion.contentsOf(appId, 20));
  await time('hide 100', () => data.transaction((i) => i.buildDeletion.hideBuilds(ids.slice(5000, 5100), 'a', 5)));
  for (let at = 100; at < 10000; at += 100) await data.buildDeletion.hideBuilds(ids.slice(at, at + 100), 'ada', 5 + at);
  await time('list 26, 9900 deleted', () => data.builds.listBuilds(appId, { most: 26 }));
  await time('listApps, 9900 deleted', () => data.apps.listApps([ada.id], 0, 51));
  await time('listDeleted', () => data.buildDeletion.listDeleted(appId, 0, 26));
  const s = performance.now(); await data.appDeletion.hideApp(appId, 9); say(dialect, 'hideApp', (performance.now() - s).toFixed(2));
  const h = createRemovalHandlers({ data, blobs: createMemoryBlobStore(), now: () => 9 });
  let max = 0; const all = performance.now(); let runs = 0;
  while ((await test.database.queries.selectFrom('apps').select('id').where('id', '=', appId).execute()).length) { const one = performance.now(); await h['remove-app']({ kind: 'remove-app', appId }); max = Math.max(max, performance.now() - one); runs++; }
  say(dialect, 'remove-app', runs, 'runs', (performance.now() - all).toFixed(0), 'ms, longest', max.toFixed(1));
  await test.close();
}, 240_000);
