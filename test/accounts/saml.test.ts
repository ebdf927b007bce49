/** Signing in at a SAML provider, begun by either side, and the account that results. */
import { createVerify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserAfter, browserWith, leadsTo } from '../support/accounts-service.ts';
import {
  type AssertionFields,
  answer,
  assertionOf,
  createSamlKey,
  type EncryptionKind,
  encode,
  encrypt,
  fieldsFor,
  metadataOf,
  readRequest,
  responseOf,
  sign,
  unsigned,
} from '../support/saml-provider.ts';
import { addCookies, type SamlService, startSamlService } from '../support/saml-service.ts';
import { dialects } from '../support/test-database.ts';

describe('single sign-on by SAML', () => {
  let saml: SamlService;
  beforeAll(async () => {
    saml = await startSamlService('sqlite', ['olga', 'mina', 'paul'], {
      settings: { SLIPWAY_SAML_SIGN_UP: 'open', SLIPWAY_SAML_CONFIRMS_EMAIL: 'on' },
    });
  });
  afterAll(() => saml.close());

  const enter = async (changes: Partial<AssertionFields> = {}, to = '') => {
    const way = await saml.begin(`/saml/sign-in${to === '' ? '' : `?to=${encodeURIComponent(to)}`}`);
    const posted = await saml.post(encode(answer(saml.provider, { inResponseTo: way.id, ...changes })));
    return saml.finish(posted, way.cookie);
  };
  const user = async (name: string) => {
    const owner = await saml.slipway.data.owners.findOwner(name);
    return owner?.kind === 'user' ? owner : null;
  };
  const identitiesOf = async (name: string) =>
    saml.slipway.data.identities.listIdentities((await user(name))?.id ?? '');

  it('sends people to the provider with a signed request', async () => {
    const page = await saml.slipway.stranger.get('/sign-in?to=/settings');
    expect(page.text).toContain('href="/saml/sign-in?to=%2Fsettings"');
    expect(page.text).toContain('Continue with Example');
    const { address } = await saml.begin();
    expect(address).toMatch(/^https:\/\/login\.example\.com\/sign-in\?SAMLRequest=/);
    const { xml, params } = readRequest(address);
    expect(xml).toContain(`Destination="https://login.example.com/sign-in"`);
    expect(xml).toContain(`AssertionConsumerServiceURL="${saml.provider.acs}"`);
    expect(xml).toContain(saml.provider.audience);
    expect(xml).not.toContain('ForceAuthn');
    const signed = new URLSearchParams();
    for (const name of ['SAMLRequest', 'SigAlg']) signed.set(name, params.get(name) ?? '');
    expect(params.get('SigAlg')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
    const verify = createVerify('RSA-SHA256').update(signed.toString());
    expect(verify.verify(saml.own.certificate, params.get('Signature') ?? '', 'base64')).toBe(true);
  });

  it('describes itself to the provider', async () => {
    const answer = await saml.slipway.stranger.get('/saml/metadata');
    expect(answer.headers['content-type']).toBe('application/samlmetadata+xml; charset=utf-8');
    expect(answer.text).toContain(`entityID="${saml.provider.audience}"`);
    expect(answer.text).toContain(`Location="${saml.provider.acs}"`);
    expect(answer.text).toContain('WantAssertionsSigned="true"');
    expect(answer.text).toContain('use="encryption"');
    expect(answer.text).not.toContain('PRIVATE');
  });

  it('signs in, links the identity to the account with the confirmed address, and recognizes it from then on', async () => {
    const email = [['email', 'mina@example.com']] as const;
    const entered = await enter({ attributes: email }, '/settings');
    expect(entered.status).toBe(303);
    expect(entered.headers.location).toBe('/settings');
    expect((await browserAfter(saml.slipway, entered).get('/settings')).text).toContain('mina');
    expect(await identitiesOf('mina')).toMatchObject([
      { issuer: `saml:${saml.provider.entityId}`, subject: 'mina-there', label: 'mina@example.com' },
    ]);
    const again = await enter({ attributes: [['email', 'olga@example.com']] });
    expect((await browserAfter(saml.slipway, again).get('/settings')).text).toContain('mina');
    expect(await identitiesOf('olga')).toEqual([]);
  });

  it('creates accounts, with a name from the attributes', async () => {
    const attributes = [
      ['urn:oid:0.9.2342.19200300.100.1.3', 'quentin@example.com'],
      ['uid', 'quentin'],
    ] as const;
    const entered = await enter({ nameId: 'q-1', attributes });
    expect(entered.headers.location).toBe('/');
    expect(await user('quentin')).toMatchObject({ email: 'quentin@example.com', administrator: false });
  });

  it('reads an address with several values or twice in the assertion as none', async () => {
    const twice = [
      ['email', 'olga@example.com'],
      ['email', 'paul@example.com'],
    ] as const;
    const value = 'olga@example.com</saml:AttributeValue><saml:AttributeValue>paul@example.com';
    for (const [nameId, attributes] of [
      ['several-1', twice],
      ['several-2', [['email', value]]],
    ] as const) {
      expect((await enter({ nameId, attributes })).status).toBe(303);
      expect(await user(nameId)).toMatchObject({ email: null });
    }
    expect([...(await identitiesOf('olga')), ...(await identitiesOf('paul'))]).toEqual([]);
  });

  it.each<EncryptionKind>([{}, { cipher: 'aes128-gcm' }, { transport: 'oaep-sha256' }])(
    'decrypts assertions: %o',
    async (kind) => {
      const way = await saml.begin();
      const fields = fieldsFor(saml.provider, { inResponseTo: way.id });
      const sealed = encrypt(sign(assertionOf(fields), saml.provider.keys), saml.own.certificate, kind);
      const response = unsigned(responseOf(saml.provider, sealed, { inResponseTo: way.id }));
      const entered = await saml.finish(await saml.post(encode(response)), way.cookie);
      expect((await browserAfter(saml.slipway, entered).get('/settings')).text).toContain('mina');
    },
  );

  it('accepts a response that is signed as well, and SHA-512', async () => {
    const way = await saml.begin();
    const fields = fieldsFor(saml.provider, { inResponseTo: way.id });
    const assertion = sign(assertionOf(fields), saml.provider.keys, { kind: 'sha512' });
    const response = sign(responseOf(saml.provider, assertion, { inResponseTo: way.id }), saml.provider.keys);
    expect((await saml.finish(await saml.post(encode(response)), way.cookie)).status).toBe(303);
  });

  it('asks the provider itself when the provider began, so that nobody is signed in as someone else', async () => {
    const posted = await saml.post(encode(answer(saml.provider)), '/settings/keys');
    const bounced = await saml.finish(posted, '');
    const { id } = readRequest(leadsTo(bounced));
    const cookie = addCookies('', bounced);
    const second = await saml.post(encode(answer(saml.provider, { inResponseTo: id })));
    const entered = await saml.finish(second, cookie);
    expect(entered.headers.location).toBe('/settings/keys');
    expect((await browserAfter(saml.slipway, entered).get('/settings')).text).toContain('mina');

    const loop = await saml.finish(await saml.post(encode(answer(saml.provider))), cookie);
    expect(loop.status).toBe(400);
    expect(loop.text).toContain('The response answers another request.');
  });

  it('does not redirect to another site', async () => {
    for (const to of ['https://evil.example', '//evil.example', `/${'x'.repeat(600)}`]) {
      const bounced = await saml.finish(await saml.post(encode(answer(saml.provider)), to), '');
      const { id } = readRequest(leadsTo(bounced));
      const posted = await saml.post(encode(answer(saml.provider, { inResponseTo: id })), to);
      expect((await saml.finish(posted, addCookies('', bounced))).headers.location).toBe('/');
    }
  });

  it('links an identity after a confirmation, and unlinks it', async () => {
    const paul = await saml.slipway.browser('paul');
    expect((await paul.get('/settings')).text).toContain('href="/saml/link"');
    const way = await saml.begin('/saml/link', paul.cookie);
    const posted = await saml.post(
      encode(answer(saml.provider, { nameId: 'paul-there', inResponseTo: way.id })),
    );
    const shown = await saml.finish(posted, way.cookie);
    expect(shown.headers.location).toBe('/saml/confirm');
    const browser = browserWith(saml.slipway, addCookies(addCookies(way.cookie, posted), shown));
    const linked = await browser.submit('/saml/confirm', 'link');
    expect(linked.headers.location).toBe('/settings?done=linked');
    expect(await identitiesOf('paul')).toMatchObject([{ subject: 'paul-there' }]);
    const { issuer = '', subject = '' } = (await identitiesOf('paul'))[0] ?? {};
    await browser.post('/settings/single-sign-on/unlink', {
      csrf: await browser.csrf(),
      issuer,
      subject,
    });
    expect(await identitiesOf('paul')).toEqual([]);
  });

  it('confirms access by a fresh sign-in at the provider', async () => {
    const entered = await enter();
    const { cookie } = browserAfter(saml.slipway, entered);
    const create = (browser: string) =>
      browserWith(saml.slipway, browser).submit('/settings/keys', 'create', {
        name: 'CI',
        scopes: 'read',
        expires: '90',
      });
    expect((await create(cookie)).text).toContain('/saml/confirm-access?to=%2Fsettings%2Fkeys');
    const confirm = async (authenticatedAt: number) => {
      const way = await saml.begin('/saml/confirm-access?to=/settings/keys', cookie);
      expect(readRequest(way.address).xml).toContain('ForceAuthn="true"');
      const fields = { inResponseTo: way.id, authenticatedAt };
      return saml.finish(await saml.post(encode(answer(saml.provider, fields))), way.cookie);
    };
    const stale = await confirm(saml.slipway.clock.now - 12 * 60_000);
    expect(stale.status).toBe(403);
    expect(stale.text).toContain('did not ask you to sign in again');
    expect((await confirm(saml.slipway.clock.now)).headers.location).toBe('/settings/keys');
    expect((await create(cookie)).text).not.toContain('/saml/confirm-access');
  });

  it('keeps what it knows while the metadata can’t be read, and takes over new certificates', async () => {
    const { clock } = saml.slipway;
    const next = createSamlKey();
    const enterWith = async (keys: typeof next) => {
      const way = await saml.begin();
      const fields = fieldsFor(saml.provider, { inResponseTo: way.id });
      const response = responseOf(saml.provider, sign(assertionOf(fields), keys), { inResponseTo: way.id });
      const posted = await saml.post(encode(unsigned(response)));
      return posted.status === 303 ? (await saml.finish(posted, way.cookie)).status : posted.status;
    };
    await saml.writeMetadata('<!DOCTYPE x><x/>');
    clock.now += 61 * 60_000;
    expect(await enterWith(saml.provider.keys)).toBe(303);
    expect(await enterWith(next)).toBe(400);
    await saml.writeMetadata(metadataOf(saml.provider, { keys: [saml.provider.keys, next] }));
    clock.now += 61 * 60_000;
    expect(await enterWith(saml.provider.keys)).toBe(303);
    expect(await enterWith(next)).toBe(303);
    await saml.writeMetadata(metadataOf(saml.provider, { keys: [next] }));
    clock.now += 61 * 60_000;
    expect(await enterWith(saml.provider.keys)).toBe(400);
    expect(await enterWith(next)).toBe(303);
    await saml.writeMetadata(metadataOf(saml.provider));
    clock.now += 61 * 60_000;
  });
});

describe('without metadata', () => {
  it('starts, signs in with passwords, and says that the provider can’t be reached', async () => {
    const saml = await startSamlService('sqlite', ['mina'], {
      settings: { SLIPWAY_SAML_METADATA: '/nowhere/metadata.xml' },
    });
    try {
      const failed = await saml.slipway.stranger.get('/saml/sign-in');
      expect(failed.status).toBe(503);
      expect(failed.text).toContain('Example can’t be reached');
      expect((await saml.post(encode(answer(saml.provider)))).status).toBe(503);
      expect((await saml.slipway.browser('mina')).cookie).not.toBe('');
    } finally {
      await saml.close();
    }
  });
});

describe.each(dialects)('used IDs on %s', (dialect) => {
  it('are accepted once by all nodes, until they expire', async () => {
    const saml = await startSamlService(dialect, []);
    try {
      const { saml: queries } = saml.slipway.data;
      const tries = Array.from({ length: 8 }, () => queries.useOnce('an-id', 1000, 0));
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
      expect(await queries.useOnce('an-id', 2000, 1000)).toBe(true);
    } finally {
      await saml.close();
    }
  });
});
