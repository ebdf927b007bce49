/** The secret of an App, and the links that depend on it: who can rotate it, and what rotates it automatically. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import { endExpiredKeys } from '../../src/accounts/keys/key-expiry.ts';
import { createFileTokens } from '../../src/apps/files/file-token.ts';
import { readSecret } from '../../src/core/secret.ts';
import { createSigner } from '../../src/core/signature.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { removeMember } from '../../src/owners/members.ts';
import { postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { appEntries, buildIpa } from '../support/build-ipa.ts';
import { buildZip } from '../support/build-zip.ts';
import { bearer, get, refusalOf, type UploadResult, uploaded } from '../support/interface-client.ts';
import { formOf, postedForms } from '../support/page-forms.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const packageName = 'com.example.secret';
const apk = signApk(buildApk({ packageName, minSdk: 24, targetSdk: 34 }), { v2: [{ key: createTestKey() }] });
const hourMs = 60 * 60_000;
const html = { headers: { Accept: 'text/html' } };
const onAndroid = { headers: { 'User-Agent': 'Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/130.0' } };

/** Addresses of stored files on a page, with the key that opens them. */
const linksIn = (text: string) =>
  [...new Set(text.match(/\/(?:builds|distributions)\/[\w./-]+\?(?:key|ticket)=[\w.-]+/g) ?? [])].sort();

describe('app secret', () => {
  let slipway: TestService;
  let now = Date.UTC(2026, 10, 21, 9, 40);
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', now: () => now });
    for (const name of ['olga', 'dev', 'tess']) keys[name] = await slipway.user(name);
  });
  afterAll(() => slipway.close());

  let made = 0;
  /** Creates a separate Project for each test, owned by olga. */
  const newProject = async (members: Record<string, string> = { dev: 'developer' }) => {
    made += 1;
    const name = `crew-${made}`;
    await slipway.project(name, { members: { olga: 'owner', ...members } });
    const result = await uploaded(slipway, {
      owner: name,
      key: keys.olga ?? null,
      file: apk,
      fields: { distribution_name: 'main' },
    });
    const page = `/users/${name}/platforms/android/apps/${packageName}`;
    return { name, result, page, id: await idOf(name) };
  };
  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const appOf = async (ownerId: string) => {
    const app = await slipway.data.apps.findApp(ownerId, 'android', packageName);
    if (!app) throw new Error('the app is missing');
    return app;
  };
  const statusOf = async (address: string) => (await get(slipway, address)).status;
  const opened = async ({ result, page }: { result: UploadResult; page: string }) => {
    const [keyed, file, icon] = [`${page}?key=${result.secret}`, result.file, result.icon];
    return Promise.all([keyed, file, icon].map(statusOf));
  };

  describe('rotation', () => {
    it('lets app managers rotate the secret in the settings of the app, which lists what stops working', async () => {
      const project = await newProject();
      const browser = await signIn(slipway, 'dev');
      const page = await browser.get(`${project.page}/settings`);
      expect(page.text).toContain('the file and icon links of earlier uploads');
      const { action, fields } = formOf(page.text, 'rotate');
      expect(action).toBe(`${project.page}/secret/rotate`);
      const answer = await postForm(slipway, action, fields, { Cookie: browser.cookie });
      expect(answer.headers.location).toBe(`${project.page}/settings?done=secret-rotated`);
      expect((await browser.get(answer.headers.location ?? '')).text).toContain('Secret rotated.');
      expect(await opened(project)).toEqual([401, 404, 404]);
      const entries = await slipway.data.audit.list(project.id, 20);
      expect(entries.filter(({ action }) => action === 'app.secret-rotated')).toMatchObject([
        { actorName: 'dev', subject: `${packageName} (android)` },
      ]);
      const next = await uploaded(slipway, { owner: project.name, key: keys.dev ?? null, file: apk });
      expect(next.secret).toMatch(/^[0-9a-f]{40}$/);
      expect(next.secret).not.toBe(project.result.secret);
      expect(await opened({ ...project, result: next })).toEqual([200, 200, 200]);
    });
  });

  it('does not open the link that continues to an installation', async () => {
    const { page, result } = await newProject();
    const build = `${page}/binaries/1`;
    expect((await get(slipway, `${build}?key=${result.secret}`, null, html)).status).toBe(200);
    const continued = await get(slipway, `${build}/install?key=${result.secret}`, null, html);
    expect(continued.headers.location).toMatch(/^\/sign-in\?to=/);
  });

  describe('automatic rotation when', () => {
    type Project = Awaited<ReturnType<typeof newProject>>;
    let untouched: Project;
    beforeAll(async () => {
      untouched = await newProject({});
    });
    const submit = async (login: string, page: string, action: string, fields: Record<string, string>) => {
      const browser = await signIn(slipway, login);
      const text = (await browser.get(page)).text;
      const [csrf = ''] = postedForms(text).flatMap((form) => form.fields.csrf ?? []);
      const answer = await postForm(
        slipway,
        action,
        { csrf, proof: testPassword, ...fields },
        { Cookie: browser.cookie },
      );
      expect(answer.status).toBe(303);
    };
    const removals: [string, (project: Project) => Promise<unknown>][] = [
      [
        'an owner removes a developer',
        async ({ name }) =>
          submit(
            'olga',
            `/organizations/${name}/people`,
            `/organizations/${name}/people/${await idOf('dev')}/remove`,
            {},
          ),
      ],
      [
        'a developer becomes a tester',
        async ({ name }) =>
          submit(
            'olga',
            `/organizations/${name}/people`,
            `/organizations/${name}/people/${await idOf('dev')}/save`,
            { team: 'tester' },
          ),
      ],
      [
        'the command line removes a developer',
        ({ name }) =>
          slipway.owners.removeFromTeam({
            projectName: name,
            team: 'developer',
            userName: 'dev',
            by: 'command-line',
          }),
      ],
      [
        'a key of a developer is revoked',
        async () => {
          const key = await newKey('dev', null);
          await slipway.data.keys.revokeKey(await idOf('dev'), key, now);
        },
      ],
      [
        'a key of the Project is revoked',
        async ({ name, id }) => {
          await slipway.projectKey(name);
          const [key] = await slipway.data.keys.listKeys(id);
          await slipway.data.keys.revokeKey(id, key?.id ?? '', now);
        },
      ],
      [
        'a key of a developer expires',
        async () => {
          await newKey('dev', now + hourMs);
          now += hourMs;
          await endExpiredKeys(slipway.data, now);
        },
      ],
      [
        'the account of a developer is disabled',
        async () => {
          await slipway.data.accountState.setDisabled(await idOf('dev'), now);
          await slipway.data.accountState.setDisabled(await idOf('dev'), null);
        },
      ],
    ];
    const newKey = async (ownerName: string, expiresAt: number | null) => {
      const issueKey = createIssueKey({ data: slipway.data, now: () => now });
      const request = {
        ownerKind: 'user',
        ownerName,
        name: 'passing',
        expiresAt,
        by: 'command-line',
      } as const;
      return (await issueKey({ ...request, notify: false })).record.id;
    };

    it.each(removals)('%s invalidates every link they collected', async (_name, remove) => {
      const project = await newProject();
      const other = untouched;
      const developer = await signIn(slipway, 'dev');
      const pages = [
        '/',
        `/organizations/${project.name}`,
        project.page,
        `${project.page}/binaries/1`,
        `${project.page}?key=${project.result.secret}`,
        `${project.page}/binaries/1?key=${project.result.secret}`,
      ];
      const collected = new Set<string>([project.result.file, project.result.icon]);
      const ofBuild = new URL(project.result.file).pathname.replace(/\/file$/, '');
      for (const page of pages)
        for (const link of linksIn((await developer.get(page)).text))
          if (link.startsWith(ofBuild)) collected.add(link);
      expect(collected.size).toBeGreaterThanOrEqual(4);
      for (const link of collected) expect([link, await statusOf(link)]).toEqual([link, 200]);
      await remove(project);
      for (const link of collected) expect([link, await statusOf(link)]).toEqual([link, 404]);
      expect(await opened(project)).toEqual([401, 404, 404]);
      expect(await opened(other)).toEqual([200, 200, 200]);
      const { secret } = await appOf(project.id);
      expect(secret).toMatch(/^[0-9a-f]{40}$/);
      expect(await statusOf(`${project.page}?key=${secret}`)).toBe(200);
    });

    it('an account with memberships and shared apps is deleted or loses access to one app', async () => {
      await slipway.user('leaver');
      const project = await newProject({ leaver: 'developer' });
      await uploaded(slipway, { owner: 'olga', key: keys.olga ?? null, file: apk });
      const own = await appOf(await idOf('olga'));
      const leaver = await idOf('leaver');
      await slipway.data.appTesters.add({ appId: own.id, userId: leaver, limit: 10, now });
      await slipway.data.ownerDeletion.remove({ id: leaver, kind: 'user', email: null }, now);
      expect(await opened(project)).toEqual([401, 404, 404]);
      expect((await appOf(await idOf('olga'))).secret).not.toBe(own.secret);
    });

    it('the Project moves to a Workspace, or the app moves to another owner', async () => {
      const project = await newProject();
      const before = await appOf(project.id);
      const database = await openDatabase(slipway.config.database);
      try {
        await slipway.project(`moved-${made}`, { workspace: `harbour-${made}` });
        const workspace = await slipway.data.owners.findWorkspace(`harbour-${made}`);
        await sql`update projects set workspace_id = ${workspace?.id} where owner_id = ${project.id}`.execute(
          database.queries,
        );
        const moved = await appOf(project.id);
        expect(moved.secret).not.toBe(before.secret);
        const next = await idOf(`moved-${made}`);
        await sql`update apps set owner_id = ${next} where id = ${moved.id}`.execute(database.queries);
        expect((await appOf(next)).secret).not.toBe(moved.secret);
      } finally {
        await database.close();
      }
    });

    it('a member leaves a Project of two thousand apps, giving each app a different secret', async () => {
      const project = await newProject();
      await slipway.data.transaction(async (tx) => {
        for (let number = 0; number < 2000; number++) {
          await tx.apps.takeNextRevision({
            ownerId: project.id,
            platform: 'ios',
            packageName: `com.example.n${number}`,
            secret: 'a'.repeat(40),
            now,
          });
        }
      });
      const user = { id: await idOf('dev'), name: 'dev' };
      const membership = { project, user, by: 'command-line' as const, at: now };
      await slipway.data.transaction((tx) => removeMember(tx, membership));
      const database = await openDatabase(slipway.config.database);
      const { rows } = await sql<{ count: number }>`
        select count(distinct secret) as count from apps where owner_id = ${project.id} and length(secret) = 40`.execute(
        database.queries,
      );
      await database.close();
      expect(Number(rows[0]?.count)).toBe(2001);
    });
  });

  describe('links', () => {
    it('expire within 25 hours on pages, and then show the visitor what to do', async () => {
      const { result, page, name } = await newProject();
      const pageKey = result.distribution?.access_key ?? '';
      await uploaded(slipway, {
        owner: name,
        key: keys.olga ?? null,
        parts: [
          { name: 'file', content: buildIpa({ bundleIdentifier: packageName }), fileName: 'app.ipa' },
          {
            name: 'ios_simulator_zip',
            fileName: 'app.zip',
            content: buildZip(appEntries({ simulator: true }, 'Test.app/')),
          },
        ],
      });
      await uploaded(slipway, { owner: name, key: keys.olga ?? null, file: apk });
      const ios = page.replace('/android/', '/ios/');
      const browser = await signIn(slipway, 'dev');
      const kinds = new Set<string>();
      const links = new Set<string>();
      for (const address of [
        ...['/', `/organizations/${name}`, page, `${page}/binaries/1`, `${page}/compare?from=1&to=2`],
        ...[ios, `${ios}/binaries/1`, `/users/${name}/apps/${packageName}`],
        ...[`/distributions/${pageKey}`, `/distributions/${pageKey}/1`, `/distributions/${pageKey}/settings`],
        ...[`${page}?key=${result.secret}`, `${page}/binaries/1?key=${result.secret}`],
      ]) {
        for (const link of linksIn((await browser.get(address, onAndroid)).text)) {
          links.add(link);
          kinds.add(`${link.split('/')[1]} ${link.replace(/\?.*/, '').split('/').at(-1)}`);
        }
      }
      expect([...kinds].sort()).toEqual([
        ...['builds file', 'builds icon', 'builds simulator', 'distributions file', 'distributions icon'],
      ]);
      for (const link of links) expect([link, await statusOf(link)]).toEqual([link, 200]);
      now += 25 * hourMs;
      for (const link of links) {
        const late = await get(slipway, link, null);
        expect(refusalOf(late, 403).message).toMatch(/reload the page|open the page again/);
      }
      // The links of the upload remain valid, and people with access to the app need no link.
      expect([await statusOf(result.file), await statusOf(result.icon)]).toEqual([200, 200]);
      for (const link of links) {
        if (!link.startsWith('/builds/')) continue;
        const again = await signIn(slipway, 'dev');
        expect((await again.get(link)).status).toBe(200);
        expect((await get(slipway, link, null, { headers: bearer(keys.dev ?? '') })).status).toBe(200);
        expect(
          (await get(slipway, link.replace(/\?.*/, ''), null, { headers: bearer(keys.dev ?? '') })).status,
        ).toBe(200);
        break;
      }
    });

    it('work for a day on pages, stay the same for an hour, and open nothing else', async () => {
      const { id, page, result } = await newProject();
      const browser = await signIn(slipway, 'dev');
      now = Math.ceil(now / hourMs) * hourMs + 1;
      const at = async () => linksIn((await browser.get(page)).text).find((one) => one.includes('/file?'));
      const link = await at();
      now += hourMs - 2;
      expect(await at()).toBe(link);
      now += 2;
      expect(await at()).not.toBe(link);
      now += 23 * hourMs;
      expect(await statusOf(link ?? '')).toBe(200);
      expect(await statusOf((link ?? '').replace('/file?', '/icon?'))).toBe(404);
      expect(await statusOf((link ?? '').replace(/key=(\w+)\./, 'key=zzzzzz.'))).toBe(404);
      expect((await appOf(id)).secret).toBe(result.secret);
    });

    it('work until the first rotation if they are from earlier uploads', async () => {
      const { id, result } = await newProject();
      const key = new URL(result.file).searchParams.get('key') ?? '';
      const buildId = new URL(result.file).pathname.split('/')[2] ?? '';
      const secret = await readSecret(slipway.config);
      expect(key).toBe(createSigner(secret, 'link').sign(`file\0${buildId}`));
      const tokens = createFileTokens({ secret, now: () => now });
      const app = await appOf(id);
      const rotated = { ...app, secretRotations: 1 };
      expect(tokens.check('file', app, buildId, key)).toBe('valid');
      expect(tokens.check('file', rotated, buildId, key)).toBe('invalid');
      const next = tokens.issueLasting('file', rotated, buildId);
      expect(tokens.check('file', rotated, buildId, next)).toBe('valid');
      expect(tokens.check('file', { ...rotated, secret: 'b'.repeat(40) }, buildId, next)).toBe('invalid');
    });
  });
});

describe('app secret with SLIPWAY_APP_SECRETS=off', () => {
  it('keeps 40 hexadecimal digits, grants no access and does not change upload links', async () => {
    const slipway = await startTestService({ settings: { SLIPWAY_APP_SECRETS: 'off' } });
    try {
      const result = await uploaded(slipway);
      expect(result.secret).toMatch(/^[0-9a-f]{40}$/);
      for (const path of [result.path, new URL(result.revision_url).pathname]) {
        const answer = await get(slipway, `${path}?key=${result.secret}`, null, html);
        expect([answer.status, answer.headers.location?.replace(/\?.*/, '')]).toEqual([303, '/sign-in']);
      }
      expect((await get(slipway, result.file)).status).toBe(200);
      expect((await get(slipway, result.icon)).status).toBe(200);
    } finally {
      await slipway.close();
    }
  });
});
