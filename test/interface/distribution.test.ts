/** The distribution page that an upload updates or creates, and how the result describes it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { get, leavesNothing, refusalOf, upload, uploaded } from '../support/interface-client.ts';
import { crossedStores } from '../support/stores.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const apkOf = (packageName: string) => buildApk({ packageName });

describe.each(crossedStores)('distribution pages on $dialect with blobs on $blobs', (options) => {
  let slipway: TestService;
  let mina: string;
  beforeAll(async () => {
    slipway = await startTestService(options);
    mina = await slipway.user('mina');
  });
  afterAll(() => slipway.close());

  const pageOf = async (fields: Record<string, string>, packageName = 'com.example.page') => {
    const { distribution } = await uploaded(slipway, { file: apkOf(packageName), fields });
    if (!distribution) throw new Error('the result has no distribution');
    return distribution;
  };

  it('are created under a new name, as the result states', async () => {
    const results = await uploaded(slipway, {
      file: apkOf('com.example.first'),
      fields: { distribution_name: 'feature/größer & <b>', message: 'm', release_note: 'new: 株' },
    });
    expect(results.distribution).toEqual({
      access_key: expect.stringMatching(/^[0-9a-f]{40}$/),
      url: `${slipway.origin}/distributions/${results.distribution?.access_key}`,
      qr_url: expect.stringContaining(`/qr?data=${encodeURIComponent(results.distribution?.url ?? '')}`),
      title: 'feature/größer & <b>',
      release_note: 'new: 株',
    });
    const page = await get(slipway, results.distribution?.url ?? '');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('new: 株');
    expect(page.text).not.toContain('<b>');
  });

  it('are updated by name, case-sensitively and per app', async () => {
    const first = await pageOf({ distribution_name: 'main' });
    const before = await slipway.leftBehind();
    const again = await pageOf({ distribution_name: 'main', message: 'second' });
    const admin = await slipway.data.owners.findOwner('admin');
    const made = (await slipway.data.audit.list(admin?.id ?? '', 99)).filter(
      ({ action, subject }) =>
        action === 'page.created' && subject === 'com.example.page (android) page main',
    );
    expect(made).toHaveLength(1);
    expect(again).toEqual({ ...first, release_note: 'second' });
    expect((await slipway.leftBehind()).pages).toBe(before.pages);
    for (const name of ['Main', 'm ain', 'm\u0061\u0301in']) {
      expect((await pageOf({ distribution_name: name })).access_key).not.toBe(first.access_key);
    }
    expect((await pageOf({ distribution_name: 'main' }, 'com.example.page2')).access_key).not.toBe(
      first.access_key,
    );
    const ios = await uploaded(slipway, {
      file: buildIpa({ bundleIdentifier: 'com.example.page' }),
      fields: { distribution_name: 'main' },
    });
    expect(ios.distribution?.access_key).not.toBe(first.access_key);
    const minas = await uploaded(slipway, {
      owner: 'mina',
      key: mina,
      file: apkOf('com.example.page'),
      fields: { distribution_name: 'main' },
    });
    expect(minas.distribution?.access_key).not.toBe(first.access_key);
  });

  it('are found by name regardless of surrounding spaces and accent encoding', async () => {
    const first = await pageOf({ distribution_name: ' feature/gro\u0308\u00dfer\t' });
    expect(first.title).toBe('feature/gr\u00f6\u00dfer');
    const before = await slipway.leftBehind();
    for (const name of [
      'feature/gr\u00f6\u00dfer',
      'feature/gro\u0308\u00dfer  ',
      '\u00a0feature/gr\u00f6\u00dfer',
    ]) {
      expect((await pageOf({ distribution_name: name })).access_key).toBe(first.access_key);
    }
    expect((await slipway.leftBehind()).pages).toBe(before.pages);
    const blank = { file: apkOf('com.example.page'), fields: { distribution_name: '  \t' } };
    expect(await uploaded(slipway, blank)).not.toHaveProperty('distribution');
    const long = `${' '.repeat(10)}${'o\u0308'.repeat(255)}${' '.repeat(10)}`;
    expect((await pageOf({ distribution_name: long })).title).toBe('\u00f6'.repeat(255));
  });

  it('are updated by their key, which takes precedence over the name', async () => {
    const one = await pageOf({ distribution_name: 'one' });
    const two = await pageOf({ distribution_name: 'two' });
    const updated = await pageOf({ distribution_key: one.access_key, message: 'by key' });
    expect(updated).toEqual({ ...one, release_note: 'by key' });
    const before = await slipway.leftBehind();
    const beaten = await pageOf({ distribution_name: 'two', distribution_key: one.access_key });
    expect(beaten.access_key).toBe(one.access_key);
    expect(beaten.access_key).not.toBe(two.access_key);
    const third = await pageOf({ distribution_key: one.access_key, distribution_name: 'of no page yet' });
    expect(third.access_key).toBe(one.access_key);
    expect((await slipway.leftBehind()).pages).toBe(before.pages);
  });

  it.each([
    ['unknown', 'f'.repeat(40)],
    ['no key at all', 'main'],
    ['an address', 'http://127.0.0.1/distributions/x'],
    ['hostile', "' or 1=1 --"],
  ])(
    'return 404 for a key that is %s, and store nothing, even with the name of a page',
    async (_name, key) => {
      await pageOf({ distribution_name: 'main' });
      for (const name of ['', 'main', 'never made']) {
        const fields = { distribution_key: key, distribution_name: name };
        const work = () => upload(slipway, { file: apkOf('com.example.page'), fields });
        expect(refusalOf(await leavesNothing(slipway, work), 404).message).toBe(
          'distribution page is not found',
        );
      }
    },
  );

  it('return the same 404 for a page of another owner, whatever the app', async () => {
    const { access_key } = await pageOf({ distribution_name: 'of the administrator' });
    for (const packageName of ['com.example.page', 'com.example.else']) {
      const fields = { distribution_key: access_key };
      const work = () => upload(slipway, { owner: 'mina', key: mina, file: apkOf(packageName), fields });
      expect(refusalOf(await leavesNothing(slipway, work), 404).message).toBe(
        'distribution page is not found',
      );
    }
  });

  it('refuse a page of another app or platform of the same owner with 400', async () => {
    const { access_key } = await pageOf({ distribution_name: 'main' });
    for (const file of [apkOf('com.example.another'), buildIpa({ bundleIdentifier: 'com.example.page' })]) {
      const fields = { distribution_key: access_key };
      const refusal = refusalOf(await leavesNothing(slipway, () => upload(slipway, { file, fields })), 400);
      expect(refusal.message).toContain('com.example.page');
    }
  });

  it('do not change after a refused package', async () => {
    const page = await pageOf({ distribution_name: 'steady', message: 'good' });
    // Links are signed again at each visit.
    const html = async () => (await get(slipway, page.url)).text.replace(/ticket=[\w.-]+/g, 'ticket=');
    const before = await html();
    const fields = { distribution_key: page.access_key, release_note: 'never shown' };
    await leavesNothing(slipway, () => upload(slipway, { file: Buffer.from('no package'), fields }));
    expect(await html()).toBe(before);
  });

  it('use the message as the release note if there is none or it is empty', async () => {
    expect((await pageOf({ distribution_name: 'notes', message: 'the message' })).release_note).toBe(
      'the message',
    );
    expect(
      (await pageOf({ distribution_name: 'notes', message: 'the message', release_note: '' })).release_note,
    ).toBe('the message');
    expect((await pageOf({ distribution_name: 'notes', message: 'm', release_note: 'r' })).release_note).toBe(
      'r',
    );
    expect((await pageOf({ distribution_name: 'notes' })).release_note).toBe('');
  });

  it('are absent from the result if no page was named', async () => {
    const fields = { distribution_key: '', distribution_name: '', release_note: 'for nobody' };
    expect(await uploaded(slipway, { fields })).not.toHaveProperty('distribution');
  });

  it('keep pages with old names unchanged when another is updated', async () => {
    const old = await pageOf({ distribution_name: 'old', message: 'stays' }, 'com.example.keep');
    await pageOf({ distribution_name: 'new', message: 'goes on' }, 'com.example.keep');
    expect((await get(slipway, old.url)).text).toContain('stays');
  });

  it('are created once for 20 concurrent first uploads to one name', async () => {
    const file = apkOf('com.example.parallel');
    const before = await slipway.leftBehind();
    const results = await Promise.all(
      Array.from({ length: 20 }, () => uploaded(slipway, { file, fields: { distribution_name: 'branch' } })),
    );
    expect(new Set(results.map(({ distribution }) => distribution?.access_key)).size).toBe(1);
    expect((await slipway.leftBehind()).pages).toBe(before.pages + 1);
    const revisions = results.map(({ revision }) => revision).sort((one, other) => one - other);
    expect(revisions).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });
});
