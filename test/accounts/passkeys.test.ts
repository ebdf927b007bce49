/** Passkeys over plain HTTP, with a software authenticator that can forge every value. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { postForm } from '../support/browser-session.ts';
import { get } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { formOf } from '../support/page-forms.ts';
import {
  afterPassword,
  passkeyOptionsOn,
  recoveryCodesOn,
  securityPage,
  setUpApp,
} from '../support/second-factors.ts';
import {
  createAuthenticator,
  type Forgeries,
  type SoftwareAuthenticator,
} from '../support/software-authenticator.ts';
import { testPassword } from '../support/test-service.ts';

const origin = 'https://apps.example.com';
const createPath = `${securityPage}/passkeys/create`;
const addPath = `${securityPage}/passkeys/add`;
const minute = 60_000;
const people = ['mina', 'olga', 'pia', 'rosa', 'tess', 'vera', 'wanda', 'liar'];

describe('passkeys', () => {
  let slipway: AccountsService;
  /** Has no passkey in most of the tests. */
  let vera: Browser;
  const liar = createAuthenticator(origin);
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', people);
    vera = await slipway.browser('vera');
    expect((await add(await slipway.browser('liar'), liar)).status).toBe(200);
  });
  afterAll(() => slipway.close());

  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const listOf = async (name: string) => slipway.data.secondFactors.listPasskeys(await idOf(name));
  const actionsOf = async (name: string) =>
    (await slipway.data.audit.list(await idOf(name), 50)).map(({ action }) => action);

  const askNew = async (browser: Browser, fields: Record<string, string> = {}) => {
    const csrf = await browser.csrf();
    return browser.post(createPath, { csrf, name: 'Laptop', proof: testPassword, ...fields });
  };
  const add = async (
    browser: Browser,
    authenticator: SoftwareAuthenticator,
    { lies = {}, name = 'Laptop' }: { lies?: Forgeries; name?: string } = {},
  ) => {
    const asked = passkeyOptionsOn((await askNew(browser)).text);
    const credential = authenticator.create(asked.publicKey, lies);
    const csrf = await browser.csrf();
    return browser.post(addPath, { csrf, name, ticket: asked.ticket, credential });
  };

  /** A signed-out browser on the sign-in page; `cookie`: of a second step. */
  const askProof = async (cookie = '') => {
    const fields: Record<string, string> = cookie === '' ? {} : { 'second-step': 'on' };
    const answer = await postForm(
      slipway,
      '/sign-in/passkey/options',
      fields,
      cookie ? { Cookie: cookie } : {},
      { anonymous: true },
    );
    const mark = answer.headers['set-cookie']?.find((one) => one.includes('slipway_passkey='))?.split(';')[0];
    const asked = answer.status === 200 ? JSON.parse(answer.text) : null;
    return { answer, ...asked, fields, cookie: [cookie, mark].filter(Boolean).join('; ') };
  };
  const prove = (
    asked: { ticket: string; cookie: string; fields: Record<string, string> },
    credential: string,
    more: Record<string, string> = {},
  ) =>
    postForm(
      slipway,
      '/sign-in/passkey',
      { ...asked.fields, ticket: asked.ticket, credential, ...more },
      { Cookie: asked.cookie },
      { anonymous: true },
    );
  const sessionIn = (answer: { headers: { 'set-cookie'?: string[] | undefined } }) =>
    answer.headers['set-cookie']?.find((cookie) => cookie.startsWith('__Host-slipway_session='));

  it('are added with a proof, listed, and sign in without a password', async () => {
    const mina = await slipway.browser('mina');
    const elsewhere = await slipway.browser('mina');
    const authenticator = createAuthenticator(origin);
    for (const [fields, words] of [
      [{ name: '' }, 'enter a name.'],
      [{ name: 'n'.repeat(65) }, 'a name can have at most 64 characters.'],
      [{ csrf: 'x' }, 'expired'],
    ] as const) {
      const refused = await askNew(mina, fields);
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused.text.toLowerCase()).toContain(words);
    }
    const asked = passkeyOptionsOn((await askNew(mina)).text).publicKey;
    expect(asked).toMatchObject({
      rp: { id: 'apps.example.com', name: 'Slipway' },
      user: { name: 'mina' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
    });
    expect(Buffer.from(asked.challenge, 'base64url')).toHaveLength(32);
    const letters = slipway.mailer.sent.length;
    const done = await add(mina, authenticator, { name: ' Laptop <b> ' });
    expect(done.status).toBe(200);
    expect(recoveryCodesOn(done.text)).toHaveLength(10);
    expect(done.text).toContain('Laptop &lt;b>');
    expect(await listOf('mina')).toEqual([
      {
        id: expect.any(String),
        credentialId: authenticator.id,
        transports: ['internal', 'hybrid'],
        name: 'Laptop <b>',
        createdAt: slipway.clock.now,
        lastUsedAt: null,
      },
    ]);
    expect((await elsewhere.get('/settings')).status).toBe(303);
    await settleOutbox(slipway);
    expect(slipway.mailer.sent.slice(letters).map(({ subject }) => subject)).toEqual([
      'A passkey was added to your account',
    ]);

    const proof = await askProof();
    expect(proof.publicKey).toMatchObject({
      rpId: 'apps.example.com',
      userVerification: 'required',
      allowCredentials: [],
    });
    expect(proof.answer.headers['cache-control']).toBe('no-store');
    const signedIn = await prove(proof, authenticator.get(proof.publicKey), { to: '/docs' });
    expect(signedIn.status).toBe(303);
    expect(signedIn.headers.location).toBe('/docs');
    const cookie = sessionIn(signedIn)?.split(';')[0] ?? '';
    const page = await get(slipway, securityPage, null, { headers: { Cookie: cookie, Accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.text).toContain('Last used');
    expect((await listOf('mina'))[0]?.lastUsedAt).toBe(slipway.clock.now);
    const again = await askNew(mina);
    expect(passkeyOptionsOn(again.text).publicKey.excludeCredentials).toMatchObject([
      { id: authenticator.id },
    ]);
  });

  it('accept a challenge once, in the browser that requested it, for ten minutes', async () => {
    const authenticator = createAuthenticator(origin);
    expect((await add(await slipway.browser('olga'), authenticator)).status).toBe(200);
    const used = await askProof();
    const credential = authenticator.get(used.publicKey);
    expect((await prove(used, credential)).status).toBe(303);
    const replayed = await prove(used, credential);
    expect(replayed.status).toBe(401);
    expect(replayed.text).toContain('This took too long: try again.');

    const both = await askProof();
    const twice = authenticator.get(both.publicKey);
    const answers = await Promise.all([prove(both, twice), prove(both, twice), prove(both, twice)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401]);

    const [one, other] = [await askProof(), await askProof()];
    for (const asked of [
      { ...one, cookie: other.cookie },
      { ...one, cookie: '' },
      { ...one, ticket: other.ticket },
      { ...one, ticket: `${one.ticket}x` },
      { ...one, ticket: '' },
    ]) {
      expect((await prove(asked, authenticator.get(one.publicKey))).status).toBe(401);
    }
    const late = await askProof();
    slipway.clock.now += 11 * minute;
    expect((await prove(late, authenticator.get(late.publicKey))).status).toBe(401);
    // A second tab does not invalidate the first one's challenge.
    const first = await askProof();
    const tab = await postForm(slipway, '/sign-in/passkey/options', {}, { Cookie: first.cookie });
    expect(tab.headers['set-cookie']).toBeUndefined();
    expect((await prove(first, authenticator.get(first.publicKey))).status).toBe(303);
  });

  it.each<[string, Forgeries]>([
    ['another origin', { origin: 'https://apps.example.com.evil.example' }],
    ['http', { origin: 'http://apps.example.com' }],
    ['another relying party', { relyingParty: 'evil.example' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['the making of a key', { type: 'webauthn.create' }],
    ['nobody verified', { userVerified: false }],
    ['nobody present', { userPresent: false }],
    ['somebody else’s handle', { userHandle: Buffer.from('somebody').toString('base64url') }],
    ['an id that is not known', { id: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['an id with a zero', { id: 'a\0b' }],
    ['a signature of zeros', { signature: Buffer.alloc(70) }],
    ['no signature', { signature: Buffer.alloc(0) }],
  ])('refuse to sign in with %s', async (_name, lies) => {
    const asked = await askProof();
    const refused = await prove(asked, liar.get(asked.publicKey, lies));
    expect(refused.status).toBe(401);
    expect(sessionIn(refused)).toBeUndefined();
    expect((await listOf('liar'))[0]?.lastUsedAt).toBeNull();
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['no JSON', '{'],
    ['a list', '[]'],
    ['a number', '1'],
    ['no id', '{"response":{}}'],
    ['no response', '{"id":"x"}'],
    ['an empty response', '{"id":"x","rawId":"x","type":"public-key","response":{}}'],
    ['too much', `{"id":"x","response":{"a":"${'a'.repeat(17_000)}"}}`],
  ])('refuse to sign in with %s as the response', async (_name, credential) => {
    const asked = await askProof();
    expect((await prove(asked, credential)).status).toBe(401);
    const { ticket } = passkeyOptionsOn((await askNew(vera)).text);
    const fields = { csrf: await vera.csrf(), name: 'x', ticket, credential };
    expect((await vera.post(addPath, fields)).status).toBe(400);
    expect(await listOf('vera')).toEqual([]);
  });

  it.each<[string, Forgeries]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another relying party', { relyingParty: 'evil.example' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['a signature in place of a key', { type: 'webauthn.get' }],
    ['nobody verified', { userVerified: false }],
    ['nobody present', { userPresent: false }],
    ['a kind of key that was not asked for', { algorithm: -65535 }],
    ['the id of another key', { id: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('are not added with %s', async (_name, lies) => {
    const refused = await add(vera, createAuthenticator(origin), { lies });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('could not be verified');
    expect(await listOf('vera')).toEqual([]);
    expect(await slipway.data.secondFactors.findFactors(await idOf('vera'))).toMatchObject({
      recoveryCodes: 0,
    });
  });

  it('are added without verifying an attestation', async () => {
    const statement = new Map([['x5c', [Buffer.from('not a certificate')]]]);
    const lies = { attestation: { fmt: 'packed', statement } };
    expect((await add(vera, createAuthenticator(origin), { lies })).status).toBe(200);
  });

  it('are added only by the person who started, in that session, once', async () => {
    const [tess, again] = [await slipway.browser('tess'), await slipway.browser('tess')];
    const rosa = await slipway.browser('rosa');
    const asked = passkeyOptionsOn((await askNew(tess)).text);
    const authenticator = createAuthenticator(origin);
    const credential = authenticator.create(asked.publicKey);
    const post = async (browser: Browser) =>
      browser.post(addPath, { csrf: await browser.csrf(), name: 'x', ticket: asked.ticket, credential });
    expect((await post(rosa)).status).toBe(400);
    expect((await post(again)).status).toBe(400);
    const proof = await askProof();
    const mixed = { csrf: await tess.csrf(), name: 'x', ticket: proof.ticket, credential };
    expect((await tess.post(addPath, mixed)).status).toBe(400);
    expect((await post(tess)).status).toBe(200);
    expect((await post(tess)).status).toBe(400);
    expect(await listOf('tess')).toHaveLength(1);
    // The same credential for another user.
    const other = passkeyOptionsOn((await askNew(rosa)).text);
    const fields = { csrf: await rosa.csrf(), name: 'x', ticket: other.ticket };
    const taken = await rosa.post(addPath, {
      ...fields,
      credential: authenticator.create(other.publicKey),
    });
    expect(taken.status).toBe(409);
    expect(taken.text).toContain('already registered');
    expect(await listOf('rosa')).toEqual([]);
  });

  it('are accepted as the second step after a password, if they belong to that user', async () => {
    const [own, foreign] = [createAuthenticator(origin), createAuthenticator(origin)];
    await add(await slipway.browser('rosa'), own);
    await add(await slipway.browser('wanda'), foreign);
    const step = await afterPassword(slipway, 'rosa');
    expect(step.first.headers.location).toBe('/sign-in/second-factor');
    const page = await step.get();
    expect(page.text).toContain('data-passkey="get"');
    expect(page.text).not.toContain('Code from your authenticator app');
    const asked = await askProof(step.cookie);
    expect(asked.publicKey.allowCredentials).toMatchObject([
      { id: own.id, transports: ['internal', 'hybrid'] },
    ]);
    const refused = await prove(asked, foreign.get(asked.publicKey));
    expect(refused.status).toBe(401);
    const second = await askProof(step.cookie);
    // A ticket for the second step is not valid for anything else.
    expect((await prove({ ...second, fields: {} }, own.get(second.publicKey))).status).toBe(401);
    const third = await askProof(step.cookie);
    const signedIn = await prove(third, own.get(third.publicKey));
    expect(signedIn.status).toBe(303);
    expect(sessionIn(signedIn)).toBeDefined();
    const stranger = await askProof('__Secure-slipway_second_step=x');
    expect(stranger.answer.status).toBe(400);
  });

  it('are refused when their counter decreases, which the audit log records', async () => {
    const authenticator = createAuthenticator(origin, { counts: true });
    await add(await slipway.browser('pia'), authenticator);
    const signIn = async (lies: Forgeries = {}) => {
      const asked = await askProof();
      return prove(asked, authenticator.get(asked.publicKey, lies));
    };
    expect((await signIn()).status).toBe(303);
    for (const count of [0, 1, 2]) {
      const refused = await signIn({ count });
      expect(refused.status).toBe(401);
      expect(refused.text).toContain('may have been cloned');
    }
    expect((await actionsOf('pia')).filter((action) => action === 'passkey.refused')).toHaveLength(3);
    expect((await signIn({ count: 900 })).status).toBe(303);
    expect((await signIn({ count: 899 })).status).toBe(401);
  });

  it('are renamed, and removed with a proof, which ends other sessions', async () => {
    await slipway.data.secondFactors.deletePasskeysOf(await idOf('tess'));
    const tess = await slipway.browser('tess');
    const app = await setUpApp(slipway, tess);
    const authenticator = createAuthenticator(origin);
    const added = await add(tess, authenticator);
    expect(added.headers.location).toBe(`${securityPage}?done=passkey-added`);
    expect((await tess.submit(securityPage, 'rename', { name: 'Phone' })).status).toBe(303);
    expect((await listOf('tess')).map(({ name }) => name)).toEqual(['Phone']);
    for (const name of ['', '   ', 'n'.repeat(65)]) {
      const refused = await tess.submit(securityPage, 'rename', { name });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(
        name.trim() === '' ? 'Enter a name.' : 'A name can have at most 64 characters.',
      );
    }
    const { action: remove } = formOf((await tess.get(securityPage)).text, 'remove');
    const rename = slipway.data.secondFactors.renamePasskey;
    expect(await rename(await idOf('olga'), remove.split('/').at(-2) ?? '', 'x')).toBe(false);
    slipway.clock.now += 10 * minute;
    expect((await tess.submit(securityPage, 'remove', { proof: 'wrong password' })).status).toBe(403);
    expect(await listOf('tess')).toHaveLength(1);
    const gone = await tess.submit(securityPage, 'remove', { proof: app.code() });
    expect(gone.headers.location).toBe(`${securityPage}?done=passkey-removed`);
    expect(await listOf('tess')).toEqual([]);
    expect((await tess.post(remove, { csrf: await tess.csrf() })).status).toBe(404);
    const asked = await askProof();
    expect((await prove(asked, authenticator.get(asked.publicKey))).status).toBe(401);
    const factors = await slipway.data.secondFactors.findFactors(await idOf('tess'));
    expect(factors).toMatchObject({ passkeys: 0, recoveryCodes: 10 });
    expect(await actionsOf('tess')).toEqual(expect.arrayContaining(['passkey.added', 'passkey.removed']));
  });

  it('are limited to twenty per user', async () => {
    await slipway.data.secondFactors.deletePasskeysOf(await idOf('vera'));
    const asked = passkeyOptionsOn((await askNew(vera)).text);
    const row = { userId: await idOf('vera'), publicKey: 'x', signatureCount: 0, transports: [], name: 'x' };
    for (let at = 0; at < 20; at++)
      await slipway.data.secondFactors.insertPasskey({ ...row, credentialId: `vera ${at}` }, at);
    const credential = createAuthenticator(origin).create(asked.publicKey);
    const fields = { csrf: await vera.csrf(), name: 'x', ticket: asked.ticket, credential };
    expect((await vera.post(addPath, fields)).status).toBe(409);
    expect(await listOf('vera')).toHaveLength(20);
    const page = await vera.get(securityPage);
    expect(page.text).toContain('limit of 20 passkeys');
    expect(page.text).not.toContain('/passkeys/create');
  });
});
