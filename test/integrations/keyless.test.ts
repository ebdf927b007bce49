/** Uploads without a stored key: each integration with the ID token that its CI system issues. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../support/free-port.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts';
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

const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
const readme = 'scripts/README.md';
const githubPath = '/_services/token';

describe.runIf(runsEverything && hasJobTools)(
  'uploads without a stored key (needs bash, curl and git)',
  () => {
    let ci: JobServer;
    let issuer: TestIssuer;
    const issued: string[] = [];
    beforeAll(async () => {
      const port = await freePort();
      ci = await startJobServer({
        SLIPWAY_PORT: String(port),
        SLIPWAY_URL: `http://127.0.0.1:${port}`,
        SLIPWAY_HOOK_NETWORKS: '127.0.0.1',
      });
      issuer = await startTestIssuer();
      await trust('GitHub', 'github', githubPath, [{ claim: 'repository', equals: 'acme/tide' }]);
      await trust('GitLab', 'gitlab', '/gitlab', [{ claim: 'project_path', equals: 'acme/tide' }]);
      await trust('Other', 'other', '/other', [
        { claim: 'sub', equals: 'org/acme/tide' },
        { claim: 'workspace', equals: 'acme' },
      ]);
    });
    afterAll(async () => {
      await issuer.close();
      await ci.remove();
    });

    const trust = async (name: string, provider: string, path: string, rules: object[]) => {
      const answer = await fetch(`${ci.origin}/api/v1/owners/acme/trusted-publishers`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${jobKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name, provider, issuer: issuer.origin + path, rules }),
      });
      expect([answer.status, await answer.text()]).toEqual([201, expect.anything()]);
    };
    const issue = async (path: string, audience: string | string[], claims: object) => {
      const iat = Math.floor(Date.now() / 1000);
      const times = { iat, exp: iat + 300, jti: randomUUID() };
      const token = await issuer.sign({ iss: issuer.origin + path, aud: audience, ...times, ...claims });
      issued.push(token);
      return token;
    };
    const other = (audience: string | string[] = ci.origin) =>
      issue('/other', audience, { sub: 'org/acme/tide', workspace: 'acme' });
    const environmentOf = (variables: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, ci.here(String(value))]));
    const upload = async (script: string, env: Record<string, string>) => {
      const end = await ci.run(await ci.checkout(), ci.here(script), env);
      expect(end, end.stderr).toMatchObject({ code: 0 });
      for (const token of issued) expect(end.stdout + end.stderr).not.toContain(token);
      return ci.newestBuild();
    };

    it('works for the GitHub Action, which asks the runner for a token and shows none', async () => {
      const claims = {
        repository: 'acme/tide',
        repository_id: '74',
        repository_owner_id: '65',
        workflow_ref: 'acme/tide/.github/workflows/preview.yml@refs/pull/7/merge',
        event_name: 'pull_request',
        ref: 'refs/pull/7/merge',
        head_ref: 'feature/x',
        sha: commit,
        run_id: '42',
        actor: 'mona',
        runner_environment: 'github-hosted',
      };
      issuer.respond = (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '', issuer.origin);
        if (pathname !== '/token' || request.headers.authorization !== 'Bearer of-the-job') return false;
        void issue(githubPath, searchParams.get('audience') ?? '', claims).then((value) =>
          response.end(JSON.stringify({ value })),
        );
        return true;
      };
      const { steps } = yamlBlock('github-action/README.md', 'preview.yml').jobs.preview;
      const inputs = Object.entries({ ...steps.at(-1).with, page: 'feature/x', comment: 'false' });
      const folder = await ci.checkout();
      const { code, stdout, stderr } = await runProgram(
        process.execPath,
        [join(integrationsFolder, 'github-action/dist/index.js')],
        folder,
        {
          PATH: '/usr/bin:/bin',
          HOME: folder,
          GITHUB_ACTIONS: 'true',
          GITHUB_SERVER_URL: issuer.origin,
          GITHUB_REPOSITORY: 'acme/tide',
          GITHUB_RUN_ID: '42',
          GITHUB_SHA: commit,
          GITHUB_REF: 'refs/pull/7/merge',
          GITHUB_HEAD_REF: 'feature/x',
          ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.origin}/token?api-version=2.0`,
          ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
          ...environmentOf(
            Object.fromEntries(inputs.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
          ),
        },
      );
      expect(code, stdout + stderr).toBe(0);
      expect(await ci.newestBuild()).toMatchObject({ commit, pages: ['feature/x'] });
      const [token = '?'] = issued;
      expect(stdout + stderr).toContain(`::add-mask::${token}\n`);
      const shown = (stdout + stderr).split('\n').filter((line) => !line.startsWith('::add-mask::'));
      expect(shown.join('\n')).not.toContain(token);
    });

    it('works for CircleCI and Buildkite, whose programs issue a token for the server', async () => {
      const program = async (name: string, words: RegExp) =>
        ci.addProgram(
          name,
          `#!${process.execPath}\nif (!${words}.test(process.argv.slice(2).join(' '))) process.exit(9);\nconsole.log(${JSON.stringify(await other())});\n`,
        );
      await program('circleci', /^run oidc get --claims \{"aud":"http:\/\/127\.0\.0\.1:\d+"\}$/);
      const circle = yamlBlock(readme, '.circleci/config.yml').jobs.upload;
      expect(
        await upload(circle.steps[2].run.command, {
          ...environmentOf(circle.environment),
          CIRCLECI: 'true',
          CIRCLE_OIDC_TOKEN_V2: 'of.the.organization',
          CIRCLE_BRANCH: 'circle',
          CIRCLE_BUILD_URL: 'https://circleci.com/gh/acme/tide/42',
        }),
      ).toMatchObject({ pages: ['circle'] });

      await program('buildkite-agent', /^oidc request-token --audience http:\/\/127\.0\.0\.1:\d+$/);
      const [buildkite] = yamlBlock(readme, '.buildkite').steps;
      expect(
        await upload(buildkite.command.replaceAll('$$', '$'), {
          ...environmentOf(buildkite.env),
          BUILDKITE: 'true',
          BUILDKITE_BRANCH: 'kite',
        }),
      ).toMatchObject({ pages: ['kite'] });
    });

    it('works for Bitbucket, whose step requests a token for the server only', async () => {
      const { step } = yamlBlock(readme, 'bitbucket-pipelines.yml').pipelines.default[0];
      expect(
        await upload(step.script.join('\n'), {
          BITBUCKET_BRANCH: 'bitbucket',
          BITBUCKET_STEP_OIDC_TOKEN: await other(step.oidc.audiences.map(ci.here).join()),
        }),
      ).toMatchObject({ pages: ['bitbucket'] });
    });

    it('works for Bitrise, whose step before it stores the token', async () => {
      const { steps } = yamlBlock('bitrise/README.md', 'without a stored key').workflows.deploy;
      const [{ audience }] = steps[1]['get-identity-token@0'].inputs;
      await ci.addProgram('envman', '#!/bin/sh\nexit 0\n');
      const { inputs: declared } = parse(readIntegration('bitrise/step.yml'));
      const given = [...declared, ...steps[2]['path::./bitrise-step-slipway'].inputs];
      const inputs = given.flatMap((input: Record<string, unknown>) =>
        Object.entries(input)
          .filter(([name]) => name !== 'opts')
          .map(([name, value]) => [name, /^\$/.test(String(value)) ? '' : ci.here(String(value ?? ''))]),
      );
      expect(
        await upload(`bash ${join(integrationsFolder, 'bitrise/step.sh')}`, {
          ...Object.fromEntries(inputs),
          file: 'app-release.apk',
          page: 'bitrise',
          BITRISE_IO: 'true',
          BITRISE_IDENTITY_TOKEN: await other(ci.here(audience)),
        }),
      ).toMatchObject({ pages: ['bitrise'] });
    });

    const job = () => ({ SLIPWAY_SERVER: ci.origin, SLIPWAY_OWNER: 'acme', SLIPWAY_FILE: 'app-release.apk' });

    it('works for GitLab, whose address of a job is not that of the pipeline in the token', async () => {
      const token = await issue('/gitlab', ci.origin, {
        project_path: 'acme/tide',
        project_id: '7',
        namespace_id: '8',
        pipeline_id: '42',
        ref: 'main',
        ref_path: 'refs/heads/main',
        ref_protected: 'true',
        sha: commit,
      });
      const env = {
        GITLAB_CI: 'true',
        CI_COMMIT_BRANCH: 'main',
        CI_COMMIT_SHA: commit,
        CI_JOB_URL: `${issuer.origin}/gitlab/acme/tide/-/jobs/99`,
        SLIPWAY_PAGE: 'gitlab',
        SLIPWAY_ID_TOKEN: token,
      };
      expect(await upload('sh slipway-upload.sh', { ...job(), ...env })).toMatchObject({
        pages: ['gitlab'],
        branch: 'main',
        commit,
      });
    });

    it('refuses a used token, one for another server, and one for two', async () => {
      const used = await other();
      await upload('sh slipway-upload.sh', { ...job(), SLIPWAY_ID_TOKEN: used });
      const { count } = await ci.newestBuild();
      const folder = await ci.checkout();
      for (const token of [
        used,
        await other('https://apps.example.org'),
        await other([ci.origin, 'https://b']),
      ]) {
        const end = await ci.run(folder, 'sh slipway-upload.sh', { ...job(), SLIPWAY_ID_TOKEN: token });
        expect([end.code, end.stdout]).toEqual([1, '']);
        expect(end.stderr).toContain('refused the ID token');
      }
      expect(await ci.newestBuild()).toMatchObject({ count });
    });
  },
);
