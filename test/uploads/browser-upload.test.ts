/** Uploads from a browser: the form without JavaScript, the requests of the script, and permissions. */
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/service.ts';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { type Answer, json, openRaw, rawRequest, send } from '../support/http-client.ts';
import { bearer, leavesNothing, resultsOf } from '../support/interface-client.ts';
import { type FormPart, multipart } from '../support/multipart-body.ts';
import { formOf } from '../support/page-forms.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** On a busy machine. */
const patient = { timeout: 20_000 };
const mebibyte = 1024 * 1024;
const maxUploadBytes = 2 * mebibyte;
const place = '/organizations/harbour/upload';
const apk = buildApk({ packageName: 'com.example.tides', label: 'Tides', versionName: '2.0' });
const page = { Accept: 'text/html' };
const script = { Accept: 'application/json' };

describe('browser uploads', () => {
  const clock = { offsetMs: 0 };
  let slipway: TestService;
  let ownersKey: string;
  const people = new Map<string, BrowserSession>();
  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      now: () => Date.now() + clock.offsetMs,
      limits: { maxUploadBytes, refusedBodyDrainSeconds: 1 },
    });
    for (const name of ['otto', 'tess', 'sam']) await slipway.user(name);
    ownersKey = await slipway.user('dora');
    await slipway.project('harbour', { members: { otto: 'owner', dora: 'developer', tess: 'tester' } });
    for (const name of ['dora', 'otto', 'tess', 'sam', 'admin'])
      people.set(name, await signIn(slipway, name));
  });
  afterAll(() => slipway.close());

  const as = (name: string): BrowserSession => {
    const session = people.get(name);
    if (!session) throw new Error(`${name} is not signed in`);
    return session;
  };
  const tokenOf = async (name: string) =>
    /name="csrf" value="([^"]+)"/.exec((await as(name).get('/')).text)?.[1] ?? '';
  const fileOf = (content: Buffer = apk, fileName = 'app.apk') => ({ name: 'file', content, fileName });
  const fieldsOf = (fields: Record<string, string>) =>
    Object.entries(fields).map(([name, value]) => ({ name, value }));
  const post = (
    name: string | null,
    parts: readonly FormPart[],
    headers: Record<string, string> = page,
    address = place,
  ): Promise<Answer> => {
    const { contentType, body } = multipart(parts);
    const cookie: Record<string, string> = name === null ? {} : { Cookie: as(name).cookie };
    return send(slipway.port, address, {
      method: 'POST',
      headers: { ...cookie, 'Content-Type': contentType, ...headers },
      body,
    });
  };
  /** Fills and sends the form like a browser without JavaScript. */
  const submit = async (
    submitted: Record<string, string> = {},
    file = fileOf(),
    {
      name = 'dora',
      headers = page,
      address = place,
    }: Partial<Record<'name' | 'address', string>> & {
      headers?: Record<string, string>;
    } = {},
  ) => {
    const form = formOf((await as(name).get(address)).text, 'upload');
    const { csrf = '', file: _file, ...fields } = form.fields;
    const parts = [...fieldsOf({ csrf, ...fields }), file, ...fieldsOf(submitted)];
    const once = parts.filter(
      (part, index) => !parts.slice(index + 1).some((later) => later.name === part.name),
    );
    return post(
      name,
      [{ name: 'csrf', value: csrf }, ...once.filter((part) => part.name !== 'csrf')],
      headers,
      form.action,
    );
  };

  it('read fields of the query like those of the form', async () => {
    const form = formOf((await as('dora').get(place)).text, 'upload');
    const token = { name: 'csrf', value: form.fields.csrf ?? '' };
    const action = `${form.action}?message=queried`;
    const sent = await post('dora', [token, fileOf()], { Accept: 'application/json' }, action);
    expect([sent.status, JSON.parse(sent.text).results.message]).toEqual([200, 'queried']);
    const other = [token, { name: 'message', value: 'another' }, fileOf()];
    expect((await post('dora', other, { Accept: 'application/json' }, action)).status).toBe(400);
  });

  it('work without scripts and redirect to the result', async () => {
    const submitted = { message: 'First\r\nlight', distribution_name: 'main', release_note: 'For you' };
    const answer = await submit(submitted);
    expect(answer.text).toBe('');
    expect(answer.status).toBe(303);
    const { location = '' } = answer.headers;
    expect(location).toMatch(
      /^\/users\/harbour\/platforms\/android\/apps\/com\.example\.tides\/binaries\/\d+\/uploaded$/,
    );
    const build = await as('dora').get(location);
    expect(build.status).toBe(200);
    expect(build.text).toContain('Build uploaded.');
    expect(build.text).toContain('View build');
    expect(build.text).toMatch(/<svg class="qr".*<code[^>]*>[^<]+\/distributions\/[0-9a-f]{40}<\/code>/s);
    const owner = await slipway.data.owners.findOwner('harbour');
    const app = await slipway.data.apps.findApp(owner?.id ?? '', 'android', 'com.example.tides');
    const [latest] = await slipway.data.builds.listBuilds(app?.id ?? '', { limit: 1 });
    expect(latest).toMatchObject({ message: 'First\nlight', uploadedBy: 'dora', sizeBytes: apk.length });
    const [listed] = await slipway.data.appPages.listPages({ kind: 'manager' }, app?.id ?? '', 2);
    const made = await slipway.data.distributions.findPage(listed?.accessKey ?? '');
    expect(made).toMatchObject({ name: 'main', releaseNote: 'For you', buildId: latest?.id });
    expect((await slipway.leftBehind()).spool).toEqual([]);
  });

  it('return the API result to the script, and the first result for a repeated key', async () => {
    const headers = { ...script, 'Idempotency-Key': 'one-try' };
    const first = resultsOf(await submit({ distribution_name: 'beta' }, fileOf(), { headers }));
    expect(first).toMatchObject({ name: 'Tides', version_name: '2.0', distribution: { title: 'beta' } });
    const again = await leavesNothing(slipway, async () =>
      resultsOf(await submit({}, fileOf(), { headers })),
    );
    expect(again.revision).toBe(first.revision);
    const other = await leavesNothing(slipway, () => submit({}, fileOf(buildApk()), { headers }));
    expect(other.status).toBe(409);
  });

  it('offer the pages of an app, and accept only its package', async () => {
    const address = '/users/harbour/platforms/android/apps/com.example.tides/upload';
    await submit({ distribution_name: 'main' });
    const form = (await as('dora').get(address)).text;
    const key = /<option value="([0-9a-f]{40})">main</.exec(form)?.[1] ?? '';
    expect(key).not.toBe('');
    const result = resultsOf(
      await submit({ distribution_key: key, distribution_name: 'ignored' }, fileOf(), {
        headers: script,
        address,
      }),
    );
    expect(result.distribution).toMatchObject({ access_key: key, title: 'main' });
    await leavesNothing(slipway, async () => {
      const other = await submit(
        { distribution_key: key },
        fileOf(buildApk({ packageName: 'com.example.other' })),
        { address },
      );
      expect(other.status).toBe(400);
      expect(other.text).toContain(
        'The file is com.example.other, but the address is for com.example.tides.',
      );
      expect(formOf(other.text, 'upload').fields.distribution_key).toBe(key);
      const ipa = await submit({}, fileOf(buildIpa({ bundleIdentifier: 'com.example.tides' })), { address });
      expect(ipa.text).toContain('The file is an iOS package');
    });
  });

  it('show the form again with the reason and the input', async () => {
    const submitted = {
      message: 'Typed <b>& kept</b>',
      release_note: 'Kept too',
      distribution_name: 'kept-page',
      disable_notify: 'true',
    };
    const refusals: [string, number, () => Promise<Answer>, string][] = [
      [
        'no package',
        400,
        () => submit(submitted, fileOf(Buffer.from('hello'), 'a.apk')),
        'cannot detect the package',
      ],
      ['no file', 400, () => submit(submitted, fileOf(Buffer.alloc(0), '')), 'Choose a file first.'],
      [
        'too large',
        413,
        () => submit(submitted, fileOf(Buffer.alloc(maxUploadBytes + 5 * mebibyte))),
        'File too large. The limit is 2 MiB',
      ],
      [
        'a name that is too long',
        400,
        () => submit({ ...submitted, distribution_name: 'n'.repeat(256) }),
        'at most 255',
      ],
    ];
    for (const [name, status, work, reason] of refusals) {
      const answer = await leavesNothing(slipway, work);
      expect(answer.status, name).toBe(status);
      expect(answer.headers['content-security-policy'], name).toContain("default-src 'none'");
      expect(answer.text, name).toContain(reason);
      expect(answer.text, name).toContain('Typed &lt;b>&amp; kept&lt;/b>');
      const { fields } = formOf(answer.text, 'upload');
      expect(fields, name).toMatchObject({ release_note: 'Kept too', disable_notify: 'true' });
      if (!name.includes('name')) expect(fields.distribution_name).toBe('kept-page');
    }
  });

  it('say in the language of the visitor why a form or a package is refused', async () => {
    const csrf = await tokenOf('dora');
    const proven = (...parts: FormPart[]) => [{ name: 'csrf', value: csrf }, ...parts];
    const refused: [FormPart[], string][] = [
      [proven({ raw: 'Content-Disposition: form-data\r\n\r\nx' }), 'フォームのパートに名前がありません。'],
      [
        // The rest of a long body arrives in events outside of the request.
        proven(fileOf(Buffer.alloc(mebibyte)), ...fieldsOf({ label: 'a' }), ...fieldsOf({ label: 'b' })),
        'labelに異なる値が2回指定されています。',
      ],
      [
        proven(...Array.from({ length: 101 }, (_, index) => ({ name: `x${index}`, value: 'x' }))),
        'フォームのパートは100個までです。',
      ],
      [
        proven(fileOf(Buffer.from('%PDF-1.7'))),
        'パッケージを認識できません。APKでもIPAでもありません（PDF文書）。',
      ],
      [proven(), '先にファイルを選択してください。'],
    ];
    for (const [parts, sentence] of refused) {
      const shown = await post('dora', parts, { ...page, 'Accept-Language': 'ja' });
      expect(shown.status, sentence).toBe(400);
      expect(shown.text).toContain(sentence);
      const sent = await post('dora', parts, { ...script, 'Accept-Language': 'ja' });
      expect(json(sent)).toMatchObject({ error: true, message: sentence });
    }
    const { contentType, body } = multipart([fileOf(Buffer.from('%PDF-1.7'))]);
    const answer = await send(slipway.port, '/api/users/dora/apps', {
      method: 'POST',
      headers: { ...bearer(ownersKey), 'Content-Type': contentType, 'Accept-Language': 'ja' },
      body,
    });
    expect(json(answer)).toMatchObject({
      message:
        'application create error: this is a PDF document, not an APK or IPA: cannot detect the package.',
    });
  });

  it('return readable errors to the script', async () => {
    await leavesNothing(slipway, async () => {
      const none = await submit({}, fileOf(Buffer.from('hello')), { headers: script });
      expect(none.status).toBe(400);
      expect(json(none)).toMatchObject({ error: true, message: expect.stringMatching(/^[A-Z].*\.$/) });
      const large = await submit({}, fileOf(Buffer.alloc(maxUploadBytes + 5 * mebibyte)), {
        headers: script,
      });
      expect([large.status, json(large).message]).toEqual([413, expect.stringContaining('2 MiB')]);
      const long = { ...script, 'Idempotency-Key': 'k'.repeat(256) };
      expect((await submit({}, fileOf(), { headers: long })).status).toBe(400);
      const missing = await submit({ distribution_key: 'f'.repeat(40) }, fileOf(), { headers: script });
      expect([missing.status, json(missing).message]).toEqual([404, 'distribution page is not found']);
    });
  });

  it('accept no file before the form token of the session', async () => {
    const csrf = await tokenOf('dora');
    const proof = { name: 'csrf', value: csrf };
    const cases: [string, readonly FormPart[]][] = [
      ['without a token', [fileOf()]],
      ['with the token behind the file', [fileOf(), proof]],
      ['with the token behind a field', [{ name: 'message', value: 'm' }, proof, fileOf()]],
      ['with a wrong token', [{ name: 'csrf', value: 'x'.repeat(csrf.length) }, fileOf()]],
      ['with an empty token', [{ name: 'csrf', value: '' }, fileOf()]],
      ['with another session’s token', [{ name: 'csrf', value: await tokenOf('otto') }, fileOf()]],
      [
        'with the token as a file',
        [{ name: 'csrf', content: Buffer.from(csrf), fileName: 'csrf' }, fileOf()],
      ],
      ['with a wrong one first', [{ name: 'csrf', value: 'x' }, proof, fileOf()]],
    ];
    for (const [name, parts] of cases) {
      for (const headers of [page, script]) {
        const answer = await leavesNothing(slipway, () => post('dora', parts, headers));
        expect(answer.status, name).toBe(403);
        expect(answer.text, name).toMatch(/form has expired/i);
        expect(answer.text, name).not.toContain('enctype');
      }
    }
    resultsOf(await post('dora', [proof, fileOf()], script));
  });

  it('reject forms from another site', async () => {
    const parts = [{ name: 'csrf', value: await tokenOf('dora') }, fileOf()];
    const foreign: Record<string, string>[] = [
      { Origin: 'https://elsewhere.test' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ];
    for (const from of foreign) {
      for (const headers of [page, script]) {
        const answer = await leavesNothing(slipway, () => post('dora', parts, { ...headers, ...from }));
        expect(answer.status).toBe(403);
        expect(answer.text).toContain('was sent from another site');
      }
    }
  });

  it('write nothing to disk without the token, and reject the request when the file begins', async () => {
    const connection = await openRaw(slipway.port);
    const boundary = 'slipway-test-boundary';
    const head = {
      ...script,
      Cookie: as('dora').cookie,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': 1_500_000,
    };
    const begun = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.apk"\r\n\r\n`;
    await leavesNothing(slipway, async () => {
      await connection.write(rawRequest('POST', place, head, begun + 'x'.repeat(300_000)));
      expect((await connection.answer()).status).toBe(403);
      expect((await slipway.leftBehind()).spool).toEqual([]);
    });
    connection.destroy();
  });

  it('leave no data behind when canceled', async () => {
    const csrf = await tokenOf('dora');
    const filler = buildApk({ fillerBytes: 600_000 });
    const { contentType, body } = multipart([{ name: 'csrf', value: csrf }, fileOf(filler)]);
    const head = {
      ...script,
      Cookie: as('dora').cookie,
      'Content-Type': contentType,
      'Content-Length': body.length,
    };
    const before = await slipway.leftBehind();
    const connection = await openRaw(slipway.port);
    await connection.write(rawRequest('POST', place, head, body.subarray(0, body.length - 1000)));
    await expect.poll(async () => (await slipway.leftBehind()).spool.length, patient).toBe(1);
    connection.destroy();
    await expect.poll(() => slipway.leftBehind(), patient).toEqual(before);
  });

  it('have no address for another kind of owner or platform, and read only forms', async () => {
    const appAddress = '/users/harbour/platforms/android/apps/com.example.tides/upload';
    for (const address of [
      '/organizations/dora/upload',
      '/users/nobody-here/upload',
      appAddress.replace('android', 'ios'),
      appAddress.replace('android', 'beos'),
    ]) {
      expect((await as('dora').get(address)).status, address).toBe(404);
      const parts = [{ name: 'csrf', value: await tokenOf('dora') }, fileOf()];
      expect((await post('dora', parts, page, address)).status, address).toBe(404);
    }
    expect((await as('dora').get('/users/harbour/upload')).status).toBe(200);
    expect((await post('dora', [fileOf()], { ...page, 'Content-Type': 'text/plain' })).status).toBe(400);
  });

  it('offer every owner, or redirect to the only one', async () => {
    expect((await as('sam').get('/upload')).headers.location).toBe('/users/sam/upload');
    expect((await as('tess').get('/upload')).headers.location).toBe('/users/tess/upload');
    const places = await as('dora').get('/upload');
    expect(places.status).toBe(200);
    for (const address of ['/users/dora/upload', place]) expect(places.text).toContain(`href="${address}"`);
  });

  it('are linked only for people who can upload', async () => {
    const appPage = '/users/harbour/apps/com.example.tides';
    const links = async (name: string, address: string) => [
      ...new Set(
        [
          ...(await as(name).get(address)).text
            .replace(/^[\s\S]*<main/, '')
            .matchAll(/href="([^"]*\/upload)"/g),
        ].map(([, link]) => link),
      ),
    ];
    expect(await links('dora', '/')).toEqual(['/upload']);
    expect(await links('dora', '/organizations/harbour')).toEqual([place]);
    expect(await links('dora', appPage)).toEqual([
      '/users/harbour/platforms/android/apps/com.example.tides/upload',
    ]);
    expect(await links('dora', '/users/dora')).toEqual(['/users/dora/upload']);
    expect(await links('tess', '/organizations/harbour')).toEqual([]);
    expect(await links('tess', appPage)).toEqual([]);
    const byKey = await send(slipway.port, '/organizations/harbour', {
      headers: { ...page, ...bearer(ownersKey) },
    });
    expect(byKey.text).not.toContain('/upload"');
  });

  it('check the storage quota first', async () => {
    const ask = (bytes: number | string) => as('dora').get(`${place}?bytes=${bytes}`, { headers: script });
    const good = await ask(1000);
    expect(json(good)).toEqual({ error: false, csrf: expect.stringMatching(/^[\w-]{86}$/) });
    expect(json(good).csrf).not.toBe(json(await ask(1000)).csrf);
    expect(good.headers['cache-control']).toBe('private, no-store');
    expect((await ask('many')).status).toBe(200);
    const owner = await slipway.data.owners.findOwner('harbour');
    const { bytes } = await slipway.data.quotas.usageOf(owner?.id ?? '');
    const limit = (maxStorageBytes: number | null) =>
      slipway.data.quotas.set(owner?.id ?? '', { maxStorageBytes, maxBuilds: null, maxProjects: null });
    await limit(bytes + 1000);
    await leavesNothing(slipway, async () => {
      const full = await ask(1001);
      expect([full.status, json(full).message]).toEqual([
        403,
        expect.stringContaining('Storage limit reached'),
      ]);
      expect((await ask(1000)).status).toBe(200);
      const cut = await submit({ message: 'Kept' }, fileOf(buildApk({ fillerBytes: 5000 })), {
        headers: script,
      });
      expect(cut.status).toBe(403);
      const form = await submit({ message: 'Kept' }, fileOf(buildApk({ fillerBytes: 5000 })));
      expect(form.status).toBe(403);
      expect(form.text).toContain('Storage limit reached');
    });
    await limit(null);
  });

  it('keep the form input when the disk is full', async () => {
    const full = await startTestService({ limits: { minimumFreeBytes: Number.MAX_SAFE_INTEGER } });
    const session = await signIn(full, 'admin');
    const { action, fields } = formOf((await session.get('/users/admin/upload')).text, 'upload');
    const { contentType, body } = multipart([
      { name: 'csrf', value: fields.csrf ?? '' },
      fileOf(),
      { name: 'message', value: 'Kept behind the file' },
    ]);
    const headers = { ...page, Cookie: session.cookie, 'Content-Type': contentType };
    await leavesNothing(full, async () => {
      const answer = await send(full.port, action, { method: 'POST', headers, body });
      expect(answer.status).toBe(507);
      expect(answer.text).toContain('Kept behind the file');
      const asked = await session.get(action, { headers: script });
      expect(asked.status).toBe(507);
    });
    await full.close();
  });

  describe('in parts', patient, () => {
    const packageName = 'com.example.parts';
    const whole = buildApk({ packageName, label: 'Parts', versionName: '1.0', fillerBytes: 100_000 });
    const half = (whole.length / 2) | 0;
    let keys = 0;
    /** What a browser does: every upload has a key, which continues and cancels it. */
    const open = async (
      name = 'dora',
      { address = place, content = whole, key = `parts-${++keys}`, server = slipway } = {},
    ) => {
      const csrf = await tokenOf(name);
      const post = (path: string, headers: Record<string, string>, body: string | Buffer) =>
        send(server.port, `${address}/resumable${path}`, {
          method: 'POST',
          headers: { ...script, Cookie: as(name).cookie, ...headers },
          body,
        });
      const formed = (path: string, fields: Record<string, string>) => {
        const form = new URLSearchParams({ csrf, idempotency_key: key, ...fields });
        return post(path, { 'Content-Type': 'application/x-www-form-urlencoded' }, form.toString());
      };
      return {
        key,
        begin: (fields: Record<string, string> = {}) =>
          formed('', { filename: 'app.apk', bytes: String(content.length), ...fields }),
        write: (id: string, offset: number, body: Buffer, token = csrf) => {
          const headers = { 'Upload-Offset': String(offset), 'Form-Token': token };
          return post(`/${id}`, { 'Content-Type': 'application/offset+octet-stream', ...headers }, body);
        },
        cancel: () => formed('/cancel', {}),
      };
    };
    const stateOf = (answer: Answer) => {
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      return json<{ id: string; offset: number; results: unknown }>(answer);
    };
    const messageIn = (answer: Answer) => [answer.status, json<{ message: string }>(answer).message];

    it('continue where the server stopped receiving, with the latest fields, and make one build', async () => {
      const { key, begin, write } = await open();
      const { id, offset } = stateOf(await begin({ message: 'First', distribution_name: 'parts' }));
      expect(offset).toBe(0);
      expect(stateOf(await write(id, 0, whole.subarray(0, half)))).toMatchObject({
        offset: half,
        results: null,
      });
      expect((await write(id, 0, whole.subarray(0, half))).status).toBe(409);
      const asked = await as('dora').get(place, { headers: { ...script, 'Idempotency-Key': key } });
      expect(json<{ fields: object }>(asked).fields).toMatchObject({ message: 'First' });
      const other = await as('otto').get(place, { headers: { ...script, 'Idempotency-Key': key } });
      expect(json(other)).not.toHaveProperty('fields');
      const again = stateOf(await begin({ message: 'Line one\r\nand two' }));
      expect(again).toMatchObject({ id, offset: half, results: null });
      const last = stateOf(await write(id, half, whole.subarray(half)));
      expect(last.results).toMatchObject({ name: 'Parts', revision: 1, message: 'Line one\nand two' });
      const repeated = await leavesNothing(slipway, async () => [
        stateOf(await begin()),
        stateOf(await write(id, whole.length, Buffer.alloc(0))),
      ]);
      for (const { results } of repeated) expect(results).toEqual(last.results);
      expect(last.results).not.toHaveProperty('distribution.title');
    });

    it('are answered with the build that the form made before its answer was lost', async () => {
      const { key, begin, write } = await open();
      const first = resultsOf(
        await submit({}, fileOf(whole), { headers: { ...script, 'Idempotency-Key': key } }),
      );
      const { id } = stateOf(await begin());
      const again = await leavesNothing(slipway, async () => stateOf(await write(id, 0, whole)));
      expect(again.results).toMatchObject({ revision: first.revision });
    });

    it('are not made again when the build was deleted in the meantime', async () => {
      const { begin, write } = await open();
      const { id } = stateOf(await begin());
      const { results } = stateOf(await write(id, 0, whole));
      const revision = (results as { revision: number }).revision;
      const path = `/api/v1/apps/harbour/android/${packageName}/builds/${revision}`;
      expect((await send(slipway.port, path, { method: 'DELETE', headers: bearer(ownersKey) })).status).toBe(
        204,
      );
      expect(messageIn(await begin())).toEqual([409, 'The build of this upload was deleted.']);
    });

    it('belong to the person who began them, on a page where they can upload', async () => {
      const { key, begin, write } = await open();
      const { id } = stateOf(await begin());
      expect((await write(id, 0, whole, 'made up')).status).toBe(403);
      const others = await open('otto', { key });
      expect((await others.write(id, 0, whole)).status).toBe(404);
      const fresh = stateOf(await others.begin());
      expect(fresh.id).not.toBe(id);
      expect((await others.cancel()).status).toBe(303);
      expect(stateOf(await begin())).toMatchObject({ id, offset: 0 });
      const elsewhere = await open('dora', { key, address: '/users/dora/upload' });
      expect((await elsewhere.write(id, 0, whole)).status).toBe(404);
      for (const name of ['sam', 'tess']) expect((await (await open(name)).begin()).status).toBe(404);
    });

    it('are removed when they are canceled', async () => {
      const { begin, write, cancel } = await open();
      await leavesNothing(slipway, async () => {
        const { id } = stateOf(await begin());
        await write(id, 0, whole.subarray(0, half));
        expect((await cancel()).status).toBe(303);
        expect((await write(id, half, whole.subarray(half))).status).toBe(404);
      });
      expect(stateOf(await begin()).offset).toBe(0);
      expect([(await cancel()).status, (await cancel()).status]).toEqual([303, 303]);
    });

    it('are refused as by the form, say so again, and keep nothing', async () => {
      const broken = Buffer.from('no package');
      const { begin, write } = await open('dora', { content: broken });
      const byForm = messageIn(await submit({}, fileOf(broken), { headers: script }));
      await leavesNothing(slipway, async () => {
        const { id } = stateOf(await begin());
        expect(messageIn(await write(id, 0, broken))).toEqual(byForm);
        expect(messageIn(await begin())).toEqual(byForm);
      });
      const address = '/users/harbour/platforms/android/apps/com.example.tides/upload';
      const ofApp = await open('dora', { address });
      const { id } = stateOf(await ofApp.begin());
      const otherApp = messageIn(await submit({}, fileOf(whole), { headers: script, address }));
      expect(messageIn(await ofApp.write(id, 0, whole))).toEqual(otherApp);
      const large = await open('dora', { content: Buffer.alloc(maxUploadBytes + 1) });
      const tooLarge = 'File too large. The limit is 2 MiB (SLIPWAY_MAX_UPLOAD).';
      expect(messageIn(await large.begin())).toEqual([413, tooLarge]);
      const unknown = { distribution_key: 'f'.repeat(40) };
      const pageByForm = messageIn(await submit(unknown, fileOf(whole), { headers: script }));
      expect(messageIn(await (await open()).begin(unknown))).toEqual(pageByForm);
    });

    it('continue after a restart of the server', async () => {
      const first = await startTestService();
      people.set('admin of another server', await signIn(first, 'admin'));
      const settings = { address: '/users/admin/upload', server: first };
      const { begin, write } = await open('admin of another server', settings);
      const { id } = stateOf(await begin());
      await write(id, 0, whole.subarray(0, half));
      await first.service.close();
      const config = { ...first.config, port: first.port };
      const restarted = await createService(config, { logger: pino({ level: 'silent' }) });
      await restarted.listen();
      expect(stateOf(await begin()).offset).toBe(half);
      expect(stateOf(await write(id, half, whole.subarray(half))).results).toMatchObject({ revision: 1 });
      await restarted.close();
      await first.close();
    });

    it('begin again when they have expired, and reserve their size in the quota until then', async () => {
      const { begin, write } = await open();
      const { id } = stateOf(await begin());
      await write(id, 0, whole.subarray(0, half));
      const { id: ownerId = '' } = (await slipway.data.owners.findOwner('harbour')) ?? {};
      const { bytes } = await slipway.data.quotas.usageOf(ownerId);
      const limit = (maxStorageBytes: number | null) =>
        slipway.data.quotas.set(ownerId, { maxStorageBytes, maxBuilds: null, maxProjects: null });
      await limit(bytes + half);
      const full = 'Storage limit reached. Delete builds, or ask an administrator for more storage.';
      expect(messageIn(await (await open()).begin())).toEqual([403, full]);
      expect(stateOf(await begin()).offset).toBe(half);
      await limit(null);
      clock.offsetMs += 24 * 60 * 60_000;
      expect((await write(id, half, whole.subarray(half))).status).toBe(404);
      const again = stateOf(await begin());
      expect([again.id === id, again.offset]).toEqual([false, 0]);
    });

    it('tell who is signed out or may no longer upload, and continue when that has changed', async () => {
      await slipway.user('lena');
      await slipway.project('quay', { members: { lena: 'developer' } });
      people.set('lena', await signIn(slipway, 'lena'));
      const address = '/organizations/quay/upload';
      const { key, begin, write } = await open('lena', { address });
      const { id } = stateOf(await begin());
      await write(id, 0, whole.subarray(0, half));
      await postForm(slipway, '/sign-out', { csrf: await tokenOf('lena') }, { Cookie: as('lena').cookie });
      expect([(await write(id, half, whole.subarray(half))).status, (await begin()).status]).toEqual([
        401, 401,
      ]);
      people.set('lena', await signIn(slipway, 'lena'));
      const signedIn = await open('lena', { address, key });
      expect(stateOf(await signedIn.begin())).toMatchObject({ id, offset: half });
      const leave = { projectName: 'quay', team: 'developer', userName: 'lena', by: 'command-line' } as const;
      await slipway.owners.removeFromTeam(leave);
      expect((await signedIn.write(id, half, whole.subarray(half))).status).toBe(404);
      expect((await signedIn.begin()).status).toBe(404);
      await slipway.join('quay', 'developer', 'lena');
      expect(stateOf(await signedIn.write(id, half, whole.subarray(half))).results).toMatchObject({
        revision: 1,
      });
    });
  });
});
