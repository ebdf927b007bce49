/** The scripts for CI systems, and the examples of their README, with the variables that each system sets. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildIpa } from '../support/build-ipa.ts';
import { runsEverything } from '../support/runs-everything.ts';
import {
  codeBlocks,
  commitTitle,
  hasJobTools,
  type JobServer,
  jobKey,
  readOutputs,
  startJobServer,
  yamlBlock,
} from './ci-job.ts';
import { hasGroovy, runJenkinsfile } from './jenkinsfile.ts';

const readme = 'scripts/README.md';
const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';

describe.runIf(runsEverything && hasJobTools)('scripts of CI systems (needs bash, curl and git)', () => {
  let ci: JobServer;
  beforeAll(async () => {
    ci = await startJobServer();
  });
  afterAll(() => ci.remove());

  /** Runs a job and returns its build. */
  const upload = async (script: string, env: Record<string, string>) => {
    const folder = await ci.checkout();
    const end = await ci.run(folder, ci.here(script), { SLIPWAY_API_KEY: jobKey, ...env });
    expect(end, end.stderr).toMatchObject({ code: 0 });
    return ci.newestBuild();
  };
  const environmentOf = (variables: Record<string, string>) =>
    Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, ci.here(value)]));

  it('upload with the commands at the top of the README, and write the outputs', async () => {
    const folder = await ci.checkout();
    const [first = ''] = codeBlocks(readme, 'sh');
    const end = await ci.run(folder, ci.here(first), {
      SLIPWAY_API_KEY: jobKey,
      SLIPWAY_PAGE: 'Outputs',
      SLIPWAY_OUTPUT: 'slipway.env',
    });
    expect(end, end.stderr).toMatchObject({ code: 0 });
    const outputs = readOutputs(await readFile(join(folder, 'slipway.env'), 'utf8'));
    const { results } = JSON.parse(await readFile(join(folder, 'slipway.env.json'), 'utf8'));
    expect(outputs).toEqual({
      SLIPWAY_BUILD_URL: expect.stringContaining(`${ci.origin}/users/acme/`),
      SLIPWAY_PAGE_URL: results.distribution.url,
      SLIPWAY_QR_URL: results.distribution.qr_url,
      SLIPWAY_REVISION: String(results.revision),
      SLIPWAY_SIZE: String(results.file_size),
      SLIPWAY_SIZE_CHANGE: '',
      SLIPWAY_JSON: 'slipway.env.json',
    });
    expect(await ci.newestBuild()).toMatchObject({ message: commitTitle, pages: ['Outputs'] });
  });

  it('upload from Xcode Cloud what it exported, and only after an archive', async () => {
    const folder = await ci.checkout();
    const exported = join(folder, 'ad hoc');
    await mkdir(exported);
    await writeFile(join(exported, 'Demo.ipa'), buildIpa());
    const env = {
      SLIPWAY_SERVER: ci.origin,
      SLIPWAY_OWNER: 'acme',
      SLIPWAY_API_KEY: jobKey,
      CI: 'TRUE',
      CI_XCODEBUILD_ACTION: 'archive',
      CI_XCODEBUILD_EXIT_CODE: '0',
      CI_AD_HOC_SIGNED_APP_PATH: exported,
      CI_DEVELOPMENT_SIGNED_APP_PATH: join(folder, 'development'),
      CI_BRANCH: 'release/2.0',
      CI_COMMIT: commit,
    };
    const run = (more: Record<string, string>) =>
      ci.run(folder, 'sh ci_post_xcodebuild.sh', { ...env, ...more });
    const end = await run({});
    expect(end, end.stderr).toMatchObject({ code: 0 });
    const name = 'com.example.test';
    expect(await ci.newestBuild(name)).toMatchObject({
      revision: 1,
      branch: 'release/2.0',
      commit,
      pages: ['release/2.0'],
      message: commitTitle,
    });
    for (const [name, value] of [
      ['CI_XCODEBUILD_ACTION', 'build-for-testing'],
      ['CI_XCODEBUILD_EXIT_CODE', '65'],
    ] as const)
      expect(await run({ [name]: value })).toEqual({ code: 0, stdout: '', stderr: '' });
    const none = await run({ CI_AD_HOC_SIGNED_APP_PATH: '' });
    expect(none.code).not.toBe(0);
    expect(none.stderr).toContain('The workflow exports no .ipa');
    expect(await ci.newestBuild(name)).toMatchObject({ count: 1 });
  });

  it('upload from Codemagic, CircleCI, Bitbucket, Buildkite and Azure as their examples say', async () => {
    const { android } = yamlBlock(readme, 'codemagic.yaml').workflows;
    expect(
      await upload(android.publishing.scripts[0].script, {
        ...environmentOf(android.environment.vars),
        CM_BUILD_ID: '1',
        CM_BRANCH: 'codemagic',
        CM_COMMIT: commit,
      }),
    ).toMatchObject({ branch: 'codemagic', commit, pages: ['codemagic'], message: commitTitle });

    const circle = yamlBlock(readme, '.circleci/config.yml').jobs.upload;
    expect(
      await upload(circle.steps[2].run.command, {
        ...environmentOf(circle.environment),
        CIRCLECI: 'true',
        CIRCLE_BRANCH: 'circle',
        CIRCLE_SHA1: commit,
        CIRCLE_BUILD_URL: 'https://circleci.com/gh/acme/tide/42',
      }),
    ).toMatchObject({ branch: 'circle', commit, pages: ['circle'] });

    const { step } = yamlBlock(readme, 'bitbucket-pipelines.yml').pipelines.default[0];
    expect(
      await upload(step.script.join('\n'), { BITBUCKET_BRANCH: 'bitbucket', BITBUCKET_STEP_OIDC_TOKEN: '' }),
    ).toMatchObject({ pages: ['bitbucket'] });

    const [buildkite] = yamlBlock(readme, '.buildkite').steps;
    expect(
      // The agent's upload replaces `$$`.
      await upload(buildkite.command.replaceAll('$$', '$'), {
        ...environmentOf(buildkite.env),
        BUILDKITE: 'true',
        BUILDKITE_BRANCH: 'kite',
        BUILDKITE_COMMIT: commit,
      }),
    ).toMatchObject({ branch: 'kite', commit, pages: ['kite'] });

    const [azure] = yamlBlock(readme, 'azure-pipelines.yml').steps;
    const macros: Record<string, string> = {
      'Build.ArtifactStagingDirectory': '.',
      'Build.SourceBranchName': 'azure',
      SLIPWAY_API_KEY: jobKey,
    };
    const expanded = Object.entries<string>(azure.env).map(([name, value]) => [
      name,
      ci.here(value).replace(/\$\(([\w.]+)\)/g, (_, macro) => macros[macro] ?? ''),
    ]);
    expect(
      await upload(azure.script, {
        ...Object.fromEntries(expanded),
        TF_BUILD: 'True',
        BUILD_SOURCEBRANCH: 'refs/heads/azure',
        BUILD_SOURCEVERSION: commit,
      }),
    ).toMatchObject({ branch: 'azure', commit, pages: ['azure'] });
  });

  it.skipIf(!hasGroovy)(
    'upload from Jenkins what the pipeline runs, in a shell as its step starts it',
    async () => {
      const [jenkinsfile = ''] = codeBlocks(readme, 'groovy');
      const [step, ...more] = await runJenkinsfile(ci.here(jenkinsfile), { 'slipway-api-key': jobKey });
      expect([step?.stage, more]).toEqual(['Upload to Slipway', []]);
      const folder = await ci.checkout();
      await writeFile(join(folder, 'script.sh'), step?.script ?? '');
      const end = await ci.run(folder, 'sh -xe script.sh', {
        ...step?.env,
        JENKINS_URL: 'https://ci.example.com/',
        BUILD_URL: 'https://ci.example.com/job/tide/42/',
        BRANCH_NAME: 'jenkins',
        GIT_BRANCH: 'origin/jenkins',
        GIT_COMMIT: commit,
      });
      expect(end, end.stderr).toMatchObject({ code: 0 });
      // The step shows each command in the log.
      expect(end.stdout + end.stderr).not.toContain(jobKey);
      expect(await ci.newestBuild()).toMatchObject({ branch: 'jenkins', commit, pages: ['jenkins'] });
    },
  );

  it('run only an uploader with the stated hash, and the copy that a repository has', async () => {
    const folder = await ci.checkout();
    const env = {
      SLIPWAY_SERVER: ci.origin,
      SLIPWAY_OWNER: 'acme',
      SLIPWAY_FILE: 'app-release.apk',
      SLIPWAY_API_KEY: jobKey,
    };
    const hash = (
      await ci.run(folder, ci.here('curl -fsS https://apps.example.com/cli/slipway.mjs | sha256sum'), {})
    ).stdout.slice(0, 64);
    const before = (await ci.newestBuild()).count;
    const script = 'sh slipway-upload.sh';
    const other = await ci.run(folder, script, { ...env, SLIPWAY_UPLOADER_SHA256: 'f'.repeat(64) });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(`has the SHA-256 ${hash}, not SLIPWAY_UPLOADER_SHA256`);
    expect(await ci.run(folder, script, { ...env, SLIPWAY_UPLOADER_SHA256: hash })).toMatchObject({
      code: 0,
    });
    await writeFile(join(folder, 'mine.mjs'), 'console.log("mine", process.env.SLIPWAY_FILE)');
    expect(
      (
        await ci.run(folder, script, {
          ...env,
          SLIPWAY_UPLOADER: 'mine.mjs',
          SLIPWAY_SERVER: 'http://apps.test',
        })
      ).stdout,
    ).toBe('mine app-release.apk\n');
    expect(await ci.newestBuild()).toMatchObject({ count: before + 1 });
  });

  it('say what is wrong, and upload nothing', async () => {
    const folder = await ci.checkout();
    const { count } = await ci.newestBuild();
    const env = { SLIPWAY_SERVER: ci.origin, SLIPWAY_OWNER: 'acme', SLIPWAY_FILE: 'app-release.apk' };
    const wrong: [Record<string, string>, RegExp, string?][] = [
      [{ SLIPWAY_SERVER: '' }, /Set SLIPWAY_SERVER to the address/],
      [{ SLIPWAY_SERVER: 'http://apps.example.com' }, /over plain HTTP/],
      [{ SLIPWAY_SERVER: 'http://127.0.0.1.example.com' }, /over plain HTTP/],
      [{ SLIPWAY_SERVER: `${ci.origin}/nowhere` }, /404/],
      [{}, /Node 20 or newer is not installed/, 'PATH=/nonexistent'],
      [{ SLIPWAY_FILE: 'missing.apk', SLIPWAY_API_KEY: jobKey }, /File not found: missing\.apk/],
      [{ SLIPWAY_API_KEY: 'wrong' }, /401/],
    ];
    for (const [more, message, before = ''] of wrong) {
      const { code, stderr } = await ci.run(folder, `${before} /bin/sh slipway-upload.sh`, {
        ...env,
        ...more,
      });
      expect([message, code === 0, stderr]).toEqual([message, false, expect.stringMatching(message)]);
    }
    expect(await ci.newestBuild()).toMatchObject({ count });
  });
});
