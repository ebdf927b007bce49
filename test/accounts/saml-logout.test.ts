/** Single logout with a SAML provider, begun by either side. */
import { createVerify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserAfter, browserWith } from '../support/accounts-service.ts';
import {
  answer,
  createSamlKey,
  encode,
  type LogoutFields,
  logoutRequestOf,
  logoutResponseOf,
  metadataOf,
  newId,
  readRequest,
  signedQuery,
} from '../support/saml-provider.ts';
import { addCookies, type SamlService, startSamlService } from '../support/saml-service.ts';

describe('single logout', () => {
  let saml: SamlService;
  beforeAll(async () => {
    saml = await startSamlService('sqlite', [], { settings: { SLIPWAY_SAML_SIGN_UP: 'open' } });
    await saml.writeMetadata(metadataOf(saml.provider, { signOut: true }));
  });
  afterAll(() => saml.close());

  const enter = async (sessionIndex = newId()) => {
    const way = await saml.begin();
    const posted = await saml.post(encode(answer(saml.provider, { inResponseTo: way.id, sessionIndex })));
    return browserAfter(saml.slipway, await saml.finish(posted, way.cookie));
  };
  const isSignedIn = async (browser: { cookie: string }) =>
    (await browserWith(saml.slipway, browser.cookie).get('/settings')).status === 200;
  const ask = (fields: LogoutFields = {}, keys = saml.provider.keys, hash: 'sha256' | 'sha1' = 'sha256') =>
    signedQuery('SAMLRequest', logoutRequestOf(saml.provider, fields), keys, { relayState: 'there', hash });
  const send = (query: string, cookie = '') => browserWith(saml.slipway, cookie).get(`/saml/logout?${query}`);

  it('ends the session at the provider when someone signs out here', async () => {
    const mina = await enter();
    const out = await mina.post('/sign-out', { csrf: await mina.csrf() });
    expect(out.headers.location).toBe('/saml/sign-out');
    expect(await isSignedIn(mina)).toBe(false);
    const cookie = addCookies('', out);
    const page = await browserWith(saml.slipway, cookie).get('/saml/sign-out');
    expect(page.text).toContain('You’ll be signed out of Example too.');
    const address = /^0; url=(.*)$/.exec(String(page.headers.refresh))?.[1] ?? '';
    expect(address).toMatch(/^https:\/\/login\.example\.com\/sign-out\?SAMLRequest=/);
    const { xml, id, params } = readRequest(address);
    expect(xml).toMatch(/<saml:NameID [^>]*>mina-there</);
    expect(xml).toContain('SessionIndex');
    const signed = new URLSearchParams();
    for (const name of ['SAMLRequest', 'SigAlg']) signed.set(name, params.get(name) ?? '');
    const verify = createVerify('RSA-SHA256').update(signed.toString());
    expect(verify.verify(saml.own.certificate, params.get('Signature') ?? '', 'base64')).toBe(true);

    const kept = addCookies(cookie, page);
    const done = signedQuery('SAMLResponse', logoutResponseOf(saml.provider, id), saml.provider.keys);
    expect((await send(done, kept)).headers.location).toBe('/');
    const other = signedQuery('SAMLResponse', logoutResponseOf(saml.provider, newId()), saml.provider.keys);
    expect((await send(other, kept)).status).toBe(400);
    expect((await send(done)).status).toBe(400);
  });

  it('leaves people at the start page whose session began elsewhere', async () => {
    const admin = await saml.slipway.browser('admin');
    const out = await admin.post('/sign-out', { csrf: await admin.csrf() });
    expect(out.headers.location).toBe('/');
  });

  it('ends sessions when the provider asks, by index or all, and answers', async () => {
    const [first, second, third] = [await enter('_one'), await enter('_two'), await enter('_three')];
    const one = await send(ask({ sessionIndex: '_one' }));
    const response = new URL(one.headers.location ?? '');
    expect(`${response.origin}${response.pathname}`).toBe('https://login.example.com/sign-out');
    expect(response.searchParams.get('RelayState')).toBe('there');
    expect(response.searchParams.get('SigAlg')).toContain('rsa-sha256');
    expect(await Promise.all([first, second, third].map(isSignedIn))).toEqual([false, true, true]);
    const all = ask();
    expect((await send(all)).status).toBe(303);
    expect(await Promise.all([first, second, third].map(isSignedIn))).toEqual([false, false, false]);
    expect((await send(all)).text).toContain('has already been used');
  });

  it('ends no sessions for anything else', async () => {
    const mina = await enter();
    const { now } = saml.provider;
    const query = ask();
    const bomb = signedQuery('SAMLRequest', ' '.repeat(1024 * 1024), saml.provider.keys);
    const refused = {
      unsigned: query.replace(/&Signature=.*/, ''),
      'signed by another key': ask({}, createSamlKey()),
      'signed with SHA-1': ask({}, saml.provider.keys, 'sha1'),
      changed: query.replace('RelayState=there', 'RelayState=elsewhere'),
      'repeated parameter': `SAMLRequest=x&${query}`,
      'another issuer': ask({ issuer: 'https://other.example.com' }),
      'another address': ask({ destination: 'https://other.example.com' }),
      old: ask({ issuedAt: now() - 12 * 60_000 }),
      'without a person': ask({ nameId: '</saml:NameID><saml:NameID>' }),
      'a document type': signedQuery(
        'SAMLRequest',
        `<!DOCTYPE x>${logoutRequestOf(saml.provider)}`,
        saml.provider.keys,
      ),
      'too large': bomb,
      'a response': signedQuery('SAMLRequest', answer(saml.provider), saml.provider.keys),
      'escaped wrongly': 'SAMLRequest=%',
      nothing: '',
    };
    for (const [name, one] of Object.entries(refused)) {
      expect([name, (await send(one, mina.cookie)).status]).toEqual([name, 400]);
    }
    expect(await isSignedIn(mina)).toBe(true);
  });
});
