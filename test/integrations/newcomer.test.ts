/**
 * From an empty installation to the first builds without a stored key, as a newcomer goes: the page "Upload from CI" in a browser,
 * one field, and its lines as printed in jobs of a simulated GitHub Enterprise Server and a simulated GitLab of one's own.
 */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { browserTimeoutMs, hasChromium, newPage } from '../support/chromium.ts';
import { freePort } from '../support/free-port.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts';
import { hasJobTools, type JobServer, jobKey, startJobServer } from './ci-job.ts';

const password = 'a long password';
const [gitlabCommit, githubCommit] = ['a', 'b'].map((digit) => digit.repeat(40));

describe.runIf(runsEverything && hasJobTools && hasChromium)(
  'a newcomer (needs chromium, bash, curl and git)',
  () => {
    let ci: JobServer;
    let page: Page;
    /** GitLab is at its origin, GitHub at its paths. */
    let forge: TestIssuer;
    beforeAll(async () => {
      const port = await freePort();
      const settings = {
        SLIPWAY_PORT: String(port),
        SLIPWAY_URL: `http://127.0.0.1:${port}`,
        SLIPWAY_HOOK_NETWORKS: '127.0.0.1',
      };
      ci = await startJobServer(settings, { project: null });
      forge = await startTestIssuer();
      page = await newPage({ origin: ci.origin, port }, { viewport: { width: 1280, height: 900 } });
      page.setDefaultTimeout(15_000);
    }, browserTimeoutMs);
    afterAll(async () => {
      await page?.context().close();
      await forge?.close();
      await ci?.remove();
    });

    const sign = (iss: string, aud: string, claims: object) => {
      const iat = Math.floor(Date.now() / 1000);
      return forge.sign({ iss, aud, iat, exp: iat + 300, jti: randomUUID(), ...claims });
    };
    /** The lines of the page, in a checkout with the package where they expect it. */
    const printed = async () => {
      const text = await page.locator('.ci-steps code').first().innerText();
      return parse(text);
    };
    const choose = async (system: string) => {
      await page.locator('.ci-systems').getByRole('link', { name: system }).click();
    };
    const trust = async (field: string, repository: string) => {
      await page.getByLabel(field, { exact: true }).fill(repository);
      await page.getByRole('button', { name: 'Trust repository' }).click();
      await page.getByText('Trusted already').waitFor();
    };
    const received = () => page.locator('#ci-upload').getByText('It works').waitFor();
    const builds = async () => {
      const address = `${ci.origin}/api/v1/apps/admin/android/com.example.integrations/builds`;
      const answer = await fetch(address, { headers: { Authorization: `Bearer ${jobKey}` } });
      return ((await answer.json()) as { data: { source: object; commit: string; branch: string }[] }).data;
    };

    it(
      'finds the page, trusts a repository with one field, and sees the build of each forge without a reload',
      async () => {
        await page.goto('/sign-in');
        await page.locator('input[name=login]').fill('admin');
        await page.locator('input[name=password]').fill(password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('link', { name: 'Set up CI' }).click();
        await page.getByRole('heading', { name: 'Upload from CI' }).waitFor();

        // The steps are on one screen.
        const { height = 0, y = 0 } = (await page.locator('.ci-steps').boundingBox()) ?? {};
        expect(y + height).toBeLessThan(1000);
        await trust('Repository', `${forge.origin}/acme/tide`);
        await page.locator('#ci-upload').getByText('Waiting for the first upload').waitFor();
        await page.evaluate('window.untouched = true');
        const { permissions, steps } = await printed();
        expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
        forge.respond = (request, response) => {
          const { pathname, searchParams } = new URL(request.url ?? '', forge.origin);
          if (pathname !== '/id-token' || request.headers.authorization !== 'Bearer of-the-job') return false;
          void sign(`${forge.origin}/_services/token`, searchParams.get('audience') ?? '', {
            repository: 'acme/tide',
            repository_id: '74',
            repository_owner_id: '65',
            event_name: 'push',
            ref: 'refs/heads/main',
            sha: githubCommit,
            run_id: '42',
            actor: 'mona',
            runner_environment: 'self-hosted',
          }).then((value) => response.end(JSON.stringify({ value })));
          return true;
        };
        const job = await ci.run(await ci.checkout(), steps[0].run, {
          GITHUB_ACTIONS: 'true',
          GITHUB_SERVER_URL: forge.origin,
          GITHUB_REPOSITORY: 'acme/tide',
          GITHUB_RUN_ID: '42',
          GITHUB_SHA: githubCommit ?? '',
          GITHUB_REF: 'refs/heads/main',
          ...(permissions['id-token'] === 'write' && {
            ACTIONS_ID_TOKEN_REQUEST_URL: `${forge.origin}/id-token?api-version=2.0`,
            ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
          }),
        });
        expect(job, job.stderr).toMatchObject({ code: 0 });
        await received();
        expect(await page.evaluate('window.untouched')).toBe(true);

        await choose('GitLab');
        await trust('Project', `${forge.origin}/acme/tide`);
        const { upload } = await printed();
        const idTokens = await Promise.all(
          Object.entries<{ aud: string }>(upload.id_tokens).map(async ([name, { aud }]) => [
            name,
            await sign(forge.origin, aud, {
              project_path: 'acme/tide',
              project_id: '7',
              namespace_id: '8',
              pipeline_id: '99',
              ref: 'main',
              ref_path: 'refs/heads/main',
              sha: gitlabCommit,
              user_login: 'mona',
            }),
          ]),
        );
        const second = await ci.run(await ci.checkout(), upload.script.join('\n'), {
          GITLAB_CI: 'true',
          CI_COMMIT_BRANCH: 'main',
          CI_COMMIT_SHA: gitlabCommit ?? '',
          CI_JOB_URL: `${forge.origin}/acme/tide/-/jobs/1`,
          ...Object.fromEntries(idTokens),
        });
        expect(second, second.stderr).toMatchObject({ code: 0 });
        await page.locator('#ci-upload').getByText('#2').waitFor();
        expect(await builds()).toMatchObject([
          { commit: gitlabCommit, branch: 'main', source: { provider: 'gitlab', repository: 'acme/tide' } },
          { commit: githubCommit, branch: 'main', source: { provider: 'github', actor: 'mona' } },
        ]);
        // Nothing is stored: the installation has no key but the administrator's.
        const keys = await fetch(`${ci.origin}/api/v1/owners/admin/keys`, {
          headers: { Authorization: `Bearer ${jobKey}` },
        });
        expect(((await keys.json()) as { data: unknown[] }).data).toHaveLength(1);
      },
      browserTimeoutMs,
    );

    it('sees why a token was refused', async () => {
      await choose('GitLab');
      const { upload } = await printed();
      const [[name = '', { aud }] = ['', { aud: '' }]] = Object.entries<{ aud: string }>(upload.id_tokens);
      const other = { project_path: 'acme/tide', project_id: '8', namespace_id: '8', ref: 'main' };
      const token = await sign(forge.origin, aud, other);
      const end = await ci.run(await ci.checkout(), upload.script.join('\n'), {
        GITLAB_CI: 'true',
        [name]: token,
      });
      expect(end.code).toBe(1);
      const words = 'belongs to the project_id “7”; the token has “8”';
      expect(end.stderr).toContain(words);
      await page.locator('#ci-upload').getByText(words).waitFor();
    });
  },
);
