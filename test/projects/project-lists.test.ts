/** Lists of many Projects and Workspaces: a dozen on the start page, all of them in pages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { get } from '../support/interface-client.ts';
import { addManyProjects, longNames } from '../support/many-projects.ts';
import { withoutFormTokens } from '../support/page-forms.ts';
import { addApp } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

describe.each(dialects)('many Projects on %s', (dialect) => {
  let slipway: TestService;
  let people: SignedInPeople;
  let oliveId: string;
  const names = longNames('crew', 120, 12);
  beforeAll(async () => {
    slipway = await startTestService({ dialect, blobs: 'memory' });
    people = await signInPeople(slipway, ['admin', 'olive', 'tess', 'stranger']);
    oliveId = await people.idOf('olive');
    const harbour = await slipway.data.owners.insertWorkspace({
      name: 'harbour',
      displayName: 'Harbour Labs',
      iconUrl: '/i.png',
      createdAt: 1,
    });
    const ids = await addManyProjects(slipway, oliveId, names.slice(0, 60), { workspace: harbour });
    ids.push(...(await addManyProjects(slipway, oliveId, names.slice(60), { madeFrom: 61 })));
    await addManyProjects(slipway, await people.idOf('tess'), ['just-one'], {
      team: 'tester',
      workspace: harbour,
      description: 'x'.repeat(4096),
    });
    // The first one has the latest upload, then the last one; the others are sorted by creation, newest first.
    await addApp(slipway.data, ids[0] ?? '', { now: 9000 });
    await addApp(slipway.data, ids[119] ?? '', { now: 8000 });
    for (let at = 0; at < 14; at++) {
      const row = { name: `yard-${at}`, displayName: `Yard ${at}`, iconUrl: '/i.png', createdAt: 1 };
      const { id } = await slipway.data.owners.insertWorkspace(row);
      await slipway.data.workspaces.addPerson(id, oliveId, 'owner');
    }
  });
  afterAll(() => slipway.close());

  const linksOf = (html: string, pattern: RegExp) =>
    readElements(/<main.*<\/main>/s.exec(html)?.[0] ?? html)
      .map(({ attributes }) => pattern.exec(attributes.get('href') ?? '')?.[1])
      .filter((name) => name !== undefined);
  const projectsOf = (html: string) => linksOf(html, /^\/organizations\/([^/]+)$/);
  const linkOf = (html: string, rel: 'next' | 'prev') =>
    readElements(html)
      .find(({ attributes }) => attributes.get('rel') === rel)
      ?.attributes.get('href');

  it('show the dozen with the latest uploads on the start page, with a link to all', async () => {
    const { text } = await people.get('olive', '/');
    expect(projectsOf(text)).toEqual([names[0], names[119], ...names.slice(109, 119).reverse()]);
    expect(text).toContain('href="/projects">All 120 Projects</a>');
    expect(linksOf(text, /^\/enterprises\/([^/]+)$/)).toHaveLength(12);
    expect(text).toContain('href="/workspaces">All 14 Workspaces</a>');
    const few = (await people.get('tess', '/')).text;
    expect(projectsOf(few)).toEqual(['just-one']);
    expect(few).not.toContain('href="/projects">All');
  });

  it('are paginated forward and back', async () => {
    const first = (await people.get('olive', '/projects')).text;
    expect(projectsOf(first)).toEqual(names.slice(0, 50));
    expect([linkOf(first, 'prev'), linkOf(first, 'next')]).toEqual([
      undefined,
      `/projects?after=${names[49]}`,
    ]);
    const second = (await people.get('olive', linkOf(first, 'next') ?? '')).text;
    expect(projectsOf(second)).toEqual(names.slice(50, 100));
    const third = (await people.get('olive', linkOf(second, 'next') ?? '')).text;
    expect([projectsOf(third), linkOf(third, 'next')]).toEqual([names.slice(100), undefined]);
    for (const [from, shown] of [
      [third, second],
      [second, first],
    ] as const) {
      const back = (await people.get('olive', linkOf(from, 'prev') ?? '')).text;
      expect(withoutFormTokens(back)).toBe(withoutFormTokens(shown));
    }
    for (const words of ['Harbour Labs', 'Developer', 'No uploads yet', '1970'])
      expect(first).toContain(words);
  });

  it.each([
    'after=zzz',
    'before=a',
    'before=crew-0010',
    'after=%00',
    'after=a&after=b',
    'after=A%20b',
    'page=2',
  ])('start with the first page for %s', async (place) => {
    const { status, text } = await people.get('olive', `/projects?${place}`);
    expect([status, projectsOf(text)]).toEqual([200, names.slice(0, 50)]);
  });

  it.each([
    ['CREW-0011', names.slice(11, 12)],
    ['crew 9-', names.filter((name) => name.includes('9-'))],
    ['_', []],
    ['%', []],
    ['\\', []],
    ["' or 1=1 --", []],
    ['just-one', []],
    ['x'.repeat(5000), []],
  ])('are found by %.20j', async (query, expected) => {
    const { text } = await people.get('olive', `/projects?q=${encodeURIComponent(query)}`);
    expect(projectsOf(text)).toEqual(expected);
    if (expected.length === 0) expect(text).toContain('Nothing matches');
  });

  it('keep the search across pages, and return to scripts only the part that changes', async () => {
    const { text } = await people.get('olive', '/projects?q=crew');
    expect(linkOf(text, 'next')).toBe(`/projects?q=crew&after=${names[49]}`);
    const part = await people.get('olive', '/projects?q=crew-001&part=projects');
    expect(part.text).toMatch(/^<div data-found="10 Projects">/);
    expect(part.text).not.toContain('csrf');
    expect((await people.get('olive', '/projects?q=zz&part=projects')).text).toContain('No Project matches');
  });

  it('are shown only to their members', async () => {
    expect(projectsOf((await people.get('tess', '/projects')).text)).toEqual(['just-one']);
    const none = await people.get('stranger', '/projects');
    expect(none.text).toContain('No Projects yet');
    expect(none.text).not.toContain('id="q"');
    expect((await people.get('stranger', '/workspaces')).text).toContain('No Workspaces');
    const key = await slipway.user('with-key');
    expect((await get(slipway, '/projects', key)).text).not.toContain('href="/projects/new"');
    const projectKey = await slipway.projectKey('just-one');
    expect((await get(slipway, '/projects', projectKey)).status).toBe(404);
  });

  it('are paginated in a Workspace, which shows people only their own', async () => {
    const { text } = await people.get('admin', '/enterprises/harbour');
    const listedIn = (html: string) =>
      [...html.matchAll(/<bdi>(crew-[\w-]+|just-one)<\/bdi>/g)].map(([, name]) => name);
    expect([listedIn(text), projectsOf(text)]).toEqual([names.slice(0, 50), []]);
    const next = linkOf(text, 'next') ?? '';
    expect(next).toBe(`/enterprises/harbour?after=${names[49]}`);
    expect(listedIn((await people.get('admin', next)).text)).toEqual([...names.slice(50, 60), 'just-one']);
    const found = await people.get('admin', '/enterprises/harbour?q=just&part=found');
    expect(found.text).toMatch(/^<div data-found="1 Project">/);
    expect(found.text).not.toContain('x'.repeat(300));
    const own = await people.get('tess', '/enterprises/harbour?q=crew');
    expect([own.status, projectsOf(own.text)]).toEqual([200, []]);
    expect(projectsOf((await people.get('tess', '/enterprises/harbour')).text)).toEqual(['just-one']);
    for (const query of ['', '?q=just', '?after=a', '?part=found']) {
      expect((await people.get('stranger', `/enterprises/harbour${query}`)).status).toBe(404);
    }
    const key = await slipway.projectKey('just-one');
    expect(projectsOf((await get(slipway, '/enterprises/harbour?q=crew', key)).text)).toEqual(['just-one']);
  });

  it('are paginated as upload targets, with the user first', async () => {
    const places = async (address: string) =>
      linksOf((await people.get('olive', address)).text, /^\/(?:organizations|users)\/([^/]+)\/upload$/);
    expect(await places('/upload')).toEqual(['olive', ...names.slice(0, 50)]);
    expect(await places(`/upload?after=${names[49]}`)).toEqual(names.slice(50, 100));
    expect(await places('/upload?q=crew-0007')).toEqual([names[7]]);
    expect(await places('/upload?q=nothing')).toEqual([]);
    const part = await people.get('olive', '/upload?q=crew-0007&part=places');
    expect(part.text).toMatch(/^<div data-found="1 Project">/);
    expect((await people.get('tess', '/upload')).headers.location).toBe('/users/tess/upload');
  });

  it('are paginated per user for administrators', async () => {
    const teamsOf = (html: string) => linksOf(html, /^\/organizations\/([^/]+)\/people$/);
    const { text } = await people.get('admin', '/administration/people/olive');
    expect(teamsOf(text)).toEqual(names.slice(0, 50));
    const next = linkOf(text, 'next') ?? '';
    expect(next).toBe(`/administration/people/olive?after=${names[49]}`);
    expect(teamsOf((await people.get('admin', next)).text)).toEqual(names.slice(50, 100));
  });

  it('are listed by Workspace name for its owners, and found by display name', async () => {
    const workspaces = async (address: string) =>
      linksOf((await people.get('olive', address)).text, /^\/enterprises\/([^/]+)$/);
    expect(await workspaces('/workspaces')).toHaveLength(14);
    expect(await workspaces('/workspaces?q=yard%2013')).toEqual(['yard-13']);
    const part = await people.get('olive', '/workspaces?q=zz&part=workspaces');
    expect(part.text).toMatch(/^<div data-found="No Workspace matches">/);
    expect((await people.get('admin', '/workspaces')).text).toContain('href="/workspaces/new"');
    expect((await people.get('olive', '/workspaces')).text).not.toContain('href="/workspaces/new"');
  });
});
