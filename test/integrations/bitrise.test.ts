/** The Bitrise step, run as the Bitrise CLI runs it: a variable for each input, and `envman` for outputs. */
import { readFile } from 'node:fs/promises';
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
  readOutputs,
  startJobServer,
} from './ci-job.ts';

const step = parse(readIntegration('bitrise/step.yml'));

describe.runIf(runsEverything && hasJobTools)('the Bitrise step (needs bash, curl and git)', () => {
  let ci: JobServer;
  beforeAll(async () => {
    ci = await startJobServer();
    await ci.addProgram(
      'envman',
      '#!/bin/sh\n[ "$1 $2 $4" = "add --key --value" ] && echo "$3=$5" >> outputs\n',
    );
  });
  afterAll(() => ci.remove());

  const build = {
    BITRISE_IO: 'true',
    BITRISE_GIT_BRANCH: 'feature/x',
    BITRISE_GIT_MESSAGE: 'Fix "it" $HOME',
  };
  const run = async (inputs: Record<string, string>, more: Record<string, string> = {}) => {
    const folder = await ci.checkout();
    const variables: Record<string, string> = { ...build, ...more };
    const defaults = step.inputs.map((input: Record<string, string | null>) => {
      const [[name = '', value = ''] = []] = Object.entries(input).filter(([key]) => key !== 'opts');
      return [name, (value ?? '').replace(/^\$(\w+)$/, (_, variable) => variables[variable] ?? '')];
    });
    const env = {
      ...variables,
      ...Object.fromEntries(defaults),
      server: ci.origin,
      owner: 'acme',
      ...inputs,
    };
    const end = await ci.run(folder, join(integrationsFolder, 'bitrise', step.toolkit.bash.entry_file), env);
    return { folder, end };
  };

  it('uploads the app of the build steps, and passes every output to envman', async () => {
    const { folder, end } = await run({}, { SLIPWAY_API_KEY: jobKey, BITRISE_APK_PATH: 'app-release.apk' });
    expect(end, end.stderr).toMatchObject({ code: 0 });
    expect(await ci.newestBuild()).toMatchObject({
      message: build.BITRISE_GIT_MESSAGE,
      branch: 'feature/x',
      pages: ['feature/x'],
    });
    const outputs = readOutputs(await readFile(join(folder, 'outputs'), 'utf8'));
    const declared = step.outputs.map((output: object) =>
      Object.keys(output).find((name) => name !== 'opts'),
    );
    expect(Object.keys(outputs)).toEqual(declared);
    expect(outputs).toMatchObject({
      SLIPWAY_REVISION: '1',
      SLIPWAY_PAGE_URL: expect.stringContaining(ci.origin),
    });
  });

  it('writes a comment on GitHub', async () => {
    const forge = await startFakeForge('github');
    onTestFinished(forge.close);
    const job = {
      GIT_REPOSITORY_URL: 'git@github.com:acme/tide.git',
      BITRISEIO_GIT_REPOSITORY_OWNER: 'acme',
      BITRISEIO_GIT_REPOSITORY_SLUG: 'tide',
      BITRISE_PULL_REQUEST: '7',
      GITHUB_API_URL: `${forge.url}/api/v3`,
      SLIPWAY_COMMENT_TOKEN: 'forge-secret',
      SLIPWAY_API_KEY: jobKey,
      BITRISE_APK_PATH: 'app-release.apk',
    };
    const { end } = await run({ comment: 'true' }, job);
    expect(end, end.stderr).toMatchObject({ code: 0 });
    expect(forge.comments).toHaveLength(1);
  });

  it('fails with what the server says, and passes no output', async () => {
    const { folder, end } = await run({ key: 'wrong', file: 'app-release.apk' });
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining('401') });
    await expect(readFile(join(folder, 'outputs'), 'utf8')).rejects.toThrow('ENOENT');
    expect((await run({ key: jobKey })).end).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('file'),
    });
  });
});
