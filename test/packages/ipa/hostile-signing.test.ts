/** Signatures and profiles designed to take long or to yield too much data. */
import { describe, expect, it } from 'vitest';
import { maxBerDepth } from '../../../src/packages/certificate/ber.ts';
import { maxNameCharacters } from '../../../src/packages/ipa/info-plist-facts.ts';
import {
  maxEntitlementsCharacters,
  maxProfileTextCharacters,
  readProvisioningProfile,
} from '../../../src/packages/ipa/provisioning-profile.ts';
import { maxNamedFiles, readIpa } from '../../../src/packages/ipa/read-ipa.ts';
import {
  maxAlternateDirectories,
  maxPageShift,
  minPageShift,
  readCodeSignature,
} from '../../../src/packages/ipa/signature/code-signature.ts';
import { verifyCodeSignature } from '../../../src/packages/ipa/signature/verify-code-signature.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildIpa, buildProfile, createSigningIdentity, type IpaSpec } from '../../support/build-ipa.ts';
import { fileInMemory } from '../../support/build-zip.ts';
import { blob, superBlob } from './build-mach-o.ts';
import { buildCms, der } from './signing-identity.ts';

const identity = createSigningIdentity();
const open = (spec: IpaSpec) => openZip(fileInMemory(buildIpa(spec)));

describe('a code signature', () => {
  it('has a minimum page size, as in the kernel', async () => {
    const verify = async (pageShift: number) =>
      verifyCodeSignature(await open({ identity, signature: { pageShift } }));
    expect(await verify(minPageShift)).toMatchObject({ verified: true });
    for (const pageShift of [minPageShift - 2, minPageShift - 1, maxPageShift + 1]) {
      expect((await verify(pageShift)).problems).toEqual([
        'The signature of the arm64 code cannot be read: a code directory has invalid pages.',
      ]);
    }
  });

  it('maxAlternateDirectories: is read without further directories', () => {
    const directory = Buffer.alloc(44);
    directory.writeUInt32BE(44, 8);
    directory.writeUInt8(20, 28);
    directory.writeUInt32BE(44, 0);
    const slots = Array.from({ length: maxAlternateDirectories + 3 }, (_, index) => 0x1000 + index);
    const bytes = superBlob(slots.map((slot): [number, Buffer] => [slot, blob(0xfade0c02, directory)]));
    expect(readCodeSignature(bytes).directories).toHaveLength(maxAlternateDirectories);
  });

  it('with endlessly nested attributes is quickly reported as not intact', () => {
    const nested = (depth: number) => {
      let value: Buffer = der(0x04, Buffer.alloc(1024));
      for (let level = 0; level < depth; level++) value = der(0x30, value);
      return value;
    };
    const profile = (depth: number) =>
      buildCms({
        content: Buffer.from('<plist><dict/></plist>'),
        identity,
        attributes: [['1.2.3.4', [nested(depth)]]],
      });
    expect(readProvisioningProfile(profile(8)).intact).toBe(true);
    expect(readProvisioningProfile(profile(maxBerDepth)).intact).toBe(false);
    expect(readProvisioningProfile(profile(2_000)).intact).toBe(false);
  });
});

describe('a provisioning profile', () => {
  it('maxProfileTextCharacters: has its texts truncated and longer devices skipped', () => {
    const long = 'x'.repeat(maxProfileTextCharacters + 1);
    const profile = readProvisioningProfile(
      buildProfile({ identity, name: long, uuid: long, teamIdentifier: long, devices: [long, 'short'] }),
    );
    const cut = long.slice(1);
    expect(profile).toMatchObject({ name: cut, uuid: cut, teamIdentifier: cut, devices: ['short'] });
  });

  it('maxEntitlementsCharacters: omits larger entitlements', () => {
    const text = 'x'.repeat(maxEntitlementsCharacters - 10_000);
    const list = ['a', 'b', 'c'].map((key) => `<key>${key}</key><string>${key === 'c' ? '' : text}</string>`);
    const content = Buffer.from(
      `<plist><dict><key>Entitlements</key><dict>${list.join('')}</dict></dict></plist>`,
    );
    const { entitlements } = readProvisioningProfile(buildCms({ content, identity }));
    expect(Object.keys(entitlements)).toEqual(['a', 'c']);
  });
});

describe('an IPA', () => {
  it('maxNameCharacters: has the name of its executable truncated', async () => {
    const long = 'x'.repeat(maxNameCharacters + 1);
    const info = await readIpa(await open({ infoPlist: { CFBundleExecutable: long } }));
    expect(info.ios?.executable).toBe(long.slice(1));
  });

  it('maxNamedFiles: names a limited number of unreadable files', async () => {
    const names = Array.from(
      { length: maxNamedFiles + 2 },
      (_, index) => `l${index}.lproj/InfoPlist.strings`,
    );
    const files = Object.fromEntries(names.map((name) => [name, '{ broken']));
    const { warnings } = await readIpa(await open({ files }));
    const named = warnings.find((warning) => warning.startsWith('These files'));
    expect(named?.match(/\.strings/g)).toHaveLength(maxNamedFiles);
    expect(named).toContain('and 2 more');
  });
});
