import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { maxCmsCertificates, maxCmsSigners } from '../../../src/packages/certificate/cms-signed-data.ts';
import {
  maxProfileBytes,
  maxProfileCertificates,
  maxProfileDevices,
  readProvisioningProfile,
} from '../../../src/packages/ipa/provisioning-profile.ts';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import { buildProfile, createSigningIdentity } from '../../support/build-ipa.ts';
import { sharedFixturePath, sharedFixtures, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { buildCms } from './signing-identity.ts';

const identity = createSigningIdentity();
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe('a generated profile', () => {
  it('yields its facts', () => {
    const developer = createSigningIdentity();
    const profile = readProvisioningProfile(
      buildProfile({
        type: 'ad-hoc',
        devices: ['one', 'two'],
        certificates: [developer.certificate],
        identity,
      }),
    );
    expect(profile).toMatchObject({
      type: 'ad-hoc',
      name: 'Test profile',
      uuid: '11111111-2222-3333-4444-555555555555',
      teamName: 'Test Team',
      teamIdentifier: 'TEAM123456',
      createdAt: '2026-01-02T03:04:05.000Z',
      expiresAt: '2036-01-02T03:04:05.000Z',
      devices: ['one', 'two'],
      entitlements: { 'application-identifier': 'TEAM123456.com.example.test', 'get-task-allow': false },
      intact: true,
    });
    expect(profile.certificateSha1s).toHaveLength(1);
  });

  it.each(['development', 'ad-hoc', 'enterprise', 'app-store'] as const)('is recognized as %s', (type) => {
    const profile = readProvisioningProfile(buildProfile({ type, identity }));
    expect(profile.type).toBe(type);
    expect(profile.devices).toHaveLength(type === 'development' || type === 'ad-hoc' ? 1 : 0);
  });

  it('is read with indefinite lengths and fragmented content, and is intact', () => {
    expect(readProvisioningProfile(buildProfile({ identity, indefiniteLengths: true })).intact).toBe(true);
  });

  it.each(['ec', 'rsa'] as const)(
    'is intact when signed with an %s key under another certificate',
    (keyType) => {
      const root = createSigningIdentity({ commonName: 'Root', keyType: 'rsa' });
      const signer = createSigningIdentity({ commonName: 'Signer', keyType, issuedBy: root });
      expect(readProvisioningProfile(buildProfile({ identity: signer })).intact).toBe(true);
    },
  );

  it('is intact when the content is signed without attributes or with SHA-1', () => {
    const content = Buffer.from('<plist><dict><key>Name</key><string>x</string></dict></plist>');
    expect(readProvisioningProfile(buildCms({ content, identity, withoutAttributes: true })).intact).toBe(
      true,
    );
    expect(readProvisioningProfile(buildCms({ content, identity, digest: 'sha1' })).intact).toBe(true);
  });

  it('is not intact after its content changed', () => {
    const bytes = buildProfile({ identity });
    const at = bytes.indexOf('Test Team');
    bytes.write('Best', at);
    const profile = readProvisioningProfile(bytes);
    expect(profile).toMatchObject({ teamName: 'Best Team', intact: false });
  });

  it('is not intact when another key signed it', () => {
    const impostor = { ...createSigningIdentity(), certificate: identity.certificate, chain: identity.chain };
    const bytes = buildProfile({
      identity: { ...impostor, issuer: identity.issuer, serial: identity.serial },
    });
    expect(readProvisioningProfile(bytes).intact).toBe(false);
  });

  it('is not intact without the signer certificate', () => {
    const bytes = buildProfile({ identity: { ...identity, chain: [] } });
    expect(readProvisioningProfile(bytes).intact).toBe(false);
  });

  it.skipIf(!hasOpenssl)('agrees with openssl (needs openssl: apt-get install openssl)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-profile-'));
    try {
      for (const indefiniteLengths of [false, true]) {
        const path = join(folder, 'profile');
        writeFileSync(path, buildProfile({ identity, indefiniteLengths }));
        const content = execFileSync(
          'openssl',
          ['cms', '-verify', '-noverify', '-inform', 'DER', '-in', path],
          { stdio: ['ignore', 'pipe', 'ignore'] },
        );
        expect(content.toString()).toContain('Test profile');
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the profile reader', () => {
  it.each([
    ['an empty file', Buffer.alloc(0), 'is empty'],
    ['a file beyond the cap', Buffer.alloc(maxProfileBytes + 1), `larger than ${maxProfileBytes} bytes`],
    ['other bytes', Buffer.from('certainly no profile'), 'not readable'],
    [
      'a list that is no dictionary',
      buildCms({ content: Buffer.from('<plist><true/></plist>'), identity }),
      'not a dictionary',
    ],
    [
      'content that is no list',
      buildCms({ content: Buffer.from('<plist>'), identity }),
      'not a readable property list',
    ],
    [
      'a signature without content',
      buildCms({ content: Buffer.from('x'), identity, detached: true }),
      'signs nothing',
    ],
  ])('rejects %s', (_name, bytes, words) => {
    expect(() => readProvisioningProfile(bytes)).toThrow(UnreadablePackage);
    expect(() => readProvisioningProfile(bytes)).toThrow(words);
  });

  it('rejects an excessive number of certificates or signers', () => {
    const content = Buffer.from('<plist><dict/></plist>');
    const many = { ...identity, chain: Array(maxCmsCertificates + 1).fill(identity.certificate) };
    expect(() => readProvisioningProfile(buildCms({ content, identity: many }))).toThrow(
      `more than ${maxCmsCertificates} certificates`,
    );
    const signerCount = maxCmsSigners + 1;
    expect(() => readProvisioningProfile(buildCms({ content, identity, signerCount }))).toThrow(
      `more than ${maxCmsSigners} signers`,
    );
  });

  it('limits the number of devices and certificates', () => {
    const devices = Array.from({ length: maxProfileDevices + 5 }, (_, index) => `device-${index}`);
    const certificates = Array.from({ length: maxProfileCertificates + 5 }, (_, index) =>
      Buffer.from([index & 0xff]),
    );
    const profile = readProvisioningProfile(buildProfile({ identity, devices, certificates }));
    expect(profile.devices).toHaveLength(maxProfileDevices);
    expect(profile.certificateSha1s).toHaveLength(maxProfileCertificates);
  });

  it('rejects or reads every truncated profile without other errors', () => {
    const bytes = buildProfile({ identity });
    for (let length = 0; length < bytes.length; length += 7) {
      try {
        readProvisioningProfile(bytes.subarray(0, length));
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadablePackage);
      }
    }
  });
});

describe.skipIf(!sharedFixturesPresent)('real profiles (needs ../shared/fixtures)', () => {
  const fixtures = sharedFixtures().filter(({ path }) => path.startsWith('profiles/'));

  it.each(fixtures.map((fixture) => [fixture.path, fixture] as const))('%s', (path, { truth }) => {
    const bytes = readFileSync(sharedFixturePath(path));
    const { profile } = truth;
    if (profile.plist_error) {
      expect(() => readProvisioningProfile(bytes)).toThrow(UnreadablePackage);
      return;
    }
    const read = readProvisioningProfile(bytes);
    expect({
      type: read.type,
      name: read.name,
      uuid: read.uuid,
      team: read.teamIdentifier,
      created: read.createdAt,
      expires: read.expiresAt,
      devices: read.devices.length,
      certificates: read.certificateSha1s,
      intact: read.intact,
    }).toEqual({
      // the oracle distinguishes macOS profiles; Slipway does not
      type: profile.type.replace('macOS ', ''),
      name: profile.name,
      uuid: profile.uuid,
      team: profile.team[0],
      created: isoDate(profile.created),
      expires: isoDate(profile.expires),
      devices: profile.udid_count ?? 0,
      certificates: profile.developer_certificate_sha1,
      intact: profile.openssl.cms_rc === 0,
    });
  });
});

function isoDate(text: string): string {
  return new Date(`${text.replace(' ', 'T')}Z`).toISOString();
}
