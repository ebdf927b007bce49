/** Builds of trusted publishers: what the id token said about them, and uploads that say something else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuildSource, sourceLinks } from '../../src/owners/build-source.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { json, send } from '../support/http-client.ts';
import { bearer, leavesNothing, refusalOf, upload, uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { issueTrustedKey, sampleSource } from '../support/trusted-key.ts';

const packageName = 'com.example.tide';
const file = buildApk({ packageName, label: 'Tide' });

let slipway: TestService;
let mina: BrowserSession;
let ordinaryKey: string;
beforeAll(async () => {
  slipway = await startTestService({ blobs: 'memory' });
  ordinaryKey = await slipway.user('mina');
  mina = await signIn(slipway, 'mina');
});
afterAll(() => slipway.close());

const trusted = (source: Partial<BuildSource> = {}) =>
  issueTrustedKey(slipway, { ownerKind: 'user', ownerName: 'mina' }, source);

async function uploadTrusted(source: Partial<BuildSource> = {}, fields: Record<string, string> = {}) {
  const key = await trusted(source);
  const { revision, distribution } = await uploaded(slipway, { owner: 'mina', key, file, fields });
  const path = `/api/v1/apps/mina/android/${packageName}/builds/${revision}`;
  const build = json<Record<string, unknown>>(
    await send(slipway.port, path, { headers: bearer(ordinaryKey) }),
  );
  const list = `/users/mina/platforms/android/apps/${packageName}`;
  return { revision, build, list, page: `${list}/binaries/${revision}`, url: distribution?.url ?? '' };
}

describe('a build of a trusted publisher', () => {
  it('carries what the id token said, and takes its branch, commit and run from there', async () => {
    const { build } = await uploadTrusted();
    expect(build).toMatchObject({
      branch: 'main',
      commit: sampleSource.commit,
      build_url: sampleSource.run_url,
      source: { ...sampleSource, verified: true },
    });
  });

  it('has no source if it was uploaded with another key', async () => {
    const { revision } = await uploaded(slipway, { owner: 'mina', key: ordinaryKey, file });
    const path = `/api/v1/apps/mina/android/${packageName}/builds/${revision}`;
    const build = json(await send(slipway.port, path, { headers: bearer(ordinaryKey) }));
    expect(build).toMatchObject({ branch: null, commit: null, build_url: null, source: null });
  });

  it('shows its source on its page, in the list, on the distribution page and in search', async () => {
    const { revision, list, page, url } = await uploadTrusted(
      { repository: 'acme/found' },
      { distribution_name: 'main' },
    );
    const buildPage = (await mina.get(page)).text;
    expect(buildPage).toMatch(/acme\/found.*1a2b3c4<.*run 42.*Verified/s);
    expect(buildPage).toContain(`href="https://github.com/acme/tide/commit/${sampleSource.commit}"`);
    expect(buildPage).toContain(`href="${sampleSource.run_url}"`);
    const sentence = 'Built by acme/found · 1a2b3c4 · run 42, verified';
    expect((await mina.get(list)).text).toContain(sentence);
    expect((await mina.get(`${list}?q=acme%2Ffound`)).text).toContain(`id="build-${revision}"`);
    expect((await mina.get('/search?q=acme%2Ffound')).text).toContain('acme/found');
    const shared = (await send(slipway.port, new URL(url).pathname, { headers: { Accept: 'text/html' } }))
      .text;
    expect(shared).toMatch(/acme\/found.*1a2b3c4<.*run 42.*Verified/s);
    expect(shared).not.toContain('mina');
  });

  it('accepts fields that say the same', async () => {
    const same = { branch: 'refs/heads/main', commit: '1A2B3C4', build_url: `${sampleSource.run_url}/job/7` };
    const { build } = await uploadTrusted({}, { ...same, label: 'PR 7' });
    expect(build).toMatchObject({ branch: 'main', commit: sampleSource.commit, label: 'PR 7' });
  });

  it('accepts a field that the id token says nothing about', async () => {
    const { build } = await uploadTrusted({ ref: null, commit: null, run_url: null }, { branch: 'mine' });
    expect(build).toMatchObject({ branch: 'mine', commit: null, build_url: null });
  });

  it('of a tag has no branch', async () => {
    expect((await uploadTrusted({ ref: 'refs/tags/v1.0' }, { branch: 'v1.0' })).build.branch).toBe('v1.0');
    expect((await uploadTrusted({ ref: 'refs/tags/v1.0' })).build.branch).toBeNull();
  });

  it.each([
    ['branch', 'release', 'ref', 'refs/heads/main'],
    ['commit', 'ffffffffffff', 'commit', sampleSource.commit],
    ['commit', '1a2b', 'commit', sampleSource.commit],
    ['build_url', 'https://github.com/acme/tide/actions/runs/421', 'run_url', sampleSource.run_url],
    ['build_url', 'https://evil.example/run/42', 'run_url', sampleSource.run_url],
  ])('refuses %s %s, which contradicts the claim %s', async (name, value, claim, claimed) => {
    const key = await trusted();
    const options = { owner: 'mina', key, file, fields: { [name]: value } };
    const refused = await leavesNothing(slipway, () => upload(slipway, options));
    expect(refusalOf(refused, 400).message).toBe(
      `${name} is “${value}”, but the id token says that ${claim} is “${claimed}”. Leave ${name} out: it is taken from the token`,
    );
    const asProblem = await upload(slipway, { ...options, path: '/api/v1/owners/mina/builds' });
    expect(asProblem.status).toBe(400);
    expect(json(asProblem)).toMatchObject({ code: 'contradicts_source', errors: [{ pointer: `/${name}` }] });
  });

  it('cannot break a page, whatever the id token said', async () => {
    const hostile = `<img src=x onerror=alert(1)>\u202e${'界'.repeat(200)}`;
    const { list, page, build, url } = await uploadTrusted(
      {
        provider: 'other',
        repository: hostile,
        commit: hostile,
        ref: hostile,
        workflow: hostile,
        run_id: hostile,
        run_url: 'javascript:alert(1)',
        actor: hostile,
      },
      { distribution_name: 'hostile' },
    );
    expect(build).toMatchObject({ branch: null, commit: null, build_url: null });
    for (const path of [list, page, new URL(url).pathname]) {
      const { status, text } = await mina.get(path);
      expect(status).toBe(200);
      expect(text).not.toContain('<img src=x');
      expect(text).not.toContain('href="javascript');
    }
  });
});

describe('links to the run and the commit', () => {
  const links = (source: Partial<BuildSource>) => sourceLinks({ ...sampleSource, ...source });

  it('are made for the providers whose addresses are known', () => {
    const { commit } = sampleSource;
    const ofGitLab = 'https://git.example.com/a/b/tide/-/pipelines/9';
    expect(links({ provider: 'gitlab', run_url: ofGitLab })).toEqual({
      run: ofGitLab,
      commit: `https://git.example.com/a/b/tide/-/commit/${commit}`,
    });
    const ofBitbucket = 'https://bitbucket.org/acme/tide/pipelines/results/9';
    expect(links({ provider: 'bitbucket', run_url: ofBitbucket }).commit).toBe(
      `https://bitbucket.org/acme/tide/commits/${commit}`,
    );
    expect(links({ provider: 'buildkite', run_url: 'https://buildkite.com/acme/tide/builds/9' })).toEqual({
      run: 'https://buildkite.com/acme/tide/builds/9',
      commit: null,
    });
  });

  it.each([
    { run_url: 'http://github.com/acme/tide/actions/runs/42' },
    { run_url: 'javascript:alert(1)' },
    { run_url: 'not an address' },
    { run_url: null },
    { provider: 'other' },
  ] as const)('are not made of $run_url $provider', (source) => {
    expect(links(source)).toEqual({ run: null, commit: null });
  });

  it('have no commit that is not a digest', () => {
    expect(links({ commit: '../../evil' }).commit).toBeNull();
  });
});
