/** A Workspace that requires its members to sign in at its provider, tried from below: every address, by sessions and keys. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, browserAfter, browserWith } from '../support/accounts-service.ts';
import { buildApk } from '../support/build-apk.ts';
import { send } from '../support/http-client.ts';
import { bearer, upload, uploaded } from '../support/interface-client.ts';
import { readAddresses } from '../support/read-addresses.ts';
import { createSamlKey, metadataOf } from '../support/saml-provider.ts';
import { enterWorkspace, type SamlService, startSamlService } from '../support/saml-service.ts';
import { beginTerminal, pollTerminal } from '../support/terminal-sign-in.ts';
import { testPassword } from '../support/test-service.ts';

const appName = 'Secret Lantern';
const page = '/enterprises/quay/single-sign-on';
let saml: SamlService;
let earlierKey: string;
let minaId: string;
let app: { packageName: string; accessKey: string };
/** Browsers of mina, a developer, and olga, who owns the Workspace: with a password, and signed in at the provider. */
let mina: Browser;
let signedOn: Browser;
let olga: Browser;

const signOn = async (name: string) => {
  const entered = await enterWorkspace(
    saml,
    { provider: saml.provider, workspace: 'quay' },
    { nameId: `${name}-there`, attributes: [['email', `${name}@example.com`]] },
  );
  return browserAfter(saml.slipway, entered);
};
const workspace = async () => {
  const known = await saml.slipway.data.owners.findWorkspace('quay');
  if (!known) throw new Error('there is no Workspace');
  return known;
};
const setRequired = async (requiredAt: number | null) => {
  const { workspaceProviders } = saml.slipway.data;
  const known = await workspaceProviders.findByName('quay');
  if (!known) throw new Error('there is no provider');
  await workspaceProviders.set({ ...known, requiredAt }, saml.slipway.clock.now);
};
const proof = testPassword;
const newKey = async (browser: Browser, name: string) => {
  const fields = { csrf: await browser.csrf(), name, expires: 'never', scope: 'manage', proof };
  return /slw_[\w-]{20,}/.exec((await browser.post('/settings/keys/create', fields)).text)?.[0] ?? '';
};
const signInTerminal = async (browser: Browser) => {
  const { port } = saml.slipway;
  const { device_code, user_code: code } = await beginTerminal(port);
  await browser.post('/device/approve', { csrf: await browser.csrf(), code, days: '30', proof });
  return (await pollTerminal(port, device_code)).access_token ?? '';
};

beforeAll(async () => {
  saml = await startSamlService('sqlite', ['olga', 'vic'], { workspace: 'quay' });
  const { slipway } = saml;
  earlierKey = await slipway.user('mina');
  await slipway.project('crew', { workspace: 'quay', members: { mina: 'developer', vic: 'tester' } });
  await slipway.project('elsewhere', { members: { mina: 'owner' } });
  const known = await workspace();
  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  minaId = await idOf('mina');
  await slipway.data.workspaces.addPerson(known.id, await idOf('olga'), 'owner');
  const made = await uploaded(slipway, {
    owner: 'crew',
    key: earlierKey,
    file: buildApk({ label: appName }),
    fields: { distribution_name: 'beta' },
  });
  app = { packageName: made.package_name, accessKey: made.distribution?.access_key ?? '' };
  slipway.clock.now += 60_000;
  signedOn = await signOn('mina');
  await signOn('olga');
  await setRequired(slipway.clock.now);
  slipway.clock.now += 60_000;
  mina = await slipway.browser('mina');
  olga = await slipway.browser('olga');
});
afterAll(() => saml.close());

/** Addresses of the Project, its app and page, and of lists. */
const addresses = () =>
  readAddresses(saml.slipway, {
    owner: 'crew',
    workspace: 'quay',
    package: app.packageName,
    platform: 'android',
    revision: '1',
    accessKey: app.accessKey,
    name: 'beta',
  });
/** A refusal repeats the address, which has the package name. */
const isShown = ({ status, text }: { status: number; text: string }) =>
  text.includes(appName) || (status < 400 && text.includes(app.packageName));

describe('a Workspace that requires its provider', () => {
  it('shows nothing of itself at any address to a session that began elsewhere, and everything to one that began there', async () => {
    const shown: string[] = [];
    const leaked: string[] = [];
    for (const address of addresses()) {
      if (isShown(await signedOn.get(address))) shown.push(address);
      const answer = await mina.get(address);
      // A public page, and the personal data that everyone may export.
      const isPublic = /^\/distributions\/|^\/settings\/data\.json$/.test(address);
      if (!isPublic && isShown(answer)) leaked.push(`${answer.status} ${address}`);
    }
    expect(leaked).toEqual([]);
    expect(shown.length).toBeGreaterThan(30);
  });

  it('leads such a session to the provider, and back', async () => {
    const home = (await mina.get('/')).text;
    expect(home).toContain('<a href="/enterprises/quay"><bdi>quay</bdi></a>');
    expect(home).toContain('You have no access to these Workspaces now');
    for (const address of [
      '/enterprises/quay',
      '/organizations/crew',
      `/organizations/crew/platforms/android/apps/${app.packageName}`,
      '/organizations/crew/people',
    ]) {
      const refused = await mina.get(address);
      expect([address, refused.status]).toEqual([address, 403]);
      const to = encodeURIComponent(address);
      expect(refused.text).toContain(`href="/enterprises/quay/saml/sign-in?to=${to}"`);
    }
    const { cookie } = await saml.slipway.browser('mina');
    const joined = await enterWorkspace(
      saml,
      { provider: saml.provider, workspace: 'quay', cookie, to: '/organizations/crew' },
      { nameId: 'mina-there' },
    );
    expect(joined.headers.location).toBe('/organizations/crew');
    const browser = browserWith(saml.slipway, joined.cookie);
    expect((await browser.get('/organizations/crew')).text).toContain(appName);
  });

  it('refuses changes by such a session', async () => {
    const path = `/organizations/crew/platforms/android/apps/${app.packageName}`;
    const csrf = await mina.csrf();
    for (const form of saml.slipway.service.routes.filter(
      ({ method, address }) => method === 'POST' && /^\/(organizations|enterprises)\/:/.test(address),
    )) {
      const address = form.address
        .replace(':owner', 'crew')
        .replace(':workspace', 'quay')
        .replace(':platform', 'android')
        .replace(':package', app.packageName)
        .replace(/:\w+/g, '1');
      if (address.includes('/saml/')) continue;
      const answer = await mina.post(address, { csrf });
      expect([form.address, answer.status]).toEqual([
        form.address,
        expect.toSatisfy((one) => [403, 404].includes(one)),
      ]);
    }
    expect((await mina.get(path)).status).toBe(403);
  });

  it('leaves the rest of the account alone', async () => {
    expect((await mina.get('/')).status).toBe(200);
    expect((await mina.get('/organizations/elsewhere')).status).toBe(200);
    const projects = (await mina.get('/projects')).text;
    expect([projects.includes('elsewhere'), projects.includes('crew')]).toEqual([true, false]);
    expect((await saml.slipway.stranger.get(`/distributions/${app.accessKey}`)).text).toContain(appName);
    expect((await mina.get(`/distributions/${app.accessKey}`)).text).toContain(appName);
  });

  it('looks like nothing to people outside, and exempts administrators', async () => {
    const { slipway } = saml;
    await slipway.user('outsider');
    const outsider = await slipway.browser('outsider');
    expect((await outsider.get('/organizations/crew')).status).toBe(404);
    const admin = await slipway.browser('admin');
    expect((await admin.get('/enterprises/quay')).status).toBe(200);
    expect((await admin.get(page)).status).toBe(200);
  });

  it('includes managers of its groups who are in no team, and refuses them before they learn more', async () => {
    const { slipway } = saml;
    await slipway.user('gus');
    const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
    const { groups } = slipway.data;
    const group = await groups.insertGroup({ ownerId: await idOf('crew'), name: 'Night shift', now: 1 });
    const address = `/organizations/crew/groups/${group}`;
    const gus = await slipway.browser('gus');
    expect((await gus.get(address)).status).toBe(404);
    await groups.addManager(group, await idOf('gus'), 1);
    const refused = await gus.get(address);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('/saml/sign-in?to=')]);
    expect((await gus.get('/projects')).text).not.toContain('Night shift');
    const csrf = await gus.csrf();
    expect((await gus.post(`${address}/add`, { csrf, login: 'vic' })).status).toBe(403);
    const key = { headers: bearer(await newKey(gus, 'groups')) };
    const api = `/api/v1/owners/crew/groups/${group}/people`;
    expect((await send(slipway.port, api, key)).status).toBe(403);
    const there = await signOn('gus');
    expect((await there.get(address)).status).toBe(200);
    await groups.deleteGroup(group);
  });

  it('accepts keys from before, and keys created in a session at the provider, in every API', async () => {
    const { slipway } = saml;
    const keys = {
      earlier: earlierKey,
      barred: await newKey(mina, 'barred'),
      signedOn: await newKey(signedOn, 'on'),
      barredTerminal: await signInTerminal(mina),
      signedOnTerminal: await signInTerminal(signedOn),
    };
    for (const key of Object.values(keys)) expect(key).toMatch(/^slw_/);
    const calls = [
      `/api/v1/apps/crew/android/${app.packageName}`,
      '/api/v1/workspaces/quay',
      '/api/organizations/crew/members',
    ];
    for (const path of calls) {
      const get = async (key: string) => (await send(slipway.port, path, { headers: bearer(key) })).status;
      expect([path, await get(keys.earlier)]).toEqual([path, 200]);
      expect([path, await get(keys.barred)]).toEqual([path, 403]);
      expect([path, await get(keys.signedOn)]).toEqual([path, 200]);
      expect([path, await get(keys.barredTerminal)]).toEqual([path, 403]);
      expect([path, await get(keys.signedOnTerminal)]).toEqual([path, 200]);
    }
    const refused = await upload(slipway, { owner: 'crew', key: keys.barred });
    expect(refused.status).toBe(403);
    const problem = await send(slipway.port, '/api/v1/workspaces/quay', { headers: bearer(keys.barred) });
    expect(JSON.parse(problem.text)).toMatchObject({ code: 'workspace_policy', policy: 'sign_on' });
    const projects = await send(slipway.port, '/api/organizations', { headers: bearer(keys.barred) });
    expect(projects.text).not.toContain('crew');
    // Rotating a key from before must not give a session that began elsewhere a way in.
    const id = (await slipway.data.keys.listKeys(minaId)).find(
      ({ name }) => name !== 'barred' && name !== 'on',
    )?.id;
    const rotated = await mina.post(`/settings/keys/${id}/rotate`, {
      csrf: await mina.csrf(),
      overlap: '0',
      proof,
    });
    const secret = /slw_[\w-]{20,}/.exec(rotated.text)?.[0] ?? '';
    expect(secret).not.toBe('');
    const answer = await send(slipway.port, '/api/v1/workspaces/quay', { headers: bearer(secret) });
    expect(answer.status).toBe(403);
  });

  it('lets an owner with a second factor, and nobody else, stop requiring it without the provider', async () => {
    const { slipway } = saml;
    expect((await olga.get(page)).status).toBe(403);
    const known = await slipway.data.owners.findOwner('olga');
    const passkey = { credentialId: 'one', publicKey: '', signatureCount: 0, transports: [], name: 'one' };
    await slipway.data.secondFactors.insertPasskey({ ...passkey, userId: known?.id ?? '' }, 0);
    const shown = await olga.get(page);
    expect(shown.status).toBe(200);
    expect(shown.text).not.toContain('name="metadata"');
    expect((await olga.get('/enterprises/quay')).status).toBe(403);
    expect((await olga.get('/enterprises/quay/settings')).status).toBe(403);
    const csrf = await olga.csrf();
    expect((await olga.post(`${page}/remove`, { csrf, proof })).status).toBe(403);
    expect((await mina.post(`${page}/requirement/turn-off`, { csrf: await mina.csrf(), proof })).status).toBe(
      404,
    );
    const off = await olga.post(`${page}/requirement/turn-off`, { csrf, proof });
    expect(off.headers.location).toBe(`${page}?done=optional`);
    expect((await mina.get('/organizations/crew')).text).toContain(appName);
  });

  it('is required only by an owner who is signed in there now', async () => {
    const turnOn = async (browser: Browser) =>
      browser.post(`${page}/requirement/turn-on`, { csrf: await browser.csrf(), proof });
    expect((await turnOn(olga)).status).toBe(409);
    const there = await signOn('olga');
    expect((await turnOn(there)).headers.location).toBe(`${page}?done=required`);
    expect((await mina.get('/organizations/crew')).status).toBe(403);
    expect((await signedOn.get('/organizations/crew')).status).toBe(200);

    const other = { ...saml.provider, entityId: 'https://other.example.com', keys: createSamlKey() };
    const save = (metadata: string) =>
      there.csrf().then((csrf) => there.post(`${page}/save`, { csrf, name: 'Other', metadata, proof }));
    expect((await save(metadataOf(other))).status).toBe(409);
    const same = await save(metadataOf(saml.provider, { keys: [saml.provider.keys, createSamlKey()] }));
    expect(same.headers.location).toBe(`${page}?done=saved`);
    const csrf = await there.csrf();
    expect((await there.post(`${page}/remove`, { csrf, proof })).status).toBe(409);
    expect((await there.post(`${page}/requirement/turn-off`, { csrf, proof })).status).toBe(303);
    expect((await save(metadataOf(saml.provider))).status).toBe(303);
    // New metadata must prove that they work.
    expect((await turnOn(there)).status).toBe(409);
    expect((await there.post(`${page}/remove`, { csrf, proof })).headers.location).toBe(
      `${page}?done=removed`,
    );
  });
});
