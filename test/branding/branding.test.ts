/** Branding over HTTP: who may change it, what is refused, and which pages show whose brand. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { send } from '../support/http-client.ts';
import { uploaded } from '../support/interface-client.ts';
import { ipa } from '../support/mail-service.ts';
import { formOf } from '../support/page-forms.ts';

const site = '/administration/branding';
const workspace = '/enterprises/docks/branding';
const none = { name: '', accent: '', support: '' };

describe('branding', () => {
  let slipway: AccountsService;
  let admin: Browser;
  let mina: Browser;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['mina', 'nemo']);
    await slipway.project('harbour', { workspace: 'docks', members: { mina: 'owner' } });
    await slipway.project('boats');
    admin = await slipway.browser('admin');
    mina = await slipway.browser('mina');
  });
  afterAll(() => slipway.close());

  const page = async () => {
    const built = await uploaded(slipway, { owner: 'harbour', fields: { distribution_name: 'main' } });
    return new URL(built.distribution?.url ?? '').pathname;
  };
  const brandOf = (text: string) => ({
    name: / · ([^·<]*)<\/title>/.exec(text)?.[1],
    stylesheet: /href="(\/branding\/[^"]+)"/.exec(text)?.[1] ?? null,
    support:
      /Support:<\/?[^>]*>? ?<a href="([^"]+)"|Support: <a href="([^"]+)"/
        .exec(text)
        ?.slice(1)
        .find(Boolean) ?? null,
  });
  const unbranded = { name: 'Slipway', stylesheet: null, support: null };

  it('shows the installation’s brand on every page, immediately and with a stylesheet to cache', async () => {
    expect(brandOf((await slipway.stranger.get('/sign-in')).text)).toEqual(unbranded);
    const saved = await admin.submit(site, 'save', {
      name: 'Quay & <Sons>',
      accent: '#7A1FA2',
      support: 'help@example.com',
    });
    expect([saved.status, saved.headers.location]).toEqual([303, `${site}?done=saved`]);
    const { text } = await slipway.stranger.get('/sign-in');
    const brand = brandOf(text);
    expect(brand).toEqual({
      name: 'Quay &amp; &lt;Sons>',
      stylesheet: '/branding/1-7a1fa2.css',
      support: 'mailto:help@example.com',
    });
    const css = await send(slipway.port, brand.stylesheet ?? '');
    expect(css.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(css.text).toContain('--accent:#7a1fa2;');
    const policy = (await slipway.stranger.get('/sign-in')).headers['content-security-policy'];
    expect(policy).toContain("style-src 'self';");
    const missing = await send(slipway.port, '/branding/1-7a1fa2.css%7D');
    expect(missing.status).toBe(404);
    const log = await slipway.data.audit.page({ ownerId: null, action: 'branding.changed' }, { limit: 5 });
    expect(log.map(({ actorName, subject }) => [actorName, subject])).toEqual([['admin', 'Slipway']]);
  });

  it('shows a color that must be adjusted before it saves it', async () => {
    const given = { name: 'Quay', accent: '#ffcc00', support: '' };
    const shown = await admin.submit(site, 'save', given);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('Adjusted from #ffcc00 to #');
    expect((await slipway.data.brands.find('installation')).accent).toBe('#7a1fa2');
    const { csrf = '', ...fields } = formOf(shown.text, 'save').fields;
    expect(csrf).not.toBe('');
    const saved = await admin.post(`${site}/save`, { ...fields, csrf });
    expect(saved.status).toBe(303);
    expect(await slipway.data.brands.find('installation')).toEqual({ ...given, support: null, logo: null });
  });

  it('previews without saving', async () => {
    const { csrf = '' } = formOf((await admin.get(site)).text, 'save').fields;
    const before = await slipway.data.brands.find('installation');
    const shown = await admin.post(`${site}/preview`, { ...none, accent: '#00ff00', csrf });
    expect(shown.text).toContain('Adjusted from #00ff00 to #');
    expect(await slipway.data.brands.find('installation')).toEqual(before);
  });

  it.each([
    ['a name of 61 characters', { name: 'n'.repeat(61) }, 'The limit is 60 characters.'],
    ['a name with control characters', { name: 'a\u202eb' }, 'invisible characters'],
    ['a color that is not hexadecimal', { accent: 'red;}' }, 'six hexadecimal digits'],
    ['a support address over http', { support: 'http://example.com' }, 'starts with https://'],
    ['a support address that is a script', { support: 'javascript:alert(1)' }, 'starts with https://'],
    ['a support address of 255 characters', { support: `${'a'.repeat(243)}@example.com` }, '254'],
  ])('refuses %s and keeps the brand', async (_what, changes, sentence) => {
    const before = await slipway.data.brands.find('installation');
    const refused = await admin.submit(site, 'save', { ...none, ...changes });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(sentence);
    expect(await slipway.data.brands.find('installation')).toEqual(before);
  });

  it('keeps the pages from people who may not change the brand', async () => {
    for (const path of [site, workspace]) expect((await mina.get(path)).status).toBe(404);
    const docks = await slipway.data.owners.findWorkspace('docks');
    const user = await slipway.data.owners.findOwner('mina');
    await slipway.data.workspaces.addPerson(docks?.id ?? '', user?.id ?? '', 'owner');
    expect((await mina.get(workspace)).status).toBe(200);
    expect((await mina.get(site)).status).toBe(404);
  });

  it('shows the Workspace’s brand on distribution pages of its Projects only', async () => {
    const address = await page();
    const quay = brandOf((await slipway.stranger.get('/sign-in')).text);
    expect(brandOf((await slipway.stranger.get(address)).text)).toEqual(quay);
    const own = { name: 'Docks', accent: '', support: 'https://docks.example.com/help' };
    expect((await admin.submit(workspace, 'save', own)).status).toBe(303);
    expect(brandOf((await slipway.stranger.get(address)).text)).toEqual({
      name: 'Docks',
      stylesheet: quay.stylesheet,
      support: 'https://docks.example.com/help',
    });
    expect(brandOf((await slipway.stranger.get('/sign-in')).text)).toEqual(quay);
    const other = await uploaded(slipway, { fields: { distribution_name: 'main' } });
    const elsewhere = new URL(other.distribution?.url ?? '').pathname;
    expect(brandOf((await slipway.stranger.get(elsewhere)).text)).toEqual(quay);
  });

  it('shows the Workspace’s brand in the console on pages of its Projects, but not elsewhere', async () => {
    const built = await uploaded(slipway, { owner: 'harbour' });
    const app = `/users/harbour/platforms/android/apps/${built.package_name}`;
    const manages = ['/organizations/harbour', app, `${app}/binaries/${built.revision}`, `${app}/settings`];
    const uploads = '/organizations/harbour/upload';
    for (const path of [...manages, uploads, '/organizations/harbour/keys', '/enterprises/docks']) {
      const answer = await admin.get(path);
      expect([path, answer.status, brandOf(answer.text).name]).toEqual([path, 200, 'Docks']);
    }
    for (const path of ['/', '/organizations/boats', '/users/mina', site]) {
      expect([path, brandOf((await admin.get(path)).text).name]).toEqual([path, 'Quay']);
    }
    // Says nothing about a Project that the person cannot see.
    const nemo = await slipway.browser('nemo');
    const hidden = await nemo.get('/organizations/harbour/keys');
    expect([hidden.status, brandOf(hidden.text).name]).toEqual([404, 'Quay']);
  });

  it('shows the Workspace’s brand on the device registration of its distribution pages', async () => {
    const built = await uploaded(slipway, {
      owner: 'harbour',
      file: ipa,
      fields: { distribution_name: 'ios' },
    });
    const address = new URL(built.distribution?.url ?? '').pathname;
    const devices = await slipway.stranger.get(`${address}/device`);
    expect([devices.status, brandOf(devices.text).name]).toEqual([200, 'Docks']);
  });

  it('shows only the installation’s brand and no icon before the passcode', async () => {
    const address = await page();
    const { text: shown } = await slipway.stranger.get(address);
    const find = (pattern: RegExp) => pattern.exec(shown)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const preview = find(/<meta property="og:image" content="([^"]+)"/);
    const touchIcon = find(/<link rel="apple-touch-icon" href="([^"]+)"/);
    expect(preview).toBe(`https://apps.example.com${touchIcon}`);
    const icon = await send(slipway.port, touchIcon);
    expect([icon.status, icon.headers['content-type']]).toEqual([200, 'image/png']);
    const facts = await sharp(icon.body).metadata();
    expect(facts.width).toBeGreaterThanOrEqual(180);
    const rules = { access: 'passcode', passcode: 'open-sesame-now' };
    expect((await admin.submit(`${address}/settings/access`, 'save', rules)).status).toBe(303);
    const gate = await slipway.stranger.get(address);
    expect(gate.status).toBe(403);
    expect(brandOf(gate.text).name).toBe('Quay');
    expect(gate.text).not.toMatch(/docks|apple-touch-icon|og:image/i);
    // Neither the address without its ticket nor the one of an earlier preview.
    for (const path of [touchIcon, touchIcon.split('?')[0] ?? ''])
      expect((await send(slipway.port, path)).status, path).not.toBe(200);
  });
});
