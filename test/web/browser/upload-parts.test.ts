/** The logic and texts of the upload page's script, without a page. */
import { describe, expect, it } from 'vitest';
import { packageExtensions } from '../../../src/packages/package-extensions.ts';
import { scriptTexts } from '../../../src/uploads/upload-texts.ts';
import { createAnnouncer } from '../../../src/web/browser/upload/announcer.ts';
import { chooseAddress } from '../../../src/web/browser/upload/open-on-drop.ts';
import { createProgressText } from '../../../src/web/browser/upload/progress-text.ts';
import { kindOf, problemOf } from '../../../src/web/browser/upload/selected-file.ts';
import {
  createIdempotencyKey,
  passesByItself,
  refusalReason,
} from '../../../src/web/browser/upload/transfer.ts';
import { createTransferMeter } from '../../../src/web/browser/upload/transfer-meter.ts';
import { createUploadQueue } from '../../../src/web/browser/upload/upload-queue.ts';
import { type UploadState, viewState } from '../../../src/web/browser/upload/upload-state.ts';
import { fillIn, readUploadTexts } from '../../../src/web/browser/upload/upload-texts.ts';
import { readUploadedBuild } from '../../../src/web/browser/upload/uploaded-build.ts';

const texts = readUploadTexts(JSON.stringify(scriptTexts()));
const mebibyte = 1024 * 1024;

describe('texts of the upload page', () => {
  it('are all required from the server', () => {
    const { reading: _, ...incomplete } = scriptTexts();
    expect(() => readUploadTexts(JSON.stringify(incomplete))).toThrow('messages');
    expect(() => readUploadTexts('null')).toThrow('messages');
  });

  it('have their placeholders replaced, even with values that look like placeholders or patterns', () => {
    expect(fillIn('{name}: {percent} {name}', { name: '$& {percent}', percent: 5 })).toBe(
      '$& {percent}: 5 $& {percent}',
    );
    expect(fillIn('{other}', { name: 'x' })).toBe('{other}');
  });
});

describe('a selected file', () => {
  const endings = [...packageExtensions.android, ...packageExtensions.ios];
  const rules = { endings, maxBytes: 10, limit: '10 B' };
  const fault = (name: string, size: number, folder = false) =>
    problemOf({ file: new File([new Uint8Array(size)], name), folder }, rules, texts);

  it.each([
    ['Tides.apk', 10, null],
    ['TIDES.IPA', 1, null],
    ['tides.apk', 11, 'File too large. The limit is 10 B (SLIPWAY_MAX_UPLOAD).'],
    ['tides.apk', 0, texts.empty],
    ['tides.AAB', 5, null],
    ['tides.apks', 5, null],
    ['tides.apk.zip', 5, 'Not a package. The file name must end with .apk, .aab, .apks, .ipa.'],
    ['apk', 5, 'Not a package. The file name must end with .apk, .aab, .apks, .ipa.'],
  ])('named %s with %i bytes is checked: %s', (name, size, expected) => {
    expect(fault(name, size)).toBe(expected);
  });

  it('is rejected when it is a folder, whatever its name', () => {
    expect(fault('tides.apk', 5, true)).toBe(texts.folder);
  });

  it('has the type of its last extension', () => {
    expect(['a.b.IPA', '.apk', 'a.', 'a'].map(kindOf)).toEqual(['ipa', 'apk', '', '']);
  });

  it('is uploaded to the app that accepts its type, or else to the owner', () => {
    const addresses = { owner: '/owner', apk: '/android' };
    expect(chooseAddress(['a.apk', 'B.APK'], addresses)).toBe('/android');
    expect(chooseAddress(['a.apk', 'b.ipa'], addresses)).toBe('/owner');
    expect(chooseAddress(['b.ipa'], addresses)).toBe('/owner');
    expect(chooseAddress(['b.ipa'], { ...addresses, ipa: '/ios' })).toBe('/ios');
    expect(chooseAddress(['a.constructor'], addresses)).toBe('/owner');
    expect(chooseAddress([], addresses)).toBe('/owner');
  });
});

describe('the queue of uploads', () => {
  function openQueue() {
    const started: string[] = [];
    const finishers = new Map<string, { resolve(): void; reject(error: Error): void }>();
    const queue = createUploadQueue((item: string) => {
      started.push(item);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      finishers.set(item, { resolve, reject });
      return promise;
    });
    const settle = async (item: string, error?: Error) => {
      if (error) finishers.get(item)?.reject(error);
      else finishers.get(item)?.resolve();
      await new Promise((done) => setTimeout(done));
    };
    return { queue, started, settle };
  }

  it('uploads one file at a time, in order', async () => {
    const { queue, started, settle } = openQueue();
    expect(queue.busy()).toBe(false);
    for (const item of ['a', 'b', 'c']) queue.add(item);
    expect(started).toEqual(['a']);
    expect(queue.busy()).toBe(true);
    await settle('a');
    expect(started).toEqual(['a', 'b']);
    await settle('b');
    await settle('c');
    expect(started).toEqual(['a', 'b', 'c']);
    expect(queue.busy()).toBe(false);
  });

  it('continues after a failed upload and restarts after the queue was empty', async () => {
    const { queue, started, settle } = openQueue();
    queue.add('a');
    queue.add('b');
    await settle('a', new Error('failed'));
    await settle('b');
    queue.add('a');
    expect(started).toEqual(['a', 'b', 'a']);
  });

  it('removes a waiting upload, but not one in progress', async () => {
    const { queue, started, settle } = openQueue();
    for (const item of ['a', 'b', 'c']) queue.add(item);
    expect(queue.withdraw('a')).toBe(false);
    expect(queue.withdraw('b')).toBe(true);
    expect(queue.withdraw('b')).toBe(false);
    await settle('a');
    expect(started).toEqual(['a', 'c']);
  });
});

describe('the states of an upload', () => {
  const file = { name: 'tides.apk', size: 1536 };
  const build = {
    name: 'Tidewatch',
    version: '2.4 (7)',
    revision: 3,
    fileSize: 1536,
    iconAddress: '/icon',
    revisionAddress: '/3',
    pageAddress: null,
    pageName: null,
  };
  const rows: [UploadState, string, string[], string | null][] = [
    [{ name: 'ready' }, 'Ready. 1.5 KiB', ['remove'], null],
    [{ name: 'waiting' }, texts.waiting, ['cancel'], null],
    [{ name: 'sending' }, '', ['progress', 'cancel'], null],
    [
      { name: 'interrupted', reason: texts.interrupted },
      'Connection lost. Continues when it is back.',
      ['progress', 'cancel'],
      'tides.apk: Connection lost. Continues when it is back.',
    ],
    [{ name: 'reading' }, texts.reading, ['progress'], texts.reading],
    [{ name: 'stopped', reason: 'Why.', retryable: true }, 'Why.', ['retry', 'remove'], 'tides.apk: Why.'],
    [{ name: 'stopped', reason: 'Why.', retryable: false }, 'Why.', ['remove'], 'tides.apk: Why.'],
    [{ name: 'done', build }, '2.4 (7) · Revision 3 · 1.5 KiB', [], 'Tidewatch uploaded, revision 3.'],
  ];
  it.each(rows)('include %o', (state, text, shown, announced) => {
    expect(viewState(state, file, texts)).toEqual({ text, shown, announced });
  });
});

describe('the progress of a transfer', () => {
  it('has no speed until enough data is measured', () => {
    const meter = createTransferMeter(10 * mebibyte);
    expect(meter(0, 0)).toBeNull();
    expect(meter(0.1 * mebibyte, 100)).toBeNull();
    expect(meter(mebibyte, 1000)).not.toBeNull();
  });

  it('measures a steady transfer exactly, however often it is asked', () => {
    for (const stepMs of [100, 500, 1000]) {
      const meter = createTransferMeter(10 * mebibyte);
      for (let now = 0; now < 4000; now += stepMs) meter((now / 1000) * mebibyte, now);
      const speed = meter(4 * mebibyte, 4000);
      expect(speed?.rate).toBeCloseTo(mebibyte, 0);
      expect(speed?.secondsLeft).toBeCloseTo(6, 3);
    }
  });

  it('halves the weight of an earlier speed every two seconds', () => {
    const meter = createTransferMeter(1e9);
    for (let second = 0; second <= 60; second++) meter(second * 1000, second * 1000);
    expect(meter(60_000 + 2 * 3000, 62_000)?.rate).toBeCloseTo(2000, 0);
  });

  it('reports no speed for a transfer that stalls from the start', () => {
    const meter = createTransferMeter(1000);
    expect([0, 1000, 5000].map((now) => meter(0, now))).toEqual([null, null, null]);
  });

  const describeProgress = createProgressText('en', texts);
  const shownFor = (secondsLeft: number) => {
    const speed = { rate: mebibyte, secondsLeft };
    return describeProgress({ fileName: 'a.apk', sent: mebibyte, size: 4 * mebibyte, speed }).shown;
  };

  it('is shown as bytes, speed and remaining time', () => {
    expect(shownFor(3)).toBe('1 MiB of 4 MiB · 1 MiB/s · 3 seconds left');
    const unmeasured = { fileName: 'a.apk', sent: 0, size: 4 * mebibyte, speed: null };
    expect(describeProgress(unmeasured).shown).toBe('0 B of 4 MiB');
  });

  it.each([
    [0.9, 'almost done'],
    [1.2, '1 second left'],
    [89.4, '89 seconds left'],
    [90, '2 minutes left'],
    [5399, '90 minutes left'],
    [5400, '2 hours left'],
  ])('shows %d seconds as %s', (seconds, expected) => {
    expect(shownFor(seconds)).toContain(` · ${expected}`);
  });

  it('is announced with the file, the percentage and the remaining time', () => {
    const progress = { fileName: 'a.apk', sent: mebibyte, size: 4 * mebibyte };
    const speed = { rate: mebibyte, secondsLeft: 3 };
    expect(describeProgress({ ...progress, speed }).announced).toBe('a.apk: 25% uploaded. 3 seconds left');
    expect(describeProgress({ ...progress, speed: null }).announced).toBe('a.apk: 25% uploaded. ');
  });

  it('is announced at most every eight seconds, counted from the last announcement', () => {
    let now = 10_000;
    const status = { textContent: '' };
    const announcer = createAnnouncer(status, () => now);
    const at = (time: number, act: () => void) => {
      now = time;
      act();
      return status.textContent;
    };
    expect(at(10_000, () => announcer.announceIfQuiet('10%'))).toBe('10%');
    expect(at(18_000, () => announcer.announceIfQuiet('20%'))).toBe('10%');
    expect(at(18_001, () => announcer.announceIfQuiet('30%'))).toBe('30%');
    expect(at(18_002, () => announcer.say('done'))).toBe('done');
    expect(at(26_002, () => announcer.announceIfQuiet('40%'))).toBe('done');
  });
});

describe('the response to an upload', () => {
  const results = {
    name: 'Tidewatch',
    version_code: '7',
    version_name: '2.4',
    revision: 3,
    file_size: 10,
    icon: 'https://slipway.example/icon',
    revision_url: 'https://slipway.example/3',
  };

  it('is read with and without a version name and a page', () => {
    expect(readUploadedBuild({ results })).toEqual({
      name: 'Tidewatch',
      version: '2.4 (7)',
      revision: 3,
      fileSize: 10,
      pageAddress: null,
      pageName: null,
      iconAddress: results.icon,
      revisionAddress: results.revision_url,
    });
    const published = {
      ...results,
      version_name: null,
      distribution: { url: 'https://slipway.example/d', title: 'Beta' },
    };
    expect(readUploadedBuild({ results: published })).toMatchObject({
      version: '7',
      pageAddress: 'https://slipway.example/d',
      pageName: 'Beta',
    });
  });

  it.each(['name', 'version_code', 'revision', 'file_size', 'icon', 'revision_url'])(
    'is refused without %s',
    (field) => {
      expect(readUploadedBuild({ results: { ...results, [field]: undefined } })).toBeNull();
    },
  );

  it('is refused when it is not an object', () => {
    expect([null, 'text', {}, { results: null }].map(readUploadedBuild)).toEqual([null, null, null, null]);
  });

  it.each([
    [401, { message: 'No session.' }, texts.signedOut],
    [403, { message: 'Not yours.' }, 'Not yours.'],
    [404, { message: 'Not found.' }, 'You can no longer upload here.'],
    [507, { message: 'Disk full.' }, 'Disk full.'],
    [500, { message: 'Error: at line 5' }, texts.failed],
    [413, null, texts.failed],
    [400, { message: 5 }, texts.failed],
    [200, { results: 1 }, texts.failed],
  ])('shows for status %i with %o: %s', (status, body, expected) => {
    expect(refusalReason(status, body, texts)).toBe(expected);
  });

  it.each([
    [400, false],
    [404, false],
    [413, false],
    [401, true],
    [409, true],
    [429, true],
    [503, true],
    [507, true],
  ])('is worth another try after %i: %s', (status, expected) => {
    expect(passesByItself(status)).toBe(expected);
  });

  it('is requested with an idempotency key of 128 random bits', () => {
    const keys = Array.from({ length: 20 }, createIdempotencyKey);
    expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key))).toBe(true);
    expect(new Set(keys).size).toBe(20);
  });
});
