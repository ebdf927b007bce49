/** Comments and commit statuses on GitHub and GitLab. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import markdownIt from 'markdown-it';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commentMarker, readRows } from '../../src/commands/pull-request/comment-markdown.ts';
import { runUpload } from '../../src/commands/uploader/upload-command.ts';
import { type FakeForge, forgeEnvironment, startFakeForge } from '../support/fake-forge.ts';
import { accept, checksReply, type Reply, uploadedBody } from '../support/receive-upload.ts';
import { startReceiver, temporaryFile, temporaryFolder, testIo } from './upload-test-kit.ts';

const key = 'c0ffee'.padEnd(40, '0');
const results = {
  revision_url: 'https://apps.example.com/r/7',
  file_size: 12_900_000,
  size_change: 1_300_000,
  install_problems: [],
  distribution: {
    access_key: key,
    url: `https://apps.example.com/distributions/${key}`,
    qr_url: 'https://apps.example.com/qr?data=x',
    title: 'feature/x',
  },
};

async function start(kind: FakeForge['kind'], options = {}) {
  const forge = await startFakeForge(kind, options);
  onTestFinished(forge.close);
  return forge;
}

async function upload(
  forge: FakeForge,
  more: object = {},
  argv = ['--comment'],
  env = {},
  checks: Reply[] = [],
) {
  const receiver = await startReceiver({ onTestFinished }, accept(uploadedBody({ ...results, ...more })));
  receiver.checks.push(...checks);
  const file = await temporaryFile({ onTestFinished }, 'demo.apk', 'APK');
  const io = testIo({
    env: { SLIPWAY_API_KEY: 'k', SLIPWAY_URL: receiver.url, ...forgeEnvironment(forge), ...env },
  });
  // The row of an upload names the server.
  const exitCode = await runUpload([file, '-o', 'acme', ...argv], io);
  const said = io.out() + io.err();
  expect(said).not.toContain('forge-secret');
  return { exitCode, err: io.err(), pauses: io.pauses };
}

const html = (body: string) => markdownIt({ html: true, linkify: true }).render(body);

describe.each(['github', 'gitlab'] as const)('%s', (kind) => {
  test('creates one comment after foreign ones on several pages, and edits it in place', async () => {
    const forge = await start(kind);
    const author = { id: 1, type: 'User' };
    for (let id = 1; id <= 120; id += 1) forge.comments.push({ id, body: 'Looks good', author });
    forge.comments.push({ id: 121, body: `${commentMarker}\nforged`, author });
    expect(await upload(forge)).toMatchObject({ exitCode: 0, err: expect.not.stringContaining('Warning') });
    expect(forge.comments).toHaveLength(122);
    const comment = forge.comments.at(-1);
    expect(comment?.body).toContain('[`1.2.3 (45), revision 7`](https://apps.example.com/r/7)<br>`feedbee`');
    expect(comment?.body).toContain(
      `| 12.3 MiB<br>+1.2 MiB |  | [\`feature/x\`](${results.distribution.url})`,
    );
    expect(comment?.body).toContain(
      '<img src="https://apps.example.com/qr?data=x" width="120" alt="QR code">',
    );
    const { id } = comment ?? {};
    await upload(forge, {
      os_name: 'iOS',
      revision: 3,
      size_change: null,
      install_problems: ['Not signed.'],
    });
    expect(forge.comments.at(-1)?.id).toBe(id);
    const body = forge.comments.at(-1)?.body ?? '';
    // Another server of the test has another port, so both rows stay.
    expect(readRows(body).map(({ platform, revision }) => [platform, revision])).toEqual([
      ['Android', 7],
      ['iOS', 3],
    ]);
    expect(body).toContain('- **Cannot be installed:** `Demo` (`iOS`): `Not signed.`');
    expect(body).toContain(
      kind === 'github' ? 'Builds of this pull request' : 'Builds of this merge request',
    );
    expect(forge.comments.slice(0, 120).every((each) => each.body === 'Looks good')).toBe(true);
    expect(forge.comments[120]?.body).toBe(`${commentMarker}\nforged`);
  });

  test('sets a commit status for each app, which fails with --fail-on', async () => {
    const forge = await start(kind);
    expect((await upload(forge, {}, ['--status'])).exitCode).toBe(0);
    const argv = ['--status', '--fail-on=install'];
    expect((await upload(forge, { install_problems: ['Not signed.'] }, argv)).exitCode).toBe(3);
    const sha =
      kind === 'github' ? '/api/v3/repos/acme/tide/statuses/feedbee' : '/api/v4/projects/12/statuses/feedbee';
    expect(forge.statuses.map(({ path }) => path)).toEqual([sha, sha]);
    const [done, failed] = forge.statuses.map(({ body }) => body);
    expect(done).toEqual({
      state: 'success',
      [kind === 'github' ? 'context' : 'name']: 'slipway/build/android/com.example.demo',
      description: 'Demo 1.2.3 (45) for Android as revision 7',
      target_url: results.distribution.url,
    });
    expect(failed).toMatchObject({
      state: kind === 'github' ? 'failure' : 'failed',
      description: 'Nobody can install this build: Not signed.',
    });
    expect(forge.comments).toEqual([]);
    await upload(forge, { os_name: 'iOS', package_name: 'x'.repeat(300) }, ['--status']);
    const names = forge.statuses.map(({ body }) => String(body.context ?? body.name));
    expect(names.at(-1)).toMatch(/^slipway\/build\/ios\/x+…$/);
    expect(names.at(-1)).toHaveLength(255);
  });

  test('reports the checks of the server, and is pending until they are known', async () => {
    const forge = await start(kind);
    const failed = {
      category: 'store',
      state: 'failed',
      line: 'Target API level 36 or higher: The build targets API level `35`.',
      acceptance: null as unknown as object,
    };
    const warned = { category: 'size', state: 'warned', line: 'Download size: +300 KiB' };
    const passed = { category: 'size', state: 'passed', line: 'Install size: ±0 bytes' };
    const upper = kind === 'github' ? 'failure' : 'failed';
    const both = ['--comment', '--status'];
    const first = await upload(forge, {}, both, {}, [
      checksReply('waiting'),
      checksReply('analyzed', passed, warned, failed),
    ]);
    // Only `--fail-on` fails the job.
    expect(first.exitCode).toBe(0);
    expect(forge.statuses.map(({ body }) => [body.state, body.description])).toEqual([
      ['pending', 'Waiting for the checks'],
      [upper, failed.line],
    ]);
    expect(forge.statuses.at(-1)?.body.target_url).toBe('https://apps.example.com/r/7/checks');
    const comment = forge.comments[0]?.body ?? '';
    expect(comment).toContain(
      '| [`1 failed, 1 with a warning, 1 passed`](https://apps.example.com/r/7/checks) |',
    );
    expect(html(comment)).toContain(
      '<li><code>Failed: Target API level 36 or higher: The build targets API level ˋ35ˋ.</code></li>\n<li><code>Warning: Download size: +300 KiB</code></li>',
    );
    const acceptance = { by: 'maya', reason: 'An extension | was granted', at: '2026-11-01T00:00:00Z' };
    await upload(forge, {}, both, {}, [
      checksReply('analyzed', passed, { ...failed, state: 'accepted', acceptance }),
    ]);
    expect(forge.statuses.at(-1)?.body).toMatchObject({
      state: 'success',
      description: 'Demo 1.2.3 (45) for Android as revision 7. Checks: 1 accepted, 1 passed',
    });
    expect(forge.comments[0]?.body).toContain(
      'The build targets API level ˋ35ˋ. Reason: An extension ¦ was granted`',
    );
    await upload(forge, {}, [...both, '--fail-on=store'], {}, [checksReply('failed')]);
    expect(forge.statuses.at(-1)?.body).toMatchObject({
      state: upper,
      description: 'The package could not be analyzed.',
    });
  });

  test('texts of a package are shown as they are', async () => {
    const forge = await start(kind);
    const hostile =
      '@all | ` ``` <img src=x onerror=alert(1)> --> [a](https://evil.example) https://evil.example #1 !1 www.evil.example \\';
    await upload(forge, {
      name: hostile,
      version_name: hostile,
      install_problems: [hostile, `${hostile}\n\n# Title`],
      warnings: [hostile],
      revision_url: 'https://apps.example.com/r/7)|`"<b>',
      distribution: {
        ...results.distribution,
        title: hostile,
        qr_url: 'https://x.example/"onload="alert(1)',
      },
    });
    const body = forge.comments[0]?.body ?? '';
    const shown = html(body);
    expect(shown).not.toMatch(/<img src=x|<h1|evil\.example"|href="[^"]*evil|<a [^>]*www/);
    expect(shown.replaceAll(/<code>.*?<\/code>/gs, '').replaceAll(/<!--.*?-->/gs, '')).not.toMatch(
      /evil|@all|onerror|#1/,
    );
    expect([...shown.matchAll(/<img [^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<img src="https://x.example/%22onload=%22alert%281%29" width="120" alt="QR code">',
    ]);
    expect(shown.match(/<tr>/g)).toHaveLength(2);
    expect(shown.match(/<td/g)).toHaveLength(5);
    // What was stored is read again, and the same.
    await upload(forge, { name: 'Other', package_name: 'com.example.other' });
    expect(readRows(forge.comments[0]?.body ?? '')).toHaveLength(2);
    expect(forge.comments).toHaveLength(1);
  });

  test.each([
    [
      'no permission',
      403,
      { message: 'Resource not accessible by integration forge-secret' },
      {},
      'Resource not accessible by integration …',
    ],
    ['a missing pull request', 404, { message: 'Not Found' }, {}, 'answered 404: Not Found'],
    ['a page of a proxy', 200, '<html>', {}, 'but not with JSON'],
    ['10 MB', 200, 'x'.repeat(10 * 1024 * 1024), {}, 'answered with more than 8388608 bytes'],
    [
      'another host',
      307,
      '',
      { Location: 'http://evil.example/' },
      'redirects to http://evil.example, which is not followed',
    ],
    [
      'a long rate limit',
      403,
      {},
      { 'X-RateLimit-Remaining': '0', 'Retry-After': '3600' },
      'it says to wait 3600 s',
    ],
  ])('only warns about %s', async (_name, status, answer, headers, words) => {
    const forge = await start(kind);
    forge.intercept = ({ url = '' }, response) => {
      if (url.endsWith('/user')) return false;
      response.writeHead(status, headers);
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
      return true;
    };
    const { exitCode, err } = await upload(forge);
    expect(exitCode).toBe(0);
    expect(err).toContain('Warning: No comment on the pull request: ');
    expect(err).toContain(words);
    expect(forge.comments).toEqual([]);
  });

  test('waits for a short rate limit, and repeats after a failure of the forge', async () => {
    const forge = await start(kind);
    const answers: [number, Record<string, string>][] = [
      [429, { 'Retry-After': '7' }],
      [502, {}],
    ];
    forge.intercept = ({ method }, response) => {
      const [status, headers] = (method === 'GET' && answers.shift()) || [];
      if (status) response.writeHead(status, headers).end();
      return status !== undefined;
    };
    const { err, pauses } = await upload(forge);
    expect(err).not.toContain('Warning');
    expect(pauses.slice(0, 2)).toEqual([7000, 4000]);
    expect(forge.comments).toHaveLength(1);
  });

  test('two uploads that read at once end with one comment that has both', async () => {
    const forge = await start(kind);
    forge.listsAtOnce = 2;
    await Promise.all([upload(forge, { os_name: 'iOS' }), upload(forge, { os_name: 'Android' })]);
    expect(forge.comments).toHaveLength(1);
    const platforms = readRows(forge.comments[0]?.body ?? '').map(({ platform }) => platform);
    expect(platforms).toEqual(['Android', 'iOS']);
  });
});

test('says what is missing outside of a pull request', async () => {
  const forge = await start('github');
  const none = await upload(forge, {}, ['--comment'], { GITHUB_REF: 'refs/heads/main' });
  expect(none.err).toContain(
    'This is no job of a pull request.\n  Run it on pull_request, or set --pull-request',
  );
  const given = await upload(forge, {}, ['--comment', '--pull-request=7'], { GITHUB_REF: 'refs/heads/main' });
  expect(given.err).not.toContain('Warning');
  const noToken = await upload(forge, {}, ['--comment'], { GITHUB_TOKEN: '' });
  expect(noToken.err).toContain('GITHUB_TOKEN is not set.');
  const elsewhere = await upload(forge, {}, ['--comment'], { GITHUB_REPOSITORY: '', CIRCLECI: '1' });
  expect(elsewhere.err).toContain('This is neither a job of GitHub nor of GitLab.');
  const lab = await start('gitlab');
  const jobToken = await upload(lab, {}, ['--comment'], { GITLAB_TOKEN: '', CI_JOB_TOKEN: 'x' });
  expect(jobToken.err).toContain('GitLab does not let CI_JOB_TOKEN write comments');
});

test('uses the head of the pull request, not the merge that GitHub builds, and the account of a personal token', async () => {
  const forge = await start('github', { tokenUser: true });
  const event = { pull_request: { number: 7, head: { sha: 'abcdef0123456789' } } };
  const path = await temporaryFile({ onTestFinished }, 'event.json', JSON.stringify(event));
  forge.comments.push({ id: 1, body: `${commentMarker}\n`, author: { id: 9, type: 'Bot' } });
  await upload(forge, {}, ['--comment', '--status'], { GITHUB_EVENT_PATH: path, GITHUB_REF: '' });
  expect(forge.statuses[0]?.path).toContain('/statuses/abcdef0123456789');
  expect(forge.comments[1]?.body).toContain('`abcdef012345`');
  expect(forge.comments[0]?.body).toBe(`${commentMarker}\n`);
});

test('writes the table to the summary of the step', async () => {
  const path = join(await temporaryFolder({ onTestFinished }), 'summary');
  const forge = await start('github');
  await upload(forge, {}, [], { GITHUB_STEP_SUMMARY: path });
  expect(await readFile(path, 'utf8')).toMatch(/^\| App \| Build \| Size \| Checks \| Install \|\n/);
  expect(forge.requests).toEqual([]);
});
