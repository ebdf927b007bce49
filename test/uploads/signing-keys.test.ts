/** The keys of owners: rotation, import, export and who may do it. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSubject } from '../../src/limits/attempts.ts';
import { reencryptQueries } from '../../src/operations/reencrypt-queries.ts';
import { maxSigningKeys } from '../../src/owners/signing-keys/signing-keys.ts';
import { readKeystore } from '../../src/packages/apk/signing/keystore.ts';
import { writeKeystore } from '../../src/packages/apk/signing/keystore-writer.ts';
import { certificateFacts } from '../../src/packages/certificate/certificate.ts';
import { maxKeystoreBytes } from '../../src/packages/package-task.ts';
import { readPackage } from '../../src/packages/read-package.ts';
import { verifySignature } from '../../src/packages/verify-signature.ts';
import { openZip } from '../../src/packages/zip/open-zip.ts';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import { buildBundle } from '../support/build-bundle.ts';
import { fileInMemory } from '../support/file-in-memory.ts';
import { send } from '../support/http-client.ts';
import { bearer, get, uploaded } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const run = promisify(execFile);
const isInstalled = (program: string) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
const [hasApksigner, hasKeytool] = ['apksigner', 'keytool'].map(
  (program) => runsEverything && isInstalled(program),
);
const page = '/organizations/harbour/settings/signing-keys';
const password = 'correct horse';
const keystore = (kind: 'ec' | 'rsa-2048' = 'rsa-2048') =>
  writeKeystore(createTestKey(kind), { alias: 'upload', password });

describe('signing keys', () => {
  let slipway: TestService;
  let otto: BrowserSession;
  let dora: BrowserSession;
  let folder: string;
  const clock = { now: Date.now() };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-signing-keys-'));
    slipway = await startTestService({ now: () => clock.now });
    for (const name of ['otto', 'dora']) await slipway.user(name);
    await slipway.project('harbour', { members: { otto: 'owner', dora: 'developer' } });
    [otto, dora] = [await signIn(slipway, 'otto'), await signIn(slipway, 'dora')];
  });
  afterAll(async () => {
    await slipway.close();
    await rm(folder, { recursive: true });
  });

  const key = () => slipway.projectKey('harbour');
  /** Uploads a bundle; returns the APK. */
  const convert = async () => {
    const { signature, revision } = await uploaded(slipway, {
      owner: 'harbour',
      key: await key(),
      file: buildBundle(),
    });
    await slipway.service.outbox.idle();
    const path = `/api/v1/apps/harbour/android/com.example.bundle/builds/${revision}/files`;
    const files = JSON.parse((await send(slipway.port, path, { headers: bearer(await key()) })).text);
    const apk = join(folder, `${revision}.apk`);
    await writeFile(apk, (await get(slipway, files.apk.url)).body);
    return { signature, apk };
  };
  const csrfOf = async (session: BrowserSession) =>
    /name="csrf" value="([^"]*)"/.exec((await session.get(page)).text)?.[1] ?? '';
  const post = async (session: BrowserSession, action: string, fields: Record<string, string> = {}) =>
    postForm(
      slipway,
      `${page}/${action}`,
      { csrf: await csrfOf(session), ...fields },
      { Cookie: session.cookie },
    );
  const importKeystore = async (fields: Record<string, string>, file: Buffer, csrf?: string) => {
    const { contentType, body } = multipart([
      { name: 'csrf', value: csrf ?? (await csrfOf(otto)) },
      { name: 'keystore', content: file, fileName: 'upload.p12' },
      ...Object.entries({ password, ...fields }).map(([name, value]) => ({ name, value })),
    ]);
    return send(slipway.port, `${page}/import`, {
      method: 'POST',
      headers: { 'Content-Type': contentType, Accept: 'text/html', Cookie: otto.cookie },
      body,
    });
  };
  const auditActions = async () => {
    const harbour = await slipway.data.owners.findOwner('harbour');
    const rows = await slipway.data.audit.list(harbour?.id ?? '', 50);
    return rows.map(({ action }) => action).filter((action) => action.startsWith('signing-key'));
  };

  it('are shown and changed by owners of the Project only, who have confirmed who they are', async () => {
    expect((await otto.get(page)).text).toContain('There is no key yet');
    expect((await dora.get(page)).status).toBe(404);
    expect((await postForm(slipway, `${page}/rotate`, {}, { Cookie: dora.cookie })).status).toBe(404);
    clock.now += 11 * 60_000;
    for (const action of ['rotate', 'export'])
      expect((await post(otto, action, { number: '1', password })).text).toContain('name="proof"');
    const asked = await importKeystore({}, keystore());
    expect([asked.status, asked.text]).toEqual([403, expect.stringContaining(`action="${page}/confirm"`)]);
    const confirmed = await post(otto, 'confirm', { proof: testPassword });
    expect(confirmed.headers.location).toBe(`${page}?done=confirmed`);
    expect((await importKeystore({}, keystore(), 'wrong')).status).toBe(403);
    expect((await otto.get(page)).text).toContain('There is no key yet');
  });

  it('are read from so many keystores an hour, whose forms are genuine', async () => {
    const { id } = (await slipway.data.owners.findOwner('otto')) ?? { id: '' };
    const subject = hashSubject(['signing keys', id]);
    await slipway.data.attempts.countAttempts([subject], clock.now, 60 * 60_000, 30);
    expect((await importKeystore({}, keystore(), 'wrong')).status).toBe(403);
    const refused = await importKeystore({}, keystore());
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('changes of signing keys')]);
    await slipway.data.attempts.resetAttempts(subject);
    expect((await importKeystore({ password: 'wrong' }, keystore())).status).toBe(400);
    expect((await otto.get(page)).text).toContain('There is no key yet');
  });

  it('are rotated with a proof of rotation', async () => {
    const first = await convert();
    expect((await post(otto, 'rotate')).headers.location).toBe(`${page}?done=rotated`);
    const second = await convert();
    expect(second.signature).not.toBe(first.signature);
    const { signing } = await readPackage(second.apk);
    expect(signing.lineage).toHaveLength(2);
    expect(await verifySignature(second.apk)).toMatchObject({ verified: true });
    if (hasApksigner) await run('apksigner', ['verify', second.apk]);
    const shown = (await otto.get(`${page}?done=rotated`)).text;
    for (const text of ['The key was rotated.', 'Key 2', second.signature ?? '', first.signature ?? ''])
      expect(shown).toContain(text);
    expect(await auditActions()).toEqual(['signing-key.rotated']);
  });

  it('are exported as keystores that keytool reads', async () => {
    const short = await post(otto, 'export', { number: '1', password: 'short' });
    expect([short.status, short.text]).toEqual([400, expect.stringContaining('at least 6 characters')]);
    expect((await post(otto, 'export', { number: '9', password })).status).toBe(404);
    const answer = await post(otto, 'export', { number: '1', password });
    expect(answer.headers['content-disposition']).toContain('harbour-signing-key-1.p12');
    expect(answer.headers['cache-control']).toBe('no-store');
    const exported = readKeystore(answer.body, { password, alias: 'slipway' });
    expect((await otto.get(page)).text).toContain(certificateFacts(exported.certificate).sha256);
    expect(() => readKeystore(answer.body, { password: 'wrong' })).toThrow(
      'password of the keystore is wrong',
    );
    if (hasKeytool) {
      const path = join(folder, 'exported.p12');
      await writeFile(path, answer.body);
      const { stdout } = await run('keytool', ['-list', '-keystore', path, '-storepass', password]);
      expect(stdout).toMatch(/slipway, .*PrivateKeyEntry/);
    }
    expect(await auditActions()).toContain('signing-key.exported');
  });

  it.each(runsEverything ? (['rsa-2048', 'ec'] as const) : (['rsa-2048'] as const))(
    'are imported from a keystore with a key of type %s',
    async (kind) => {
      const file = keystore(kind);
      expect((await importKeystore({ alias: 'upload' }, file)).headers.location).toBe(
        `${page}?done=imported`,
      );
      const { certificate } = readKeystore(file, { password });
      const made = await convert();
      expect(made.signature).toBe(certificateFacts(certificate).sha1);
      expect((await readPackage(made.apk)).signing.lineage).toEqual([]);
      expect(await verifySignature(made.apk)).toMatchObject({ verified: true });
      const again = await importKeystore({}, file);
      expect([again.status, again.text]).toEqual([
        409,
        expect.stringContaining('is already the current key'),
      ]);
      expect((await importKeystore({ continues: 'true' }, keystore())).status).toBe(303);
      const rotated = await convert();
      expect((await readPackage(rotated.apk)).signing.lineage).toHaveLength(2);
      if (hasApksigner) await run('apksigner', ['verify', rotated.apk]);
    },
  );

  it.each([
    [{ password: 'wrong' }, keystore(), 'The password of the keystore is wrong.'],
    [{ alias: 'other' }, keystore(), 'The keystore has no key other, but upload.'],
    [{}, Buffer.from('a text'), 'The file is neither a PKCS #12 nor a JKS keystore.'],
    [{}, Buffer.alloc(0), 'Choose a keystore.'],
    [{}, Buffer.alloc(maxKeystoreBytes + 1), 'Keystore too large. The limit is 256 KiB.'],
  ])('that cannot be imported change nothing: %#', async (fields, file, sentence) => {
    const before = await slipway.leftBehind();
    const keys = (await otto.get(page)).text.match(/id="key-\d+"/g);
    const answer = await importKeystore(fields, file);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(sentence)]);
    expect((await otto.get(page)).text.match(/id="key-\d+"/g)).toEqual(keys);
    expect(await slipway.leftBehind()).toEqual(before);
  });

  it('that are lost with the secret of the server fail bundles at once, and are replaced without a proof', async () => {
    await importKeystore({}, keystore());
    const harbour = await slipway.data.owners.findOwner('harbour');
    for (const row of await reencryptQueries(slipway.data).listSigningKeys())
      await reencryptQueries(slipway.data).replaceSigningKey(row, '1.AAAA');
    const number = (await slipway.data.signingKeys.listOf(harbour?.id ?? '')).at(-1)?.number ?? 0;
    const before = await auditActions();
    for (const refused of [
      await post(otto, 'export', { number: String(number), password }),
      await importKeystore({ continues: 'true' }, keystore('ec')),
    ])
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('private key is lost')]);
    expect(await auditActions()).toEqual(before);
    const failed = await uploaded(slipway, { owner: 'harbour', key: await key(), file: buildBundle() });
    await slipway.service.outbox.idle();
    const path = `/users/harbour/platforms/android/apps/com.example.bundle/binaries/${failed.revision}`;
    expect((await otto.get(path)).text).toContain('the key that signs the APK is lost');
    expect((await post(otto, 'rotate')).headers.location).toBe(`${page}?done=rotated`);
    const made = await convert();
    expect((await readPackage(made.apk)).signing.lineage).toEqual([]);
  });

  it('are never in clear in the database, and there are at most maxSigningKeys', async () => {
    const harbour = await slipway.data.owners.findOwner('harbour');
    const stored = await slipway.data.signingKeys.listOf(harbour?.id ?? '');
    const last = stored.at(-1);
    if (!harbour || !last) throw new Error('no key');
    for (const { encryptedKey } of stored) expect(encryptedKey).toMatch(/^1\.[\w-]+$/);
    for (let number = last.number + 1; number <= maxSigningKeys; number++)
      await slipway.data.signingKeys.insert({ ...last, number });
    expect(await slipway.data.signingKeys.insert({ ...last, number: 1 })).toBe(false);
    expect((await post(otto, 'rotate')).status).toBe(409);
  });
});

describe('developer verification', () => {
  let slipway: TestService;
  let otto: BrowserSession;
  let dora: BrowserSession;
  let folder: string;
  /** That of the distribution page. */
  let path: string;
  const app = '/users/harbour/platforms/android/apps/com.example.bundle';
  const settings = `${app}/developer-verification`;
  const token = 'DPAW2Z2OZAAACAAAAAAAAAAAAA';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-developer-verification-'));
    slipway = await startTestService();
    for (const name of ['otto', 'dora']) await slipway.user(name);
    await slipway.project('harbour', { members: { otto: 'owner', dora: 'developer' } });
    [otto, dora] = [await signIn(slipway, 'otto'), await signIn(slipway, 'dora')];
    const key = await slipway.projectKey('harbour');
    const fields = { distribution_name: 'main' };
    const { distribution } = await uploaded(slipway, { owner: 'harbour', key, file: buildBundle(), fields });
    path = `/distributions/${distribution?.access_key}`;
    await slipway.service.outbox.idle();
  });
  afterAll(async () => {
    await slipway.close();
    await rm(folder, { recursive: true });
  });

  const post = async (session: BrowserSession, path: string, fields: Record<string, string> = {}) => {
    const from = path.startsWith(app) ? settings : page;
    const csrf = /name="csrf" value="([^"]*)"/.exec((await session.get(from)).text)?.[1] ?? '';
    return postForm(slipway, path, { csrf, ...fields }, { Cookie: session.cookie });
  };
  const currentKey = async () => {
    const harbour = await slipway.data.owners.findOwner('harbour');
    const stored = (await slipway.data.signingKeys.listOf(harbour?.id ?? '')).at(-1);
    return certificateFacts(stored?.certificate ?? Buffer.alloc(0));
  };
  const pageOnAndroid = async (userAgent: string) => {
    return (await send(slipway.port, path, { headers: { Accept: 'text/html', 'User-Agent': userAgent } }))
      .text;
  };
  const android =
    'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36';
  const iphone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Safari/604.1';

  it('shows the fingerprint to people who manage the app, and warns until it is marked as registered', async () => {
    const { sha256 } = await currentKey();
    const fingerprint = (sha256.toUpperCase().match(/../g) ?? []).join(':');
    for (const session of [otto, dora]) {
      const shown = (await session.get(settings)).text;
      expect(shown).toContain(fingerprint);
      expect(shown).toContain('The current key is not marked as registered');
    }
    expect((await otto.get(page)).text).toContain(fingerprint);
    expect((await otto.get(settings.replace('/android/', '/ios/'))).status).toBe(404);
    expect((await send(slipway.port, settings, { headers: { Accept: 'text/html' } })).status).toBe(303);
  });

  it('makes a proof that Android tools and the own reader accept', async () => {
    expect((await post(dora, `${settings}/proof`, { token, number: '1' })).status).toBe(404);
    const refused = await post(otto, `${settings}/proof`, { token: 'two words', number: '1' });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('without spaces')]);
    const answer = await post(otto, `${settings}/proof`, { token: ` ${token}\n`, number: '1' });
    expect(answer.headers['content-disposition']).toContain('com.example.bundle-proof.apk');
    const file = join(folder, 'proof.apk');
    await writeFile(file, answer.body);
    const info = await readPackage(file);
    expect(info).toMatchObject({ packageName: 'com.example.bundle', versionCode: '1', sdkVersion: '24' });
    expect(info.signing.certificates.map(({ sha256 }) => sha256)).toEqual([(await currentKey()).sha256]);
    expect(await verifySignature(file)).toMatchObject({ verified: true });
    const archive = await openZip(fileInMemory(answer.body));
    const entry = archive.find('assets/adi-registration.properties');
    expect(entry && String(await archive.read(entry, 1000))).toBe(token);
    if (isInstalled('aapt2')) {
      const { stdout } = await run('aapt2', ['dump', 'badging', file]);
      expect(stdout).toContain("package: name='com.example.bundle' versionCode='1' versionName='1'");
    }
    if (hasApksigner) {
      const { stdout } = await run('apksigner', ['verify', '--print-certs', file]);
      expect(stdout).toContain(`certificate SHA-256 digest: ${(await currentKey()).sha256}`);
    }
  });

  it('tells testers with Android what they can do while the key is not registered', async () => {
    const hint = 'Android blocks this app?';
    const before = await pageOnAndroid(android);
    expect(before).toContain(hint);
    expect(before).toContain('since 30 September 2026 in Brazil, Indonesia, Singapore, Thailand;');
    expect(before).toContain('your Android 16');
    expect(await pageOnAndroid(iphone)).not.toContain(hint);
    const marked = await post(dora, `${settings}/1/register`);
    expect(marked.headers.location).toBe(`${settings}?done=register`);
    const shown = (await otto.get(settings)).text;
    expect(shown).toContain('Marked as registered');
    expect(shown).not.toContain('The current key is not marked');
    expect(await pageOnAndroid(android)).not.toContain(hint);
    expect((await post(dora, `${settings}/7/register`)).status).toBe(404);
  });

  it('asks for confirmation before a registered key is replaced', async () => {
    const { sha256 } = await currentKey();
    const shown = (await otto.get(page)).text;
    expect(shown).toContain('Registered with Google</dt><dd>com.example.bundle</dd>');
    expect(shown).toContain('name="confirm_registered"');
    const refused = await post(otto, `${page}/rotate`);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('registered with Google for com.example.bundle: confirm'),
    ]);
    expect((await currentKey()).sha256).toBe(sha256);
    const { contentType, body } = multipart([
      { name: 'csrf', value: /name="csrf" value="([^"]*)"/.exec(shown)?.[1] ?? '' },
      { name: 'keystore', content: keystore(), fileName: 'upload.p12' },
      { name: 'password', value: password },
    ]);
    const imported = await send(slipway.port, `${page}/import`, {
      method: 'POST',
      headers: { 'Content-Type': contentType, Accept: 'text/html', Cookie: otto.cookie },
      body,
    });
    expect([imported.status, imported.text]).toEqual([400, expect.stringContaining('confirm that you')]);
    expect((await currentKey()).sha256).toBe(sha256);
    const rotated = await post(otto, `${page}/rotate`, { confirm_registered: 'true' });
    expect(rotated.headers.location).toBe(`${page}?done=rotated`);
    expect((await currentKey()).sha256).not.toBe(sha256);
    // The new key is not registered, so nothing asks again.
    expect((await post(otto, `${page}/rotate`)).status).toBe(303);
    const harbour = await slipway.data.owners.findOwner('harbour');
    const actions = (await slipway.data.audit.list(harbour?.id ?? '', 50)).map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(['signing-key.registered', 'signing-key.proof-created', 'signing-key.rotated']),
    );
  });
});
