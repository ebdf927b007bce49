import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { packageKey } from '../../src/blobs/blob-key.ts';
import { createDiskBlobStore } from '../../src/blobs/disk-blob-store.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { buildApk } from '../support/build-apk.ts';
import { createTestQueries } from '../support/every-query.ts';
import { fetchedSessionCookie, fetchSignIn } from '../support/fetch-sign-in.ts';
import { createInstallation, type Installation, jsonLines, type RunningServer } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';

const keyForm = /^slw_[A-Za-z0-9_-]{43}$/;

describe('the command line', () => {
  let slipway: Installation;
  let server: RunningServer;
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    // Commands work before the first start of the server.
    expect(await slipway.runJson(['migrate'])).toEqual([
      { applied: expect.arrayContaining(['0001-baseline']) },
    ]);
    await slipway.runJson(['user', 'add', 'boss', '--email', 'boss@example.com', '--admin']);
    server = await slipway.serveInProcess();
  });
  afterAll(() => slipway.remove());

  const list = (key: unknown) =>
    fetch(`${server.origin}/api/organizations`, { headers: { authorization: `Bearer ${key}` } });
  const upload = async (owner: string, key: unknown, apk = buildApk()) => {
    const form = new FormData();
    form.set('file', new File([new Uint8Array(apk)], 'app.apk'));
    return fetch(`${server.origin}/api/users/${owner}/apps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
  };
  const signIn = (login: string, password: string) => fetchSignIn(server.origin, login, password);

  it('creates no second administrator at startup when a user exists', async () => {
    expect(server.output()).not.toMatch(/first start/);
    await expect(stat(join(slipway.dataFolder, 'first-start.txt'))).rejects.toThrow(/ENOENT/);
  });

  it('migrates once', async () => {
    expect(await slipway.runJson(['migrate'])).toEqual([{ applied: [] }]);
    expect(await slipway.run(['migrate'])).toMatchObject({
      code: 0,
      stdout: 'The schema is up to date.\n',
      stderr: '',
    });
  });

  it('user add: prints a key and a password that work immediately', async () => {
    const [made] = await slipway.runJson(['user', 'add', 'Ann', '--email', 'ann@example.com']);
    expect(made).toEqual({
      name: 'Ann',
      email: 'ann@example.com',
      administrator: false,
      api_key: expect.stringMatching(keyForm),
      password: expect.stringMatching(/^[A-Za-z2-9]{20}$/),
    });
    expect((await list(made?.api_key)).status).toBe(200);
    expect((await upload('ann', made?.api_key)).status).toBe(200);
    const answer = await signIn('ann@example.com', String(made?.password));
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/welcome');
  });

  it('user password: sets a password and ends every session; a generated password must be changed', async () => {
    const given = { input: 'the first of many' };
    await slipway.runJson(['user', 'add', 'pat', '--email', 'pat@x.y', '--password-stdin'], given);
    const before = await signIn('pat', given.input);
    expect(before.headers.get('location')).toBe('/');
    const cookie = fetchedSessionCookie(before) ?? '';
    const page = () => fetch(`${server.origin}/settings`, { headers: { cookie }, redirect: 'manual' });
    expect((await page()).status).toBe(200);
    const [made] = await slipway.runJson(['user', 'password', 'PAT']);
    expect(made).toMatchObject({ name: 'pat', password: expect.stringMatching(/^[A-Za-z2-9]{20}$/) });
    // A new password revokes no key, so the command lists them.
    expect(made).toMatchObject({
      keys: [{ name: 'first key' }],
      trusted_publishers: [],
      keys_revoked: false,
    });
    expect((await page()).status).toBe(401);
    expect((await signIn('pat', given.input)).status).toBe(401);
    expect((await signIn('pat', String(made?.password))).headers.get('location')).toBe('/welcome');
    const next = { input: 'the second of many' };
    const set = ['user', 'password', 'pat', '--password-stdin'];
    expect(await slipway.runJson([...set, '--revoke-keys'], next)).toMatchObject([
      { name: 'pat', keys: [{ name: 'first key' }], keys_revoked: true },
    ]);
    expect(await slipway.runJson(['key', 'list', '--user', 'pat'])).toMatchObject([
      { revoked_at: expect.any(String) },
    ]);
    expect((await signIn('pat', next.input)).headers.get('location')).toBe('/');
    for (const [args, input, words] of [
      [set, 'short', /Passwords must have 10 to 256/],
      [['user', 'password', 'nobody'], '', /there is no user nobody/],
    ] as const) {
      const { code, stderr } = await slipway.run(args, { input });
      expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    }
  });

  it('user email: sets an address that takes effect immediately', async () => {
    await slipway.runJson(['user', 'add', 'elm', '--email', 'elm@x.y', '--password', 'the first of many']);
    expect(await slipway.runJson(['user', 'email', 'ELM', 'Elm@example.com'])).toEqual([
      { name: 'elm', email: 'Elm@example.com' },
    ]);
    expect((await signIn('elm@example.com', 'the first of many')).headers.get('location')).toBe('/');
    const { stdout } = await slipway.run(['user', 'email', 'elm', 'elm@example.org']);
    expect(stdout).toBe('Changed the email address of elm to elm@example.org.\n');
    for (const [args, words] of [
      [['elm', 'nowhere'], /not a valid email address/],
      [['elm', 'ann@example.com'], /can’t be used/],
      [['nobody', 'n@example.com'], /there is no user nobody/],
    ] as const) {
      const { code, stderr } = await slipway.run(['user', 'email', ...args]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    }
  });

  it('user email: confirms an unchanged address, but sends nothing and keeps password links valid', async () => {
    const address = 'same@example.com';
    await slipway.runJson(['user', 'add', 'same', '--email', address, '--password', 'the first of many']);
    const config = readConfig(slipway.environment);
    const database = await openDatabase(config.database);
    onTestFinished(() => database.close());
    const noted = async () => {
      const jobs = await database.queries.selectFrom('outbox').select('kind').execute();
      const { count } = await database.queries
        .selectFrom('audit_rows')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('action', '=', 'email.changed')
        .executeTakeFirstOrThrow();
      return [jobs.filter(({ kind }) => kind === 'send-account-email').length, Number(count)] as const;
    };
    // As for an address that its owner entered.
    await database.queries
      .updateTable('users')
      .set({ email_confirmed: 0 })
      .where('email', '=', address)
      .execute();
    const isConfirmed = async () => {
      const users = database.queries.selectFrom('users').select('email_confirmed');
      return (await users.where('email', '=', address).executeTakeFirstOrThrow()).email_confirmed === 1;
    };
    const before = await noted();
    expect(await slipway.runJson(['user', 'email', 'same', address])).toEqual([
      { name: 'same', email: address },
    ]);
    expect(await noted()).toEqual(before);
    expect(await isConfirmed()).toBe(true);
    await slipway.runJson(['user', 'email', 'same', 'other@example.net']);
    expect((await noted())[1]).toBe(before[1] + 1);
  });

  it('user reset-second-factor: reports which factors it removed, or that there were none', async () => {
    const reset = ['user', 'reset-second-factor'];
    await slipway.runJson(['user', 'add', 'lost', '--email', 'lost@x.y']);
    expect(await slipway.runJson([...reset, 'LOST'])).toEqual([{ name: 'lost', app: false, passkeys: 0 }]);
    const { code, stderr } = await slipway.run([...reset, 'nobody']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/there is no user nobody/)]);
  });

  it('user add: prints readable text without --json, with each secret once', async () => {
    const { code, stdout, stderr } = await slipway.run([
      'user',
      'add',
      'words',
      '--email',
      'words@example.com',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Created the user words\. This is shown once:\nPassword {2}\S{20}\nAPI key {3}slw_\S{43}\n$/,
    );
  });

  it('user add: reads a password from the arguments or from standard input and never prints it', async () => {
    const [given] = await slipway.runJson([
      'user',
      'add',
      'p1',
      '--email',
      'p1@x.y',
      '--password',
      'from argument',
    ]);
    expect(given).not.toHaveProperty('password');
    expect((await signIn('p1', 'from argument')).status).toBe(303);
    const [piped] = await slipway.runJson(['user', 'add', 'p2', '--email', 'p2@x.y', '--password-stdin'], {
      input: 'from standard input \r\nsecond line',
    });
    expect(piped).not.toHaveProperty('password');
    expect((await signIn('p2', 'from standard input ')).status).toBe(303);
    expect((await signIn('p2', 'from standard input')).status).toBe(401);
  });

  it.each([
    ['a taken name', ['ANN', '--email', 'other@example.com'], '', /the name ANN or the address .* is taken/],
    ['a taken address', ['ann2', '--email', 'ANN@example.com'], '', /taken/],
    ['a wrong name', ['-x', '--email', 'x@y'], '', /unknown option|letters/],
    ['a reserved name', ['api', '--email', 'x@y'], '', /the name api is reserved/],
    ['no address', ['x'], '', /required option '--email/],
    ['a wrong address', ['x', '--email', 'nowhere'], '', /nowhere is not a valid email address/],
    [
      'a short password',
      ['x', '--email', 'x@y', '--password', 'short'],
      '',
      /Passwords must have 10 to 256 characters/,
    ],
    [
      'an empty standard input',
      ['x', '--email', 'x@y', '--password-stdin'],
      '',
      /Passwords must have 10 to 256/,
    ],
    [
      'a password twice',
      ['x', '--email', 'x@y', '--password', 'long enough', '--password-stdin'],
      'p',
      /either|cannot be used/,
    ],
  ])('user add: rejects %s with a readable message', async (_what, args, input, words) => {
    const { code, stdout, stderr } = await slipway.run(['user', 'add', ...args], { input });
    expect(stderr).toMatch(words);
    expect([1, 2]).toContain(code);
    expectWords(stdout, stderr);
    if (args[0] === 'x')
      expect((await slipway.run(['key', 'list', '--user', 'x'])).stderr).toMatch(/there is no user x/);
  });

  it('quota set: limits uploads, changes only the limits that are given, and removes limits', async () => {
    const [user] = await slipway.runJson(['user', 'add', 'full', '--email', 'full@example.com']);
    const key = user?.api_key;
    const set = (...options: string[]) => slipway.runJson(['quota', 'set', 'FULL', ...options]);
    const limits = (bytes: number | null, builds: number | null) => [
      { owner: 'full', max_storage_bytes: bytes, max_builds: builds, max_projects: null },
    ];
    expect(await set('--storage', '50GiB', '--builds', '1')).toEqual(limits(50 * 1024 ** 3, 1));
    expect((await upload('full', key)).status).toBe(200);
    const refused = await upload('full', key);
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { message: 'application create error: limit' },
    ]);
    expect(await set('--builds', 'none')).toEqual(limits(50 * 1024 ** 3, null));
    expect((await upload('full', key)).status).toBe(200);
    expect(await set('--storage', '1')).toEqual(limits(1, null));
    expect((await upload('full', key)).status).toBe(403);
    expect(await set('--storage', 'NONE')).toEqual(limits(null, null));
    expect(await set('--projects', '3')).toMatchObject([{ max_projects: 3 }]);
    expect(await set('--projects', 'none')).toEqual(limits(null, null));
    await slipway.runJson(['project', 'add', 'filled', '--owner', 'boss']);
    const move = ['quota', 'set', 'filled', '--counts-for'];
    expect(await slipway.runJson([...move, 'full'])).toMatchObject([{ owner: 'filled', counts_for: 'full' }]);
    expect((await slipway.run([...move, 'nobody'])).stderr).toMatch(/there is no user/);
    expect((await slipway.run(['quota', 'set', 'full'])).stdout).toBe(
      'Limits of full: storage: no limit; builds: no limit; Projects: no limit.\n',
    );
    for (const options of [
      ['--storage', 'much'],
      ['--builds', '-1'],
    ]) {
      expect((await slipway.run(['quota', 'set', 'full', ...options])).code).toBe(2);
    }
    expect((await slipway.run(['quota', 'set', 'nobody', '--builds', '1'])).stderr).toMatch(
      /there is no user/,
    );
  });

  it('workspace add, project add, team add: a member can upload and see the Project until team remove', async () => {
    const workspace = [
      'workspace',
      'add',
      'acme',
      '--display-name',
      'Acme Inc.',
      '--icon-url',
      '/a.png',
      '--owner',
      'ann',
    ];
    expect(await slipway.runJson(workspace)).toEqual([
      expect.objectContaining({ name: 'acme', display_name: 'Acme Inc.', icon_url: '/a.png' }),
    ]);
    const project = [
      'project',
      'add',
      'rocket',
      '--workspace',
      'ACME',
      '--description',
      'goes up',
      '--owner',
      'ann',
    ];
    expect(await slipway.runJson(project)).toEqual([
      { name: 'rocket', description: 'goes up', workspace: 'acme' },
    ]);
    const [dev] = await slipway.runJson(['user', 'add', 'dev', '--email', 'dev@example.com']);
    const key = dev?.api_key;
    expect((await upload('rocket', key)).status).toBe(403);
    const member = { project: 'rocket', team: 'developer', user: 'dev' };
    const change = (verb: string) => slipway.runJson(['team', verb, 'rocket', 'developer', 'dev']);
    expect(await change('add')).toEqual([{ ...member, changed: true }]);
    expect(await change('add')).toEqual([{ ...member, changed: false }]);
    expect((await upload('rocket', key)).status).toBe(200);
    const { organizations } = (await (await list(key)).json()) as {
      organizations: Record<string, unknown>[];
    };
    expect(organizations).toMatchObject([
      {
        name: 'rocket',
        description: 'goes up',
        enterprise: { name: 'acme', display_name: 'Acme Inc.', icon_url: '/a.png' },
      },
    ]);
    expect(await change('remove')).toEqual([{ ...member, changed: true }]);
    expect(await change('remove')).toEqual([{ ...member, changed: false }]);
    expect((await upload('rocket', key)).status).toBe(403);
    const last = await slipway.run(['team', 'remove', 'rocket', 'owner', 'ann']);
    expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('must have at least one owner')]);
    const words = await slipway.run(['team', 'add', 'rocket', 'tester', 'dev']);
    expect(words).toMatchObject({
      code: 0,
      stdout: 'dev is now in the tester team of rocket.\n',
      stderr: '',
    });
  });

  it('prints what was created, and makes the first administrator the owner by default', async () => {
    expect((await slipway.run(['workspace', 'add', 'plain'])).stdout).toBe('Created the Workspace plain.\n');
    expect((await slipway.run(['project', 'add', 'plain'])).stdout).toBe('Created the Project plain.\n');
    const again = await slipway.runJson(['team', 'add', 'plain', 'owner', 'boss']);
    expect(again).toEqual([{ project: 'plain', team: 'owner', user: 'boss', changed: false }]);
  });

  it.each([
    [['workspace', 'add', 'ACME'], /the name ACME is taken/],
    [['workspace', 'add', 'w', '--icon-url', 'ftp://x'], /an icon address/],
    [['workspace', 'add', 'w', '--owner', 'nobody'], /there is no user nobody/],
    [['project', 'add', 'ann'], /the name ann is taken/],
    [['project', 'add', 'p', '--workspace', 'nowhere'], /there is no Workspace nowhere/],
    [['project', 'add', 'p', '--description', 'x'.repeat(5000)], /at most 4096 characters/],
    [['team', 'add', 'nowhere', 'owner', 'ann'], /there is no Project nowhere/],
    [['team', 'add', 'rocket', 'owner', 'nobody'], /there is no user nobody/],
    [['team', 'remove', 'rocket', 'owner', 'no@example.com'], /there is no user no@example.com/],
    [['key', 'add', '--user', 'nobody'], /there is no user nobody/],
    [['key', 'add', '--user', 'ann', '--app', 'ann'], /an app must be OWNER\/PLATFORM\/PACKAGE/],
    [['quota', 'set', 'rocket', '--projects', '1'], /--projects applies to users/],
    [['quota', 'set', 'ann', '--counts-for', 'boss'], /--counts-for applies to Projects/],
    [['key', 'add', '--user', 'rocket'], /there is no user rocket/],
    [['key', 'add', '--project', 'ann'], /there is no project ann/],
    [['key', 'revoke', 'none', '--user', 'ann'], /ann has no usable key none/],
    [['key', 'list', '--project', 'nowhere'], /there is no project nowhere/],
  ])('rejects %j with exit code 1', async (args, words) => {
    const { code, stdout, stderr } = await slipway.run(args);
    expect(stderr).toMatch(words);
    expect(code).toBe(1);
    expectWords(stdout, stderr);
  });

  it.each([
    [[], /Usage: slipway/],
    [['fly'], /unknown command 'fly'/],
    [['user', 'fly'], /unknown command 'fly'/],
    [['user', 'add', '--email', 'x@y'], /missing required argument 'name'/],
    [['migrate', '--fast'], /unknown option '--fast'/],
    [['migrate', 'now'], /too many arguments/],
    [['team', 'add', 'rocket', 'owner'], /missing required argument/],
    [['inspect'], /missing required argument/],
    [['team', 'add', 'rocket', 'boss', 'ann'], /choices are owner, developer, auditor, tester/],
    [['key', 'add'], /either --user or --project/],
    [['key', 'add', '--user', 'ann', '--project', 'rocket'], /either --user or --project/],
    [['key', 'add', '--user', 'ann', '--expires', 'soon'], /Use a duration such as 90d, 12h or 30m/],
    [['key', 'add', '--user', 'ann', '--expires', '0d'], /Use a duration such as/],
  ])('rejects the usage %j with exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await slipway.run(args);
    expect(stderr).toMatch(words);
    expect(code).toBe(2);
    expectWords(stdout, stderr);
  });

  it.each([
    [
      ['--help'],
      /Usage: slipway [\s\S]*serve[\s\S]*migrate[\s\S]*sweep[\s\S]*user[\s\S]*key[\s\S]*inspect[\s\S]*upload/,
    ],
    [['user', 'add', '--help'], /--password-stdin/],
    [['key', 'add', '--help'], /--expires <duration>/],
    [['serve', '--help'], /--lan/],
    [['upload', '--help'], /--owner/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ])('prints help for %j on standard output with exit code 0', async (args, words) => {
    const { code, stdout, stderr } = await slipway.run(args);
    expect(stdout).toMatch(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('key add: a Project key uploads to the Project, and a key with an expiry shows its date', async () => {
    await slipway.runJson(['project', 'add', 'keyed']);
    const [key] = await slipway.runJson([
      'key',
      'add',
      '--project',
      'keyed',
      '--name',
      'ci',
      '--expires',
      '90d',
    ]);
    expect(key).toEqual({
      api_key: expect.stringMatching(keyForm),
      id: expect.any(String),
      owner: 'keyed',
      name: 'ci',
      expires_at: expect.any(String),
      scopes: ['upload', 'read', 'manage'],
      restricted_to: null,
    });
    const days = (Date.parse(String(key?.expires_at)) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
    expect((await upload('keyed', key?.api_key)).status).toBe(200);
    const refused = await list(key?.api_key);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ message: 'requester must be a user' });
    const words = await slipway.run(['key', 'add', '--user', 'ann']);
    expect(words.stdout).toMatch(/^API key of ann\. This is shown once:\nslw_\S{43}\n$/);
  });

  it('key list and key revoke: a revoked key fails immediately while the server runs', async () => {
    const [key] = await slipway.runJson(['key', 'add', '--user', 'ann', '--name', 'laptop']);
    const id = String(key?.id);
    const listed = async () =>
      (await slipway.runJson(['key', 'list', '--user', 'ann'])).find((one) => one.id === id);
    expect(await listed()).toMatchObject({ name: 'laptop', last_used_at: null, revoked_at: null });
    expect(String(key?.api_key).startsWith(String((await listed())?.begins_with))).toBe(true);
    expect((await list(key?.api_key)).status).toBe(200);
    expect((await listed())?.last_used_at).toEqual(expect.any(String));
    expect(await slipway.runJson(['key', 'revoke', id, '--user', 'ann'])).toEqual([{ id, revoked: true }]);
    expect((await list(key?.api_key)).status).toBe(401);
    expect((await listed())?.revoked_at).toEqual(expect.any(String));
    expect((await slipway.run(['key', 'revoke', id, '--user', 'ann'])).code).toBe(1);
    const { stdout } = await slipway.run(['key', 'list', '--user', 'ann']);
    expect(stdout).toMatch(new RegExp(`${id} .*laptop .*revoked`));
    expect(stdout).not.toContain(String(key?.api_key));
  });

  it('key add, rotate and end-old-secret: a CI key gets a new secret, and its old secret stops working', async () => {
    const add = ['key', 'add', '--user', 'ann', '--scope', 'upload', '--app', 'Ann/android/com.example.ci'];
    const [key] = await slipway.runJson([...add, '--name', 'ci']);
    expect(key).toMatchObject({ scopes: ['upload'], restricted_to: ['Ann/android/com.example.ci'] });
    const id = String(key?.id);
    const rotate = ['key', 'rotate', id, '--user', 'ann'];
    const [next] = await slipway.runJson(rotate);
    const until = Date.parse(String(next?.old_secret_until));
    expect(Math.round((until - Date.now()) / 86_400_000)).toBe(7);
    const statuses = async () => [(await list(key?.api_key)).status, (await list(next?.api_key)).status];
    expect(await statuses()).toEqual([200, 200]);
    const end = ['key', 'end-old-secret', id, '--user', 'ann'];
    expect(await slipway.runJson(end)).toEqual([{ id, ended: true }]);
    expect(await statuses()).toEqual([401, 200]);
    expect((await slipway.run(end)).code).toBe(1);
    const [last] = await slipway.runJson([...rotate, '--overlap', '0']);
    expect(last?.old_secret_until).toBeNull();
    expect(await statuses()).toEqual([401, 401]);
    expect((await slipway.run([...rotate, '--overlap', '31d'])).code).toBe(2);
    expect((await slipway.run(['key', 'add', '--user', 'ann', '--scope', 'everything'])).code).toBe(2);
    expect((await slipway.run(['key', 'add', '--user', 'ann', '--owner', 'nobody'])).code).toBe(1);
  });

  it('sweep: removes unreferenced blobs older than a day and keeps the rest', async () => {
    const store = createDiskBlobStore({ root: join(slipway.dataFolder, 'blobs') });
    const put = async (name: string, ageHours: number) => {
      const when = new Date(Date.now() - ageHours * 3_600_000);
      await store.putBytes(packageKey(name), Buffer.from('litter!'));
      await utimes(store.localPath(packageKey(name)), when, when);
      return store.localPath(packageKey(name));
    };
    const old = await put('old-litter', 25);
    const young = await put('young-litter', 23);
    const [key] = await slipway.runJson(['key', 'add', '--user', 'ann']);
    const answer = (await (await upload('ann', key?.api_key)).json()) as { results: { file: string } };
    const [swept] = await slipway.runJson(['sweep']);
    expect(swept).toMatchObject({ removed: 1, freed_bytes: 7 });
    await expect(stat(old)).rejects.toThrow(/ENOENT/);
    await stat(young);
    expect((await fetch(answer.results.file)).status).toBe(200);
    expect(await slipway.run(['sweep'])).toMatchObject({ code: 0, stdout: 'Removed 0 files, 0 B.\n' });
  });

  it('sweep: recalculates a wrong storage total', async () => {
    const [key] = await slipway.runJson(['key', 'add', '--user', 'ann']);
    expect((await upload('ann', key?.api_key)).status).toBe(200);
    const database = await openDatabase(readConfig(slipway.environment).database);
    onTestFinished(() => database.close());
    await database.queries.updateTable('stored_totals').set({ bytes: 1 }).execute();
    const mended = await slipway.run(['sweep']);
    expect(mended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Recalculated \d+ wrong storage totals?/),
    });
    expect((await slipway.runJson(['sweep']))[0]).toMatchObject({ recounted: 0 });
    expect(await createTestQueries(database).quotas.countWrongTotals()).toBe(0);
  });

  it('sweep: keeps the blobs of builds regardless of their age', async () => {
    const [key] = await slipway.runJson(['key', 'add', '--user', 'ann']);
    const answer = (await (await upload('ann', key?.api_key)).json()) as { results: { file: string } };
    const root = join(slipway.dataFolder, 'blobs', 'packages');
    for (const file of await readdir(root, { recursive: true })) {
      if (!file.endsWith('litter')) await utimes(join(root, file), new Date(0), new Date(0));
    }
    expect((await slipway.runJson(['sweep']))[0]).toMatchObject({ removed: 0 });
    expect((await fetch(answer.results.file)).status).toBe(200);
  });

  it('upload: sends a package with the key from the environment', async () => {
    const [key] = await slipway.runJson(['key', 'add', '--user', 'ann']);
    const file = join(slipway.folder, 'sent.apk');
    await writeFile(file, buildApk({ packageName: 'com.example.sent' }));
    const environment = { SLIPWAY_API_KEY: String(key?.api_key) };
    const args = ['upload', file, '--owner', 'ann', '--url', server.origin, '--message', 'by hand', '--json'];
    const { code, stdout } = await slipway.run(args, { environment });
    expect(code).toBe(0);
    expect(JSON.stringify(jsonLines(stdout))).toContain('com.example.sent');
    const byStdin = ['upload', file, '--owner', 'ann', '--url', server.origin, '--api-key-stdin'];
    const long = await slipway.run(byStdin, { input: 'k'.repeat(5000) });
    expect(long).toMatchObject({ code: 2, stderr: expect.stringContaining('too long to be an API key') });
  });

  it.runIf(runsEverything)(
    'user add during 64 uploads: rejects no upload and leaves no gap in the revisions',
    async () => {
      const [key] = await slipway.runJson(['key', 'add', '--user', 'ann']);
      const apk = buildApk({ packageName: 'com.example.crowd', fillerBytes: 300_000 });
      const uploads = Array.from({ length: 64 }, async () => {
        const answer = await upload('ann', key?.api_key, apk);
        const body = (await answer.json()) as { results: { revision: number } };
        return { status: answer.status, revision: body.results?.revision };
      });
      const commands = Array.from({ length: 3 }, (_, index) =>
        slipway.run(['user', 'add', `crowd${index}`, '--email', `crowd${index}@example.com`]),
      );
      const answers = await Promise.all(uploads);
      for (const { code, stderr } of await Promise.all(commands))
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      const revisions = answers.map(({ revision }) => revision).sort((one, other) => one - other);
      expect(revisions).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));
    },
  );
});

describe('the command line without a usable database', () => {
  let slipway: Installation;
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
  });
  afterAll(() => slipway.remove());

  it('reports a file that is not a database', async () => {
    const path = join(slipway.folder, 'garbage.sqlite');
    await writeFile(path, 'this is not a database, whatever its name says'.repeat(100));
    const { code, stdout, stderr } = await slipway.run(['migrate'], {
      environment: { SLIPWAY_DATABASE_URL: `sqlite:${path}` },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^slipway: .*not a database\n$/);
    expectWords(stdout, stderr);
  });

  it.each([['serve'], ['migrate']])(
    '%s reports a PostgreSQL server that does not answer, and exits',
    async (command) => {
      const environment = { SLIPWAY_DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none' };
      const { code, stdout, stderr } = await slipway.run([command], { environment });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^slipway: the database cannot be used: .*ECONNREFUSED.*\n$/);
      expect(stderr + stdout).not.toContain('secret-word');
      expectWords(stdout, stderr);
    },
  );

  it('reports a data folder that is a file', async () => {
    const path = join(slipway.folder, 'a-file');
    await writeFile(path, '');
    const { code, stdout, stderr } = await slipway.run(['migrate'], {
      environment: { SLIPWAY_DATA_DIR: path },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/EEXIST|ENOTDIR/);
    expectWords(stdout, stderr);
  });

  it('reports all invalid settings at once', async () => {
    const environment = {
      SLIPWAY_PORT: 'eighty',
      SLIPWAY_URL: 'https://example.com/path',
      SLIPWAY_MAX_UPLOAD: 'much',
      SLIPWAY_TRUST_PROXY: 'true',
      SLIPWAY_SECRET: 'short',
      SLIPWAY_ADMIN_API_KEY: 'short',
    };
    for (const command of ['serve', 'migrate']) {
      const { code, stdout, stderr } = await slipway.run([command], { environment });
      expect(code).toBe(1);
      for (const name of Object.keys(environment)) expect(stderr).toContain(name);
      expect(stderr.match(/^slipway: /gm)).toHaveLength(6);
      expectWords(stdout, stderr);
    }
  });

  it('creates the data folder with access for its owner only', async () => {
    expect((await slipway.run(['migrate'])).code).toBe(0);
    expect((await stat(slipway.dataFolder)).mode & 0o777).toBe(0o700);
  });
});

/** Expects nothing on standard output and no stack trace, because the caller can fix the error. */
function expectWords(stdout: string, stderr: string) {
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr).not.toContain('node:internal');
}
