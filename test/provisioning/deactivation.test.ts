/** What ends when a directory deactivates a person, on all nodes, and who cannot be deactivated. */
import { once } from 'node:events';
import { type IncomingMessage, request as nodeRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '../../src/accounts/keys/api-key.ts';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import { directoryQueries } from '../../src/provisioning/directory-queries.ts';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { buildApk } from '../support/build-apk.ts';
import {
  type DirectoryClient,
  openDirectory,
  type ScimResource,
  userSchema,
} from '../support/directory-client.ts';
import { openEventStream } from '../support/event-stream.ts';
import { json, send } from '../support/http-client.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { mailSettings } from '../support/mail-service.ts';
import { linksOf, phones, setRules } from '../support/page-visits.ts';
import { openSecondNode } from '../support/second-node.ts';
import { signApk } from '../support/sign-apk.ts';
import { dialects } from '../support/test-database.ts';
import { createTestKey } from '../support/test-key.ts';
import { testPasswordHash } from '../support/test-service.ts';

describe.each(dialects)('deactivation by a directory on %s', (dialect) => {
  let slipway: AccountsService;
  let directory: DirectoryClient;
  let other: { port: number; close(): Promise<void> } | null = null;
  beforeAll(async () => {
    slipway = await startAccountsService(dialect, ['hanna', 'olga', 'otto']);
    await slipway.workspace('harbour', 'hanna');
    await slipway.project('dock', { workspace: 'harbour', members: { olga: 'owner' } });
    await slipway.project('outside', { members: { otto: 'owner' } });
    directory = await openDirectory(slipway, 'harbour');
    // SQLite allows one server.
    if (dialect === 'postgres') other = await openSecondNode(slipway, mailSettings, () => slipway.clock.now);
  });
  afterAll(async () => {
    await other?.close();
    await slipway?.close();
  });

  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const buildIdOf = async (packageName: string) => {
    const app = await slipway.data.apps.findApp(await idOf('dock'), 'android', packageName);
    return (await slipway.data.builds.findBuildByRevision(app?.id ?? '', 1))?.id ?? '';
  };
  const create = async (name: string, more: object = {}) => {
    const made = await directory.create('Users', {
      userName: name,
      emails: [{ value: `${name}@tide.example` }],
      ...more,
    });
    await slipway.data.accounts.setPassword(made.id, testPasswordHash, false);
    return made;
  };
  const keyOf = async (ownerName: string) => {
    const issueKey = createIssueKey({ data: slipway.data, now: () => slipway.clock.now });
    const key = { ownerName, ownerKind: 'user', name: 'k', expiresAt: null, by: 'command-line' } as const;
    return (await issueKey(key)).key;
  };
  const setActive = (id: string, active: unknown, op = 'replace') =>
    directory.patch(`/Users/${id}`, [{ op, path: 'active', value: active }]);
  const opens = async (cookie: string, port = slipway.port) =>
    (await send(port, '/settings', { headers: { Cookie: cookie, Accept: 'text/html' } })).status === 200;
  const refusal = (answer: { status: number; text: string }) => {
    const { scimType, detail } = json<{ scimType?: string; detail: string }>(answer);
    return [answer.status, scimType, detail];
  };

  it('ends sessions, keys, terminal sign-ins, links and page rights of an account at once, on all nodes', async () => {
    const { id } = await create('ida');
    await slipway.join('dock', 'tester', 'ida');
    const browser = await slipway.browser('ida');
    const key = await keyOf('ida');
    const started = json<{ device_code: string; user_code: string }>(
      await send(slipway.port, '/oauth/device_authorization', {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'client_id=slipway-cli',
      }),
    );
    await browser.submit(`/device?code=${started.user_code}`, 'approve', { days: '365' });
    const reset = { userId: id, tokenHash: 'reset of ida', expiresAt: slipway.clock.now + 60_000 };
    await slipway.data.accounts.insertReset(reset);
    const ports = [slipway.port, ...(other ? [other.port] : [])];
    for (const port of ports) expect(await opens(browser.cookie, port)).toBe(true);
    expect((await get(slipway, '/api/v1/me', key)).status).toBe(200);

    const answer = await setActive(id, 'False', 'Replace');
    expect(json<ScimResource>(answer)).toMatchObject({ id, active: false });
    for (const port of ports) {
      expect(await opens(browser.cookie, port)).toBe(false);
      const me = { headers: { Authorization: `Bearer ${key}` } };
      expect((await send(port, '/api/v1/me', me)).status).toBe(401);
    }
    const poll = await send(slipway.port, '/oauth/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: started.device_code,
      }).toString(),
    });
    expect(json(poll)).toMatchObject({ error: 'access_denied' });
    expect(await slipway.data.accounts.findReset('reset of ida', slipway.clock.now)).toBeNull();
    await expect(slipway.browser('ida')).rejects.toThrow();
    const [entry] = await slipway.data.audit.list(id, 1);
    expect(entry).toMatchObject({
      action: 'account.disabled',
      actorName: 'okta (SCIM)',
      details: { sessions: 1, keys: 1, workspace: 'harbour' },
    });

    // Enabled again, the person signs in again, and has what they had in the Workspace, but no old session or key.
    expect(json<ScimResource>(await setActive(id, true)).active).toBe(true);
    expect(await opens(browser.cookie)).toBe(false);
    expect((await get(slipway, '/api/v1/me', key)).status).toBe(401);
    expect(await opens((await slipway.browser('ida')).cookie)).toBe(true);
    expect(await slipway.data.owners.teamsOf(await idOf('dock'), id)).toEqual(['tester']);
  });

  it('ends open event streams, running downloads and page rights on all nodes', async () => {
    const { id } = await create('leo');
    await slipway.join('dock', 'tester', 'leo');
    const packageName = 'com.dock.large';
    // More than the buffers of a connection hold.
    const filled = buildApk({ packageName, minSdk: 24, fillerBytes: 24 * 1024 * 1024 });
    const file = signApk(filled, { v2: [{ key: createTestKey() }] });
    const fields = { distribution_name: 'main' };
    const made = await uploaded(slipway, { owner: 'dock', key: await keyOf('olga'), file, fields });
    const accessKey = made.distribution?.access_key ?? '';
    await setRules(slipway, accessKey, { access: 'members' });
    await slipway.service.outbox.idle();
    const app = `/users/dock/platforms/android/apps/${packageName}`;
    const browser = await slipway.browser('leo');
    const ports = [slipway.port, ...(other ? [other.port] : [])];
    const streams = await Promise.all(
      ports.map((port) =>
        openEventStream(`http://127.0.0.1:${port}`, `${app}/live`, { Cookie: browser.cookie }),
      ),
    );
    for (const stream of streams) await expect.poll(() => stream.events().length).toBeGreaterThan(0);
    const downloadPath = `/builds/${await buildIdOf(packageName)}/file`;
    const download = async (port: number, path: string, headers: Record<string, string>) => {
      const request = nodeRequest({ host: '127.0.0.1', port, path, headers, agent: false });
      request.end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(200);
      // The server resets the connection.
      request.on('error', () => undefined);
      response.on('error', () => undefined);
      return response;
    };
    const bytesOf = async (response: IncomingMessage) => {
      let bytes = 0;
      for await (const chunk of response) bytes += (chunk as Buffer).length;
      return bytes;
    };
    // With the session; with a link of the app page; and with the link of a page, which installers request without cookies.
    const downloadAll = async ({ cookie }: Browser) => {
      const headers = { Cookie: cookie, Accept: 'text/html', 'User-Agent': phones.android };
      const key = /\/file\?key=([^"&]+)/.exec((await send(slipway.port, app, { headers })).text)?.[1];
      const page = await send(slipway.port, `/distributions/${accessKey}`, { headers });
      const ways = [
        [downloadPath, { Cookie: cookie }],
        [`${downloadPath}?key=${key}`, { Cookie: cookie }],
        [linksOf(page.text).file ?? '', {}],
      ] as const;
      return Promise.all(ports.flatMap((port) => ways.map(([path, sent]) => download(port, path, sent))));
    };
    const downloads = await downloadAll(browser);
    const kept = await downloadAll(await slipway.browser('olga'));

    await setActive(id, false);
    for (const port of ports) {
      const again = { Cookie: browser.cookie, Range: 'bytes=100-' };
      for (const path of [downloadPath, app, `${app}/live`])
        expect([path, (await send(port, path, { headers: again })).status]).not.toEqual([path, 200]);
      expect((await send(port, downloadPath, { headers: again })).status).not.toBe(206);
    }
    await Promise.all(streams.map((stream) => stream.ended));
    const received = await Promise.all(downloads.map((response) => bytesOf(response).catch(() => 0)));
    expect(received.filter((bytes) => bytes >= file.length)).toEqual([]);
    for (const response of kept) expect(await bytesOf(response)).toBe(file.length);
  });

  it('takes everything in the Workspace from a member who had an account, and leaves the account', async () => {
    await slipway.user('mona');
    await slipway.join('dock', 'developer', 'mona');
    await slipway.join('outside', 'tester', 'mona');
    const { id } = await directory.create('Users', {
      userName: 'mona',
      emails: [{ value: 'mona@example.com' }],
    });
    const browser = await slipway.browser('mona');
    const dock = await slipway.data.owners.findOwner('dock');
    const workspaceId = dock?.kind === 'project' ? (dock.workspace?.id ?? '') : '';
    const roles = () => slipway.data.workspaces.rolesOf(workspaceId, id);
    expect(await roles()).toEqual(['member']);
    // Of a Project that she is not in.
    await slipway.project('wharf', { workspace: 'harbour', members: { olga: 'owner' } });
    const olga = await keyOf('olga');
    const createLink = async (name: string) => {
      const headers = { Authorization: `Bearer ${olga}`, 'Content-Type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify({ name, max_people: 9 }) };
      const made = await send(slipway.port, '/api/v1/projects/wharf/invite-links', request);
      return `${new URL(json<{ url: string }>(made).url).pathname}/join`;
    };
    const earlier = await createLink('Earlier');
    await setActive(id, false);
    const links = [earlier, await createLink('Later')];
    const again = await slipway.browser('mona');
    for (const link of links) expect((await again.post(link, {})).status).toBe(404);
    expect(await slipway.data.owners.teamsOf(await idOf('wharf'), id)).toEqual([]);
    expect(await roles()).toEqual([]);
    expect(await opens(browser.cookie)).toBe(false);
    expect(await slipway.data.owners.teamsOf(await idOf('dock'), id)).toEqual([]);
    expect(await slipway.data.owners.teamsOf(await idOf('outside'), id)).toEqual(['tester']);
    expect(await opens((await slipway.browser('mona')).cookie)).toBe(true);
    await setActive(id, true);
    expect(await roles()).toEqual(['member']);
  });

  it('refuses to take the last owner of a Project or Workspace from it', async () => {
    await slipway.user('lone');
    await slipway.project('pier', { workspace: 'harbour', members: { lone: 'owner' } });
    await slipway.data.owners.removeTeamMember(await idOf('pier'), 'owner', await idOf('admin'));
    const { id } = await directory.create('Users', {
      userName: 'lone',
      emails: [{ value: 'lone@example.com' }],
    });
    const refused = ['mutability', expect.stringContaining('pier')];
    expect(refusal(await setActive(id, false))).toEqual([409, ...refused]);
    expect(refusal(await directory.call('DELETE', `/Users/${id}`))).toEqual([409, ...refused]);
    expect(json<ScimResource>(await directory.call('GET', `/Users/${id}`)).active).toBe(true);
    const hanna = await directory.create('Users', {
      userName: 'hanna',
      emails: [{ value: 'hanna@example.com' }],
    });
    expect(refusal(await setActive(hanna.id, false))).toEqual([
      409,
      'mutability',
      expect.stringContaining('harbour'),
    ]);
  });

  it('refuses to disable the last administrator', async () => {
    const { id } = await create('boss');
    await slipway.data.administration.setAdministrator(id, true);
    const admin = await idOf('admin');
    await slipway.data.accountState.setDisabled(admin, 1);
    expect(refusal(await setActive(id, false))).toEqual([
      409,
      'mutability',
      expect.stringContaining('last administrator'),
    ]);
    await slipway.data.accountState.setDisabled(admin, null);
    expect((await setActive(id, false)).status).toBe(200);
  });

  it('never enables an account that an administrator disabled', async () => {
    const { id } = await create('ned');
    await slipway.data.accountState.setDisabled(id, 5);
    await setActive(id, false);
    await setActive(id, true);
    expect((await slipway.data.accountState.lock(id))?.isDisabled).toBe(true);
  });

  it('creates inactive accounts, and finds a deleted person again', async () => {
    const made = await create('ria', { active: 'False' });
    await expect(slipway.browser('ria')).rejects.toThrow();
    await setActive(made.id, 'True');
    const { cookie } = await slipway.browser('ria');
    expect((await directory.call('DELETE', `/Users/${made.id}`)).status).toBe(204);
    expect(await opens(cookie)).toBe(false);
    expect((await directory.call('GET', `/Users/${made.id}`)).status).toBe(404);
    const again = await create('ria');
    expect([again.id, again.active]).toEqual([made.id, true]);
    expect(await opens((await slipway.browser('ria')).cookie)).toBe(true);
  });

  it('knows only its own people, and only until its token is revoked or expires', async () => {
    await slipway.workspace('other', 'olga');
    const foreign = await openDirectory(slipway, 'other');
    const { id } = await create('kim');
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { schemas: [userSchema], userName: 'x' }],
      ['PATCH', { Operations: [{ op: 'replace', path: 'active', value: false }] }],
      ['DELETE', undefined],
    ] as const)
      expect([method, (await foreign.call(method, `/Users/${id}`, body)).status]).toEqual([method, 404]);
    expect(await foreign.list('/Users')).toMatchObject({ totalResults: 0 });
    const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
    const ask = async (headers: Record<string, string>, workspace = 'harbour') =>
      (await send(slipway.port, `/scim/v2/${workspace}/Users`, { headers })).status;
    expect(await ask(bearer(foreign.token))).toBe(404);
    expect(await ask(bearer(foreign.token), 'nowhere')).toBe(404);
    expect(await ask({})).toBe(401);
    expect(await ask(bearer('slw_made-up'))).toBe(401);
    expect(await ask(bearer(slipway.adminKey))).toBe(401);
    expect(await ask({ Cookie: (await slipway.browser('admin')).cookie })).toBe(401);
    expect(await ask(bearer(directory.token))).toBe(200);
    const expiring = hashApiKey('slw_scim_expiring');
    await directoryQueries(slipway.data).insertToken({
      workspaceId: directory.workspaceId,
      name: 'expiring',
      tokenHash: expiring,
      createdBy: 'hanna',
      expiresAt: slipway.clock.now + 1000,
      now: slipway.clock.now,
    });
    expect(await ask(bearer('slw_scim_expiring'))).toBe(200);
    slipway.clock.now += 1000;
    expect(await ask(bearer('slw_scim_expiring'))).toBe(401);
    slipway.clock.now -= 1000;
    // A token opens nothing else.
    expect((await get(slipway, '/api/v1/me', directory.token)).status).toBe(401);
    const tokens = await directoryQueries(slipway.data).listTokens(foreign.workspaceId);
    expect(tokens).toMatchObject([{ name: 'okta', lastUsedAt: slipway.clock.now }]);
    await directoryQueries(slipway.data).deleteToken(foreign.workspaceId, tokens[0]?.id ?? '');
    expect(await ask(bearer(foreign.token), 'other')).toBe(401);
  });
});
