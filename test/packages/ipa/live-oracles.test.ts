/** Info.plist against Python's plistlib, and profiles against openssl: on packages made in code and on the real ones. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findAppInPayload, openAppBundle } from '../../../src/packages/ipa/app-bundle.ts';
import { readIpa } from '../../../src/packages/ipa/read-ipa.ts';
import type { PackageInfo } from '../../../src/packages/package-info.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildIpa, createSigningIdentity, type ProfileSpec } from '../../support/build-ipa.ts';
import { fileInMemory } from '../../support/build-zip.ts';
import { sharedFixturePath, sharedFixtures } from '../../support/shared-fixtures.ts';

const oraclesPresent =
  spawnSync('python3', ['-c', 'import plistlib']).status === 0 &&
  spawnSync('openssl', ['version']).status === 0;

/** Standard input is an Info.plist; after `--profile` it is the content of a profile. */
const program = `
import hashlib, json, plistlib, sys
p = plistlib.loads(sys.stdin.buffer.read())
if len(sys.argv) < 2:
    text = lambda key: str(p[key]) if key in p else None
    out = {
        'packageName': text('CFBundleIdentifier'), 'versionCode': text('CFBundleVersion') or '',
        'versionName': text('CFBundleShortVersionString'), 'sdkVersion': text('MinimumOSVersion'),
        'name': text('CFBundleDisplayName') or text('CFBundleName') or text('CFBundleIdentifier'),
    }
else:
    out = {
        'name': p['Name'], 'uuid': p['UUID'], 'teamName': p.get('TeamName'), 'teamIdentifier': p['TeamIdentifier'][0],
        'expiresAt': p['ExpirationDate'].strftime('%Y-%m-%dT%H:%M:%S.000Z'),
        'devices': p.get('ProvisionedDevices', []),
        'certificateSha1s': [hashlib.sha1(c).hexdigest() for c in p['DeveloperCertificates']],
    }
print(json.dumps(out))
`;

function plistlib(bytes: Buffer, ...options: string[]): Record<string, unknown> {
  return JSON.parse(execFileSync('python3', ['-c', program, ...options], { input: bytes, encoding: 'utf8' }));
}

/** The signed content; fails when the signature does not match it. */
function openssl(profile: Buffer): Buffer {
  return execFileSync('openssl', ['cms', '-verify', '-noverify', '-inform', 'DER'], {
    input: profile,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

async function compare(bytes: Buffer): Promise<PackageInfo> {
  const archive = await openZip(fileInMemory(bytes));
  const info = await readIpa(archive);
  const { files } = openAppBundle(archive, findAppInPayload(archive));
  const fileOf = async (name: string) => {
    const entry = files.get(name);
    return entry ? archive.read(entry, 10_000_000) : null;
  };
  expect(info).toMatchObject(plistlib((await fileOf('Info.plist')) ?? Buffer.alloc(0)));
  const profile = await fileOf('embedded.mobileprovision');
  expect(info.ios?.profile === null).toBe(profile === null);
  if (profile) {
    const stated = plistlib(openssl(profile), '--profile');
    expect(info.ios?.profile).toMatchObject({ ...stated, intact: true });
  }
  return info;
}

describe.skipIf(!oraclesPresent)(
  'plistlib and openssl agree (needs python3 and openssl: apt-get install python3 openssl)',
  () => {
    const identity = createSigningIdentity();

    it.each(['xml', 'binary'] as const)('on an IPA with %s property lists', async (plistForm) => {
      const certificates = [identity.certificate];
      const profile: ProfileSpec = { type: 'development', devices: ['one', 'two'], certificates, identity };
      const info = await compare(
        buildIpa({ plistForm, name: 'Größe & "Maß" 😀', shortVersion: '1.2.3', profile }),
      );
      expect(info.name).toBe('Größe & "Maß" 😀');
    });

    const real = sharedFixtures().filter(
      ({ path, verdict }) => path.endsWith('.ipa') && /^(accept|signature policy)$/.test(verdict),
    );
    it.each(real.map(({ path }) => path))('on %s', async (path) => {
      await compare(readFileSync(sharedFixturePath(path)));
    });
  },
);
