/** Limits on APKs, each reached and exceeded. */
import { describe, expect, it } from 'vitest';
import {
  maxNameLength,
  maxNames,
  maxPackageNameLength,
  maxVersionNameLength,
} from '../../../src/packages/apk/android-manifest.ts';
import { maxDepth, parseBinaryXml } from '../../../src/packages/apk/binary-xml.ts';
import { phone } from '../../../src/packages/apk/choose-config.ts';
import { maxCandidates } from '../../../src/packages/apk/choose-icon.ts';
import { maxLabelLength, maxResourceTableBytes, readApk } from '../../../src/packages/apk/read-apk.ts';
import { maxVisitedResources, resolveCandidates } from '../../../src/packages/apk/resolve-resource.ts';
import { parseResourceTable } from '../../../src/packages/apk/resource-table.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { type ApkSpec, apkEntries, buildApk } from '../../support/build-apk.ts';
import { buildBinaryXml, type XmlElementSpec } from '../../support/build-binary-xml.ts';
import { buildResourceTable } from '../../support/build-resource-table.ts';
import { buildZip, fileInMemory } from '../../support/build-zip.ts';
import { buildPng } from '../ipa/build-png.ts';

const read = async (bytes: Buffer) => readApk(await openZip(fileInMemory(bytes)));
const readSpec = (spec: ApkSpec) => read(buildApk(spec));
const long = (characters: number) => 'x'.repeat(characters);

describe('text limits', () => {
  it('maxLabelLength: truncates labels', async () => {
    const label = long(maxLabelLength + 1);
    expect((await readSpec({ label })).name).toHaveLength(maxLabelLength);
    const { labels } = await readSpec({ label: { '': label, ja: label } });
    expect(Object.values(labels).map(({ length }) => length)).toEqual([maxLabelLength, maxLabelLength]);
  });

  it('maxVersionNameLength and maxNameLength: truncates names', async () => {
    const info = await readSpec({
      versionName: long(maxVersionNameLength + 1),
      permissions: [long(maxNameLength + 1)],
    });
    expect(info.versionName).toHaveLength(maxVersionNameLength);
    expect(info.android?.permissions).toEqual([long(maxNameLength)]);
  });

  it('maxPackageNameLength: rejects a longer package name', async () => {
    const fits = `a.${long(maxPackageNameLength - 2)}`;
    expect((await readSpec({ packageName: fits })).packageName).toBe(fits);
    await expect(readSpec({ packageName: `${fits}x` })).rejects.toThrow('package name');
  });
});

describe('structure limits', () => {
  it('maxNames: limits native code folders', async () => {
    const nativeAbis = Array.from({ length: maxNames + 1 }, (_, index) => `abi${index}`);
    expect((await readSpec({ nativeAbis })).android?.nativeAbis).toHaveLength(maxNames);
  });

  it('maxDepth: limits element nesting', () => {
    const nest = (depth: number): XmlElementSpec => ({
      name: 'a',
      children: depth > 1 ? [nest(depth - 1)] : [],
    });
    expect(parseBinaryXml(buildBinaryXml(nest(maxDepth))).name).toBe('a');
    expect(() => parseBinaryXml(buildBinaryXml(nest(maxDepth + 1)))).toThrow('nested too deep');
  });

  it('maxResourceTableBytes: rejects a larger inflated table', async () => {
    const entries = apkEntries({ label: { '': 'Hello' } }).map((entry) =>
      entry.name === 'resources.arsc'
        ? { ...entry, method: 8, uncompressedBytes: maxResourceTableBytes + 1 }
        : entry,
    );
    await expect(read(buildZip(entries))).rejects.toThrow('resources.arsc in the archive is too large');
  });

  it('maxVisitedResources: limits resources that refer to each other', () => {
    const links = Array.from({ length: maxVisitedResources + 5 }, (_, index) => ({
      name: `a${index}`,
      values: [
        { value: `res/${index}.png` },
        { config: { density: 320 }, value: { reference: 0x7f010001 + index } },
      ],
    }));
    const table = parseResourceTable(
      buildResourceTable([{ types: [{ name: 'drawable', resources: links }] }]),
    );
    const paths = resolveCandidates(table, { kind: 'reference', id: 0x7f010000, dynamic: false }, phone(640));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.length).toBeLessThanOrEqual(maxVisitedResources);
  });

  it('maxCandidates: limits the files tried for an icon', async () => {
    const icons = Array.from({ length: maxCandidates + 1 }, (_, index) => ({
      path: `res/${index}.png`,
      content: index === 0 ? buildPng({ width: 2, height: 2 }) : Buffer.from('no picture'),
      config: { density: 100 + index * 20 },
    }));
    expect((await readSpec({ icons: icons.slice(0, maxCandidates) })).icon?.source).toBe('res/0.png');
    expect((await readSpec({ icons })).icon).toBeNull();
  });
});
