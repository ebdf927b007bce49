/**
 * Info.plist and the list of sealed files against Python's plistlib, profiles and code signatures against openssl: on generated and
 * real packages.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { hash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAppInPayload } from '../../../src/packages/ipa/app-bundle.ts';
import { readIpa } from '../../../src/packages/ipa/read-ipa.ts';
import { readCodeSignature, signatureSlot } from '../../../src/packages/ipa/signature/code-signature.ts';
import { readExecutable } from '../../../src/packages/ipa/signature/executable.ts';
import { problemsWithSealedFiles } from '../../../src/packages/ipa/signature/verify-sealed-files.ts';
import type { PackageInfo } from '../../../src/packages/package-info.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildIpa, createSigningIdentity, type ProfileSpec } from '../../support/build-ipa.ts';
import { fileInMemory } from '../../support/build-zip.ts';
import { sharedFixturePath, sharedFixtures } from '../../support/shared-fixtures.ts';

const oraclesPresent =
  spawnSync('python3', ['-c', 'import plistlib']).status === 0 &&
  spawnSync('openssl', ['version']).status === 0;

/** Parses Base64 lists by name with one start of Python per package. */
const program = `
import base64, hashlib, json, plistlib, sys
lists = {name: plistlib.loads(base64.b64decode(text)) for name, text in json.load(sys.stdin).items()}
p = lists['info']
text = lambda key: str(p[key]) if key in p else None
out = {'info': {
    'packageName': text('CFBundleIdentifier'), 'versionCode': text('CFBundleVersion') or '',
    'versionName': text('CFBundleShortVersionString'), 'sdkVersion': text('MinimumOSVersion'),
    'name': text('CFBundleDisplayName') or text('CFBundleName') or text('CFBundleIdentifier'),
}}
if 'profile' in lists:
    p = lists['profile']
    out['profile'] = {
        'name': p['Name'], 'uuid': p['UUID'], 'teamName': p.get('TeamName'), 'teamIdentifier': p['TeamIdentifier'][0],
        'expiresAt': p['ExpirationDate'].strftime('%Y-%m-%dT%H:%M:%S.000Z'),
        'devices': p.get('ProvisionedDevices', []),
        'certificateSha1s': [hashlib.sha1(c).hexdigest() for c in p['DeveloperCertificates']],
    }
if 'sealed' in lists:
    seals = {name: seal if isinstance(seal, dict) else {'hash': seal} for name, seal in lists['sealed']['files2'].items()}
    out['sealed'] = {name: (seal.get('hash2') or seal['hash']).hex() for name, seal in seals.items()}
print(json.dumps(out))
`;

interface Stated {
  info: Record<string, unknown>;
  profile?: Record<string, unknown>;
  /** SHA-256 by name, or SHA-1 if there is no other. */
  encrypted?: Record<string, string>;
}

function plistlib(lists: Record<string, Buffer | null>): Stated {
  const present = Object.entries(lists).flatMap(([name, bytes]) =>
    bytes ? [[name, bytes.toString('base64')]] : [],
  );
  const input = JSON.stringify(Object.fromEntries(present));
  return JSON.parse(execFileSync('python3', ['-c', program], { input, encoding: 'utf8' }));
}

/** Returns the signed content; fails when the signature does not match. */
function openssl(profile: Buffer): Buffer {
  return execFileSync('openssl', ['cms', '-verify', '-noverify', '-inform', 'DER'], {
    input: profile,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

async function compare(bytes: Buffer, ...cmsOptions: string[]): Promise<PackageInfo> {
  const archive = await openZip(fileInMemory(bytes));
  const info = await readIpa(archive);
  const bundle = openAppInPayload(archive);
  const fileOf = async (name: string) => {
    const entry = bundle.files.find(name);
    return entry ? archive.read(entry, 10_000_000) : null;
  };
  const profile = await fileOf('embedded.mobileprovision');
  const encrypted = await fileOf('_CodeSignature/CodeResources');
  const stated = plistlib({
    info: await fileOf('Info.plist'),
    profile: profile && openssl(profile),
    encrypted,
  });
  expect(info).toMatchObject(stated.info);
  if (stated.profile) expect(info.ios?.profile).toMatchObject({ ...stated.profile, intact: true });
  else expect(info.ios?.profile).toBeNull();
  const executable = bundle.files.find(info.ios?.executable ?? '');
  const slices = executable ? await readExecutable(archive, executable).catch(() => null) : null;
  const signers = (slices ?? []).flatMap(({ signature }) =>
    signature ? [leafByOpenssl(signature, cmsOptions)] : [],
  );
  if (signers.length > 0) expect(new Set(signers)).toEqual(new Set([info.signature]));
  else expect(info.signature).toBeNull();
  if (encrypted && stated.encrypted && info.ios?.executable) {
    const ours = await problemsWithSealedFiles(bundle, encrypted, info.ios.executable);
    expect(ours).toEqual(await problemsWith(stated.encrypted, fileOf));
  }
  return info;
}

/** SHA-1 of the certificate with which the slice is signed; fails when the signature is not over its code directory. */
function leafByOpenssl(signature: Buffer, cmsOptions: readonly string[]): string {
  const { blobs } = readCodeSignature(signature);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-openssl-'));
  const file = (name: string) => join(folder, name);
  try {
    writeFileSync(file('cms'), blobs.get(signatureSlot.cms)?.subarray(8) ?? '');
    writeFileSync(file('directory'), blobs.get(signatureSlot.codeDirectory) ?? '');
    const options = [
      ...cmsOptions,
      '-noverify',
      '-binary',
      '-inform',
      'DER',
      '-in',
      file('cms'),
      '-content',
      file('directory'),
    ];
    execFileSync('openssl', ['cms', '-verify', ...options, '-signer', file('leaf'), '-out', file('out')], {
      stdio: 'ignore',
    });
    return hash('sha1', new X509Certificate(readFileSync(file('leaf'))).raw);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Compares the listed digests with the files. */
async function problemsWith(
  encrypted: Readonly<Record<string, string>>,
  fileOf: (name: string) => Promise<Buffer | null>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, digest] of Object.entries(encrypted)) {
    const content = await fileOf(name);
    const algorithm = digest.length === 40 ? 'sha1' : 'sha256';
    if (!content || hash(algorithm, content) !== digest) problems.push(`${name} was changed after signing.`);
  }
  return problems;
}

describe.skipIf(!oraclesPresent)(
  'plistlib and openssl agree with Slipway (needs python3 and openssl: apt-get install python3 openssl)',
  () => {
    const identity = createSigningIdentity();

    it.each(['xml', 'binary'] as const)('on an IPA with %s property lists', async (plistForm) => {
      const certificates = [identity.certificate];
      const profile: ProfileSpec = { type: 'development', devices: ['one', 'two'], certificates, identity };
      const info = await compare(
        buildIpa({
          plistForm,
          name: 'Größe & "Maß" 😀',
          shortVersion: '1.2.3',
          profile,
          identity,
          cpus: ['armv7', 'arm64'],
          files: { 'data/größe.txt': 'sealed' },
        }),
      );
      expect(info.name).toBe('Größe & "Maß" 😀');
    });

    /** Apple signs two hashes in a non-DER order; openssl sorts them before it verifies. */
    const unsorted = ['ipa/Permissions.ipa'];
    const real = sharedFixtures().filter(
      ({ path, verdict }) => path.endsWith('.ipa') && /^(accept|signature policy)$/.test(verdict),
    );
    it.each(real.map(({ path }) => path))('on a real package: %s', async (path) => {
      await compare(readFileSync(sharedFixturePath(path)), ...(unsorted.includes(path) ? ['-nosigs'] : []));
    });
  },
);
