/** The GitLab component, resolved from a tag of its project, expanded and run by gitlab-ci-local. */
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
// @ts-expect-error a script without types
import { root } from '../../scripts/workshop.mjs';
import { forgeEnvironment, startFakeForge } from '../support/fake-forge.ts';
import { runsEverything } from '../support/runs-everything.ts';
import {
  hasJobTools,
  integrationsFolder,
  type JobServer,
  jobKey,
  packageName,
  readOutputs,
  runProgram,
  startJobServer,
  yamlBlock,
} from './ci-job.ts';

const program: string = join(root, 'node_modules/gitlab-ci-local/dist/index.js');
const there = runsEverything && hasJobTools && existsSync('/usr/bin/rsync');

describe.runIf(there)('the GitLab component (needs rsync, bash, curl and git)', () => {
  let ci: JobServer;
  let home = '';
  beforeAll(async () => {
    ci = await startJobServer();
    home = join(ci.bin, '..', 'gitlab');
    const project = join(home, 'component');
    await mkdir(project, { recursive: true });
    await cp(join(integrationsFolder, 'gitlab'), project, { recursive: true });
    for (const args of [
      'init --quiet .',
      'add .',
      '-c user.name=a -c user.email=a@example.com commit --quiet -m Component',
      'tag 1.0.0',
      `clone --quiet --bare . ${home}/acme/slipway.git`,
    ]) {
      const end = await runProgram('git', args.split(' '), project);
      expect(end, end.stderr).toMatchObject({ code: 0 });
    }
    // Git reads the component from this folder instead of from the host.
    const addresses = ['git@gitlab.com:', 'ssh://git@gitlab.com:22/'];
    await writeFile(
      join(home, 'gitconfig'),
      `[url "${home}/"]\n${addresses.map((address) => `insteadOf = ${address}\n`).join('')}`,
    );
  });
  afterAll(() => ci.remove());

  /** Runs the pipeline of a working copy with this `.gitlab-ci.yml`. */
  const run = async (pipeline: object, args: string[], folder?: string) => {
    const checkout = folder ?? (await ci.checkout());
    await writeFile(join(checkout, '.gitlab-ci.yml'), JSON.stringify(pipeline));
    const env = { PATH: `${ci.bin}:/usr/bin:/bin`, HOME: home, GIT_CONFIG_GLOBAL: join(home, 'gitconfig') };
    return { checkout, ...(await runProgram(process.execPath, [program, ...args], checkout, env)) };
  };
  const example = (inputs: Record<string, unknown> = {}) => {
    const pipeline = yamlBlock('gitlab/README.md', 'without a stored key');
    pipeline.include[0].inputs = { ...pipeline.include[0].inputs, server: ci.origin, ...inputs };
    return pipeline;
  };

  it('requests an ID token for the server, and passes each input as the variable of the uploader', async () => {
    const { stdout, stderr, code } = await run(example(), ['--preview']);
    expect(code, stderr).toBe(0);
    const { 'slipway-upload': job } = parse(stdout);
    expect(job.id_tokens).toEqual({ SLIPWAY_ID_TOKEN: { aud: ci.origin } });
    expect(job.variables).toMatchObject({
      SLIPWAY_SERVER: ci.origin,
      SLIPWAY_OWNER: 'acme',
      SLIPWAY_API_KEY: '',
      SLIPWAY_NOTIFY: 'true',
    });
  });

  it('uploads with a key from a masked variable, and passes the outputs to later jobs', async () => {
    const inputs = { key: '$SLIPWAY_API_KEY', page: 'GitLab' };
    const pipeline = {
      ...example(inputs),
      show: { stage: '.post', script: ['echo "page of $SLIPWAY_REVISION: $SLIPWAY_PAGE_URL"'] },
    };
    const args = ['--force-shell-executor', '--variable', `SLIPWAY_API_KEY=${jobKey}`];
    // The program knows no title of the commit.
    const title = '-n "Fix" 100% <b> é';
    args.push('--variable', `CI_COMMIT_TITLE=${title}`);
    const { checkout, code, stdout, stderr } = await run(pipeline, args);
    expect(code, stdout + stderr).toBe(0);
    expect(await ci.newestBuild()).toMatchObject({ message: title, pages: ['GitLab'], branch: 'main' });
    const [report = ''] = (
      await readdir(join(checkout, '.gitlab-ci-local/artifacts'), { recursive: true })
    ).filter((name) => name.endsWith('slipway.env'));
    const outputs = readOutputs(await readFile(join(checkout, '.gitlab-ci-local/artifacts', report), 'utf8'));
    expect(stdout).toContain(`page of ${outputs.SLIPWAY_REVISION}: ${outputs.SLIPWAY_PAGE_URL}`);
    expect(stdout).not.toContain(jobKey);
  });

  it('writes one comment on the merge request', async () => {
    const forge = await startFakeForge('gitlab');
    onTestFinished(forge.close);
    const { GITLAB_CI: _, ...variables } = forgeEnvironment(forge);
    const args = Object.entries({ ...variables, SLIPWAY_API_KEY: jobKey }).flatMap(([name, value]) => [
      '--variable',
      `${name}=${value}`,
    ]);
    const inputs = { key: '$SLIPWAY_API_KEY', comment: true, status: true };
    const { code, stdout, stderr } = await run(example(inputs), ['--force-shell-executor', ...args]);
    expect(code, stdout + stderr).toBe(0);
    expect(forge.comments).toHaveLength(1);
    expect(forge.statuses.at(-1)).toMatchObject({
      body: { state: 'success', name: `slipway/build/android/${packageName}` },
    });
  });

  it('says in the comment that the merge request is closed, and closes its pages', async () => {
    const forge = await startFakeForge('gitlab');
    onTestFinished(forge.close);
    const { GITLAB_CI: _, ...variables } = forgeEnvironment(forge);
    const known = { ...variables, SLIPWAY_API_KEY: jobKey, SLIPWAY_MANAGE_KEY: jobKey };
    const args = Object.entries(known).flatMap(([name, value]) => ['--variable', `${name}=${value}`]);
    const [closed] = yamlBlock('gitlab/README.md', 'in addition to the upload').include;
    const pipeline = example({ key: '$SLIPWAY_API_KEY', page: 'feature/x', comment: true });
    pipeline.include.push({ ...closed, inputs: { ...closed.inputs, server: ci.origin } });
    const opened = await run(pipeline, ['--force-shell-executor', ...args]);
    expect(opened.code, opened.stdout + opened.stderr).toBe(0);
    expect(forge.comments[0]?.body).not.toContain('is closed');
    const preview = parse((await run(pipeline, ['--preview'])).stdout);
    const { environment } = preview['slipway-closed-later'];
    expect(preview['slipway-closed'].environment).toMatchObject({ name: environment.name, action: 'stop' });
    expect(environment.on_stop).toBe('slipway-closed');
    const stop = ['slipway-closed', '--force-shell-executor', ...args];
    const end = await run(pipeline, stop, opened.checkout);
    expect(end.code, end.stdout + end.stderr).toBe(0);
    expect(forge.comments).toHaveLength(1);
    expect(forge.comments[0]?.body).toMatch(/Page closed[\s\S]*This merge request is closed\./);
  });

  it.each([
    ['an address with a path', { server: 'https://apps.example.com/' }],
    ['a key itself, which everyone could read in the pipeline', { key: 'slw_secret' }],
    ['a word for a boolean', { notify: 'perhaps' }],
  ])('refuses %s', async (_, inputs) => {
    const { code, stdout, stderr } = await run(example(inputs), ['--preview']);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain(Object.keys(inputs)[0]);
  });
});
