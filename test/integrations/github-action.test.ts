/** The GitHub Action, run as its runner runs it: `node dist/index.js` with its variables, files and addresses. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { startFakeForge } from '../support/fake-forge.ts';
import { runsEverything } from '../support/runs-everything.ts';
import {
  hasJobTools,
  integrationsFolder,
  type JobServer,
  jobKey,
  readIntegration,
  runProgram,
  startJobServer,
  yamlBlock,
} from './ci-job.ts';

const action = parse(readIntegration('github-action/action.yml'));
const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';

/** Reads `name<<delimiter` entries, as the runner does. */
function readOutputFile(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^([\w-]+)<<(\S+)\n([\s\S]*?)\n?\2\n/gm)].map(([, name = '', , value = '']) => [
      name,
      value,
    ]),
  );
}

describe.runIf(runsEverything && hasJobTools)('the GitHub Action (needs bash, curl and git)', () => {
  let ci: JobServer;
  beforeAll(async () => {
    ci = await startJobServer();
  });
  afterAll(() => ci.remove());

  /** `with`: as in a workflow. */
  const run = async (inputs: Record<string, string>, event: object, more: Record<string, string> = {}) => {
    const folder = await ci.checkout();
    const runner = await mkdtemp(join(folder, 'runner-'));
    const files = {
      GITHUB_OUTPUT: 'output',
      GITHUB_STEP_SUMMARY: 'summary',
      GITHUB_EVENT_PATH: 'event.json',
    };
    const paths = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(runner, file)]));
    await writeFile(join(runner, 'event.json'), JSON.stringify(event));
    for (const name of ['output', 'summary']) await writeFile(join(runner, name), '');
    const declared = Object.entries<{ default?: string }>(action.inputs).map(
      ([name, { default: value = '' }]) => [
        `INPUT_${name.toUpperCase()}`,
        ci.here(inputs[name] ?? value.replace(/^\$.*/, 'ghs_test')),
      ],
    );
    const end = await runProgram(
      process.execPath,
      [join(integrationsFolder, 'github-action', action.runs.main)],
      folder,
      {
        PATH: '/usr/bin:/bin',
        HOME: folder,
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_REPOSITORY: 'acme/tide',
        GITHUB_RUN_ID: '42',
        GITHUB_SHA: commit,
        GITHUB_REF: 'refs/heads/main',
        ...Object.fromEntries(declared),
        ...paths,
        ...more,
      },
    );
    const read = (name: string) => readFile(join(runner, name), 'utf8');
    return { ...end, outputs: readOutputFile(await read('output')), summary: await read('summary') };
  };
  const exampleInputs = () => {
    const { steps } = yamlBlock('github-action/README.md', 'release.yml').jobs.release;
    return { ...steps.find((step: { id?: string }) => step.id === 'slipway').with, key: jobKey };
  };

  it('uploads with the inputs of its example, and sets every output', async () => {
    const event = { head_commit: { message: '100% "done"\n\nMore' } };
    const { code, stdout, stderr, outputs } = await run(exampleInputs(), event);
    expect(code, stdout + stderr).toBe(0);
    expect(await ci.newestBuild()).toMatchObject({
      message: '100% "done"',
      branch: 'main',
      commit,
      pages: ['main'],
    });
    expect(Object.keys(outputs).sort()).toEqual(Object.keys(action.outputs).sort());
    expect(outputs).toMatchObject({ revision: '1', 'page-url': expect.stringContaining(ci.origin) });
    expect(JSON.parse(outputs.json ?? '')).toMatchObject({ error: false, results: { revision: 1 } });
  });

  it('writes one comment on the pull request, and says there when it is closed, with its page', async () => {
    const forge = await startFakeForge('github');
    onTestFinished(forge.close);
    const { steps } = yamlBlock('github-action/README.md', 'preview.yml').jobs.preview;
    const inputs = {
      ...steps.at(-1).with,
      page: 'feature/x',
      comment: 'true',
      status: 'true',
      key: jobKey,
      'close-pages': 'true',
      'github-token': 'forge-secret',
    };
    const job = {
      GITHUB_API_URL: `${forge.url}/api/v3`,
      GITHUB_REF: 'refs/pull/7/merge',
      GITHUB_HEAD_REF: 'feature/x',
    };
    const pull = { number: 7, title: 'Add a tide table', head: { sha: commit } };
    const opened = await run(inputs, { action: 'synchronize', pull_request: pull }, job);
    expect(opened.code, opened.stderr).toBe(0);
    expect(await ci.newestBuild()).toMatchObject({ message: 'Add a tide table', branch: 'feature/x' });
    expect(opened.summary).toContain(opened.outputs['page-url']);
    expect(forge.comments).toHaveLength(1);
    expect(forge.comments[0]?.body).toContain(opened.outputs['page-url']);
    expect(forge.statuses.at(-1)).toMatchObject({
      body: { state: 'success', target_url: opened.outputs['page-url'] },
    });

    const { count } = await ci.newestBuild();
    const closed = await run({ ...inputs, file: '' }, { action: 'closed', pull_request: pull }, job);
    expect(closed.code, closed.stderr).toBe(0);
    expect(forge.comments).toHaveLength(1);
    expect(forge.comments[0]?.body).toMatch(/Page closed[\s\S]*This pull request is closed\./);
    const page = await (await fetch(opened.outputs['page-url'] ?? '')).text();
    expect(page).not.toContain('>Install<');
    expect(await ci.newestBuild()).toMatchObject({ count });
  }, 60_000);

  it('fails with an annotation that says why', async () => {
    const { code, stdout, outputs } = await run({ ...exampleInputs(), key: 'wrong' }, {});
    expect(code).toBe(1);
    expect(stdout).toMatch(/^::error title=Slipway::Not uploaded: .*401.*%0A.*$/m);
    expect(outputs).toEqual({});
    const missing = await run({ ...exampleInputs(), owner: '' }, {});
    expect(missing).toMatchObject({ code: 2, stdout: expect.stringContaining('owner') });
  });
});
