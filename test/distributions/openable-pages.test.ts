/** Lists hold exactly the pages that the rules of `page-rules.ts` open for the viewer, on both dialects. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closedReason } from '../../src/apps/distributions/page-state.ts';
import type { PageViewer } from '../../src/apps/listed-page.ts';
import { liveQueries } from '../../src/apps/live/live-queries.ts';
import { newHexKey } from '../../src/core/identifier.ts';
import { decideVisit } from '../../src/distributions/access/page-rules.ts';
import {
  initialPageSettings,
  type PageRules,
  pageAccessKinds,
} from '../../src/distributions/distribution-page.ts';
import { groupQueries } from '../../src/owners/group-queries.ts';
import type { Project, User } from '../../src/owners/owner.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addApp, addPage, addProject, addUser } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

const now = 1000;
const byUser = (user: User): PageViewer => ({ kind: 'actor', actor: { kind: 'user', user }, now });
const byProject = (project: Project): PageViewer => ({
  kind: 'actor',
  actor: { kind: 'project', project },
  now,
});
const variants = pageAccessKinds.flatMap((access) =>
  [true, false].flatMap((active) =>
    [null, now, now + 1].map((expiresAt) => ({ access, active, expiresAt, name: newHexKey() })),
  ),
);

describe.each(dialects)('lists of pages on %s', (dialect) => {
  let test: TestData;
  beforeAll(async () => {
    test = await openTestData(dialect);
  });
  afterAll(() => test.close());

  /** An app with a page of each variant, those for groups for the group of these people. */
  const addPages = async (ownerId: string, group: readonly User[]) => {
    const { data } = test;
    const { appId, builds } = await addApp(data, ownerId, { packageName: `com.${newHexKey()}` });
    const groupId = await groupQueries(data).insertGroup({ ownerId, name: newHexKey(), now });
    for (const user of group) await groupQueries(data).addPerson(groupId, user.id, now);
    const buildId = builds[0]?.id ?? '';
    for (const { name, ...rules } of variants) {
      const page = await addPage(data, appId, buildId, { name, now });
      await data.pageSettings.saveRules(page.id, { ...page, ...rules, recount: false });
      if (rules.access === 'groups') await groupQueries(data).setGroupsOfPage(page.id, [groupId]);
    }
    return { appId, buildId };
  };

  const listed = async (viewer: PageViewer, { appId, buildId }: { appId: string; buildId: string }) => {
    const { appPages, search } = test.data;
    const names = (await appPages.listPages(viewer, appId, 100)).map(({ name }) => name).sort();
    const elsewhere = {
      ofBuild: await appPages.pagesOfBuild(viewer, buildId),
      serving: await appPages.pagesServing(viewer, [buildId]),
      found: (await search.findPages(viewer, [appId], ['com'], 100)).map(({ page }) => page),
    };
    for (const pages of Object.values(elsewhere)) expect(pages.map(({ name }) => name).sort()).toEqual(names);
    const live = (await appPages.livePagesOf(viewer, [appId], { limit: 100, now })).get(appId) ?? [];
    const open = new Set(variants.filter((page) => !closedReason(page, now)).map(({ name }) => name));
    expect(live.map(({ name }) => name).sort()).toEqual(names.filter((name) => open.has(name)));
    return names;
  };
  const opening = (visit: { member: boolean; inGroup: boolean }) =>
    variants
      .filter((page) => {
        const rules: PageRules = {
          ...initialPageSettings,
          passcodeHash: null,
          ...page,
        };
        const visitor = { now, address: '192.0.2.1', signedIn: visit.member, knowsPasscode: false };
        return decideVisit(rules, { ...visitor, ...visit }).kind === 'admitted';
      })
      .map(({ name }) => name)
      .sort();
  const all = variants.map(({ name }) => name).sort();
  const [outside, inside] = [
    { member: true, inGroup: false },
    { member: true, inGroup: true },
  ];

  it('tell everyone in a Project of the pages that open for them', async () => {
    const { data } = test;
    const project = await addProject(data, `crew-${newHexKey()}`);
    const people: Record<string, User> = {};
    for (const [name, team] of [
      ['olga', 'owner'],
      ['dev', 'developer'],
      ['tess', 'tester'],
      ['tom', 'tester'],
    ] as const) {
      const user = await addUser(data, `${name}-${newHexKey()}`);
      await data.owners.addTeamMember(project.id, team, user.id, now);
      people[name] = user;
    }
    const { olga, dev, tess, tom } = people as Record<'olga' | 'dev' | 'tess' | 'tom', User>;
    const pages = await addPages(project.id, [tess]);
    expect(await listed({ kind: 'manager' }, pages)).toEqual(all);
    for (const user of [olga, dev]) expect(await listed(byUser(user), pages)).toEqual(all);
    expect(await listed(byUser(tess), pages)).toEqual(opening(inside));
    expect(await listed(byUser(tom), pages)).toEqual(opening(outside));
    expect(opening(inside)).not.toEqual(opening(outside));
    expect(await listed({ kind: 'member', now }, pages)).toEqual(opening(outside));
    expect(await listed({ kind: 'guest', now }, pages)).toEqual(opening({ member: false, inGroup: false }));
    expect(await listed(byProject(project), pages)).toEqual(all);
    const inWorkspace = { ...project, workspace: { id: 'w', name: 'w' } } as Project;
    expect(await listed(byProject(inWorkspace), pages)).toEqual(opening(outside));
  });

  it('tell the people of an app of a User of the pages that open for them', async () => {
    const { data } = test;
    const [ada, tess, tom] = (await Promise.all(
      ['ada', 'tess', 'tom'].map((name) => addUser(data, `${name}-${newHexKey()}`)),
    )) as [User, User, User];
    const pages = await addPages(ada.id, [tess]);
    expect(await listed(byUser(ada), pages)).toEqual(all);
    expect(await listed(byUser(tess), pages)).toEqual(opening(inside));
    expect(await listed(byUser(tom), pages)).toEqual(opening(outside));
  });

  it('tell open pages of an app of changes that their viewers may know', async () => {
    const { data } = test;
    const owner = await addUser(data, `ada-${newHexKey()}`);
    const { appId, builds } = await addApp(data, owner.id, { packageName: 'com.live' });
    const buildId = builds[0]?.id ?? '';
    const state = async (kind: 'manager' | 'member' | 'guest') =>
      (await liveQueries(data).appState({ kind, now }, appId, null)).digest;
    const states = async () => [await state('manager'), await state('member'), await state('guest')];
    const content = { buildId, releaseNote: '', now };
    for (const [at, access, told] of [
      [1, 'unlisted', [true, true, true]],
      [2, 'members', [true, true, false]],
      [3, 'groups', [true, false, false]],
    ] as const) {
      const before = await states();
      const page = await data.distributions.putPageByName({
        ...content,
        appId,
        name: access,
        accessKey: newHexKey(),
      });
      await data.pageSettings.saveRules(page.id, { ...page, access, recount: false });
      await data.distributions.updatePage(page.id, { ...content, now: now + at });
      expect((await states()).map((digest, index) => digest !== before[index])).toEqual(told);
    }
  });
});
