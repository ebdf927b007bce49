/** The build list of an app: filters, counts, bulk actions and what is live. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../support/browser-session.ts';
import { appPath, type BuildKit, buildPath, startBuildKit } from '../support/build-actions-kit.ts';
import { sampleBuild } from '../support/sample-rows.ts';

let kit: BuildKit;
beforeAll(async () => {
  kit = await startBuildKit();
});
afterAll(() => kit?.close());

describe('the build list', () => {
  beforeAll(async () => {
    await kit.upload({ fields: { branch: 'main', label: 'snapshot' } });
    await kit.upload({ fields: { branch: 'release/3', distribution_name: 'QA' } });
    await kit.upload({ fields: { branch: 'main', message: 'Fix the **banner**' } });
  });

  const list = async (query = '') => (await kit.dev.get(`${appPath}${query}`)).text;
  const revisions = (html: string) =>
    [...html.matchAll(/name="revision" value="(\d+)"/g)].map(([, revision]) => Number(revision));
  const actionsOf = async () =>
    (await kit.slipway.data.audit.list((await kit.slipway.data.owners.findOwner('tides'))?.id ?? '', 99)).map(
      ({ action, subject }) => [action, subject.split(' ').at(-1)],
    );

  it('shows every build with its source, newest first, and counts them', async () => {
    const html = await list();
    expect(revisions(html)).toEqual([3, 2, 1]);
    expect(html).toContain('3 builds');
    expect(html).toContain('Fix the banner');
    expect(html).toContain('title="release/3"');
    expect(html).toContain('<bdi class="cut">QA</bdi>');
  });

  it('filters by branch, label, uploader and page, and combines filters with a search', async () => {
    expect(revisions(await list('?branch=main'))).toEqual([3, 1]);
    expect(await list('?branch=main')).toContain('2 matching builds');
    expect(revisions(await list('?label=snapshot'))).toEqual([1]);
    expect(revisions(await list('?uploader=dora'))).toEqual([3, 2, 1]);
    expect(revisions(await list('?branch=main&q=banner'))).toEqual([3]);
    const [, page] = /\?page=([0-9a-z]+)/.exec(await list('?branch=main')) ?? [];
    const byPage = await list(`?page=${page ?? 'missing'}`);
    // A single page filters nothing, so it is not offered.
    expect(page).toBeUndefined();
    expect(byPage).toContain('No matching builds');
  });

  it('ignores filters that are empty or longer than any value', async () => {
    expect(revisions(await list('?branch='))).toEqual([3, 2, 1]);
    expect(revisions(await list(`?branch=${'x'.repeat(1_025)}`))).toEqual([3, 2, 1]);
  });

  it('keeps filters in the links to other values', async () => {
    expect(await list('?branch=main')).toContain(`${appPath}?branch=release%2F3`);
    expect(await list('?branch=main&q=banner')).toContain(`${appPath}?q=banner&amp;branch=release%2F3`);
  });

  it('protects the selected builds once each, and says which', async () => {
    const answer = await kit.post(`${appPath}/binaries/protect`, { revision: ['1', '2', '99'] });
    expect(answer).toMatchObject({ status: 303, location: `${appPath}?protected=2,1` });
    expect((await kit.dev.get(answer.location)).text).toContain('Protected #2, #1.');
    await kit.post(`${appPath}/binaries/protect`, { revision: ['1'] });
    const entries = (await actionsOf()).filter(([action]) => action === 'build.protected');
    expect(entries.map(([, revision]) => revision).sort()).toEqual(['1', '2']);
    await kit.submit(buildPath(1), 'unprotect');
    await kit.submit(buildPath(2), 'unprotect');
  });

  it('labels the selected builds, which the list and the search find at once', async () => {
    const answer = await kit.post(`${appPath}/binaries/label`, { revision: ['2', '3'], label: ' rc 1 ' });
    expect(answer).toMatchObject({ status: 303, location: `${appPath}?labeled=3,2` });
    expect((await kit.dev.get(answer.location)).text).toContain('Label of #3, #2 saved.');
    expect(revisions(await list('?label=rc+1'))).toEqual([3, 2]);
    expect(revisions(await list('?q=rc+1'))).toEqual([3, 2]);
    expect(await actionsOf()).toContainEqual(['build.label-changed', '3']);
  });

  it('refuses a label that is empty or too long, and a selection without builds', async () => {
    const before = await actionsOf();
    for (const [fields, sentence] of [
      [{ revision: ['1'], label: '  ' }, 'Enter a label.'],
      [{ revision: ['1'], label: 'x'.repeat(256) }, 'at most 255 characters'],
      [{ label: 'rc' }, 'elect at least one build'],
    ] as const) {
      const answer = await kit.post(`${appPath}/binaries/label`, fields);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(sentence);
    }
    expect((await kit.post(`${appPath}/binaries/protect`, {})).status).toBe(400);
    expect(await actionsOf()).toEqual(before);
  });

  it('shows testers the builds without forms', async () => {
    const html = (await (await signIn(kit.slipway, 'tess')).get(appPath)).text;
    expect(revisions(html)).toEqual([]);
    expect(html).toContain(`${buildPath(3)}"`);
    expect(html).not.toContain('/publish"');
  });
});

describe('selecting more builds than a page lists', () => {
  const [shown, deletable] = [25, 100];
  let appPath: string;
  beforeAll(async () => {
    const app = kit.newApp();
    ({ appPath } = app);
    await app.addBuilds(1);
    for (let revision = 2; revision <= deletable + shown + 1; revision++) {
      const branch = revision % 2 === 0 ? 'even' : 'main';
      await kit.slipway.data.builds.insertBuild(sampleBuild(await app.appId(), revision, { branch }));
    }
  });

  const list = async (query: string) => (await kit.dev.get(`${appPath}${query}`)).text;
  const selected = (html: string) => [...html.matchAll(/<input[^>]*name="revision"[^>]* checked/g)].length;

  it('selects all matching builds, or the newest that one request can change', async () => {
    const all = await list('');
    expect(all).toContain(`<a href="${appPath}?select=all#builds">Select the newest 100</a>`);
    expect(selected(all)).toBe(0);
    expect(selected(await list('?select=all'))).toBe(deletable);
    const even = await list('?branch=even');
    expect(even).toContain(
      `<a href="${appPath}?branch=even&amp;select=all#builds">Select all 63 matching</a>`,
    );
    const evenSelected = await list('?branch=even&select=all');
    expect(selected(evenSelected)).toBe(63);
    expect(evenSelected).toContain(`href="${appPath}?branch=even#builds" aria-label="Clear selection"`);
    expect(evenSelected).not.toContain('rel="next"');
  });

  it('offers nothing where the page lists all builds, and selects nothing for testers', async () => {
    expect(await list('?uploader=nobody')).not.toContain('select=all');
    const tester = (await (await signIn(kit.slipway, 'tess')).get(`${appPath}?select=all`)).text;
    expect(tester).not.toContain('Select ');
    expect(tester.match(/<tr id="build-/g)).toHaveLength(shown);
  });

  it('deletes as many builds as it selects', async () => {
    const html = await list('?branch=even&select=all');
    const revision = [...html.matchAll(/name="revision" value="(\d+)"/g)].map(([, value]) => String(value));
    expect((await kit.post(`${appPath}/binaries/delete`, { revision })).status).toBe(303);
    expect(await list('?branch=even')).toContain('No matching builds');
  });
});
