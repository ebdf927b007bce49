/** The icons of every real package of the shared set. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { maxIconSidePixels } from '../../../src/packages/icon/draw-icon.ts';
import { drawIconOfFile } from '../../../src/packages/icon/draw-icon-from-file.ts';
import { openPicture } from '../../../src/packages/icon/image-library.ts';
import { readPackage } from '../../../src/packages/read-package.ts';
import { openRandomAccessFile } from '../../../src/packages/zip/open-file.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { fixturesOfRun, sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { pixelsOf } from './build-icon-package.ts';

const packages = fixturesOfRun().filter(
  ({ path, verdict }) => /^(apk|ipa)\//.test(path) && verdict !== 'reject',
);

async function chosenIcon(path: string) {
  const info = await readPackage(sharedFixturePath(path)).catch(() => null);
  return info?.icon ?? null;
}

async function bytesOf(path: string, source: string): Promise<Buffer> {
  const file = await openRandomAccessFile(sharedFixturePath(path));
  try {
    const archive = await openZip(file);
    const entry = archive.find(source);
    if (!entry) throw new Error(`no ${source}`);
    return Buffer.from(await archive.read(entry, 1e8));
  } finally {
    await file.close();
  }
}

describe.skipIf(!sharedFixturesPresent)('icons of real packages (needs ../shared/fixtures)', () => {
  test('the fixtures are present', () => expect(packages.length).toBeGreaterThan(30));

  test.each(packages)('$path', async ({ path, truth }) => {
    const choice = await chosenIcon(path);
    if (!choice) return;
    const png = await drawIconOfFile(sharedFixturePath(path), choice);
    const pixels = await pixelsOf(png);
    if (choice.kind === 'adaptive' || choice.kind === 'vector') {
      expect([pixels.width, pixels.height]).toEqual([512, 512]);
      return;
    }
    if (choice.kind === 'asset-catalog') {
      const beside = truth.bundles[0].icon_files.map((file: { width: number }) => file.width);
      expect(pixels.width).toBeGreaterThanOrEqual(Math.max(...beside));
      return;
    }
    expect([pixels.width, pixels.height]).toEqual([choice.width, choice.height]);
    const original = await bytesOf(path, choice.source);
    const stated = truth?.icon_files?.find((file: { file?: string }) => file.file === choice.source);
    if (stated) {
      expect(createHash('sha256').update(original).digest('hex')).toBe(stated.sha256);
      expect([pixels.width, pixels.height]).toEqual([stated.width, stated.height]);
    }
    if (!original.includes('CgBI')) {
      const [drawn, source] = await Promise.all([png, original].map((bytes) => rawPixels(bytes ?? original)));
      expect(drawn?.equals(source ?? Buffer.alloc(0))).toBe(true);
    }
  });

  test('the icon of an asset catalog equals the icon file next to it at a larger size', async () => {
    const draw = async (kind: 'asset-catalog' | 'png', name: string) => {
      const source = `Payload/AppStub.app/${name}`;
      const choice = { kind, source, width: null, height: null };
      return pixelsOf(await drawIconOfFile(sharedFixturePath('ipa/AppStub.ipa'), choice));
    };
    const large = await draw('asset-catalog', 'Assets.car');
    const small = await draw('png', 'AppStubIcon60x60@3x.png');
    expect([large.width, small.width]).toEqual([maxIconSidePixels, 180]);
    for (const [x, y] of [
      [0.5, 0.5],
      [0.1, 0.1],
      [0.15, 0.5],
      [0.3, 0.9],
    ] as const) {
      const [first, second] = [large.at(x, y), small.at(x, y)].map((hex) => Buffer.from(hex.slice(1), 'hex'));
      for (const [index, part] of (first ?? []).entries())
        expect(Math.abs(part - (second?.[index] ?? -99))).toBeLessThan(12);
    }
  });

  test('adaptive icons match the Android Studio template', async () => {
    const path = 'apk/apks-14_adaptiveIconWithPng.apk';
    const choice = await chosenIcon(path);
    if (choice?.kind !== 'adaptive') throw new Error('it has an adaptive icon');
    const pixels = await pixelsOf(await drawIconOfFile(sharedFixturePath(path), choice));
    expect(pixels.at(0.01, 0.01)).toBe('#00000000');
    // The background between grid lines, the robot's head and its shadow.
    expect(pixels.at(0.08, 0.3)).toBe('#008577ff');
    expect(pixels.at(0.5, 0.45)).toBe('#ffffffff');
    expect(pixels.at(0.35, 0.7)).toMatch(/^#00[56]/);
  });
});

const rawPixels = (bytes: Buffer) => openPicture(bytes).toColorspace('srgb').ensureAlpha().raw().toBuffer();
