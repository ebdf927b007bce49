/** Rows for tests of the data layer, without packages or blobs. */

import { createHash } from 'node:crypto';
import type { Build } from '../../src/apps/app.ts';
import { mapBuildFields } from '../../src/apps/build-fields.ts';
import { newHexKey, newIdentifier } from '../../src/core/identifier.ts';
import type { MailAbout } from '../../src/mail/mail.ts';
import type { User } from '../../src/owners/owner.ts';
import type { PackageInfo } from '../../src/packages/package-info.ts';
import type { TestConnection, TestQueries } from './every-query.ts';

export function sampleInfo(changes: Partial<PackageInfo> = {}): PackageInfo {
  return {
    platform: 'android',
    packageName: 'com.example.sample',
    name: 'Sample',
    labels: { '': 'Sample', ja: '見本' },
    versionCode: '7',
    versionName: '1.2',
    sdkVersion: '24',
    rawSdkVersion: '24',
    targetSdkVersion: 36,
    signature: null,
    signing: { schemes: [], certificates: [], lineage: [], sourceStamp: false },
    icon: null,
    android: null,
    ios: null,
    warnings: ['A warning.'],
    ...changes,
  };
}

export function sampleBuild(appId: string, revision: number, changes: Partial<Build> = {}): Build {
  const id = newIdentifier(revision);
  return {
    id,
    appId,
    revision,
    info: sampleInfo(),
    sizeBytes: 5_000_000_000,
    md5: createHash('md5').update(id).digest('hex'),
    sha256: createHash('sha256').update(id).digest('hex'),
    packageBlob: `packages/${id}`,
    simulatorBlob: null,
    simulatorBytes: null,
    simulatorSha256: null,
    apk: null,
    damage: null,
    source: null,
    icon: { state: 'pending' },
    verification: null,
    message: `message ${revision}`,
    ...mapBuildFields(() => null),
    uploadWarnings: [],
    uploadedBy: 'sample',
    createdAt: revision,
    protected: false,
    ...changes,
  };
}

/** The subject of an email about a sample build. */
export const sampleMailAbout: MailAbout = {
  app: 'Sample',
  versionName: '1.2',
  versionCode: '7',
  platform: 'ios',
};

export async function addUser(
  data: TestConnection,
  name: string,
  changes: Partial<User> = {},
): Promise<User> {
  const email = `${name}@example.com`;
  const row = {
    name,
    email,
    administrator: false,
    passwordHash: `hash of ${name}`,
    createdAt: 1,
    ...changes,
  };
  return data.owners.insertUser(row);
}

export async function addProject(data: TestConnection, name: string, workspaceName: string | null = null) {
  const workspace = workspaceName === null ? null : await data.owners.findWorkspace(workspaceName);
  return data.owners.insertProject({ name, description: `about ${name}`, workspace, createdAt: 1 });
}

/** An iPhone, registered anonymously. */
export const addDevice = (
  data: TestConnection,
  ownerId: string,
  pageId: string,
  changes: Partial<Parameters<TestConnection['devices']['putDevice']>[0]> = {},
) =>
  data.devices.putDevice(
    {
      ...{ ownerId, pageId, udid: '00008110-001A2B3C4D5E6F70', name: 'Phone', product: 'iPhone14,5' },
      ...{ browser: 'one', osVersion: '22B83', userId: null, now: 1, ...changes },
    },
    1000,
  );

/** A page that serves the build. */
export const addPage = (
  data: TestConnection,
  appId: string,
  buildId: string,
  changes: { name?: string; accessKey?: string; releaseNote?: string; now?: number } = {},
) =>
  data.distributions.insertPage({
    ...{ appId, buildId, name: 'main', accessKey: newHexKey(), releaseNote: '', now: 1 },
    ...changes,
  });

/** An App with builds of revision 1 to `count`. */
export async function addApp(
  data: TestQueries,
  ownerId: string,
  options: { packageName?: string; platform?: 'android' | 'ios'; count?: number; now?: number } = {},
): Promise<{ appId: string; builds: Build[] }> {
  const { packageName = 'com.example.sample', platform = 'android', count = 1, now = 1 } = options;
  return data.transaction(async (tx) => {
    const builds: Build[] = [];
    let appId = '';
    for (let revision = 1; revision <= count; revision++) {
      const taken = await tx.apps.takeNextRevision({
        ownerId,
        platform,
        packageName,
        secret: newHexKey(),
        now,
      });
      appId = taken.id;
      const build = sampleBuild(appId, taken.lastRevision);
      await tx.builds.insertBuild(build);
      builds.push(build);
    }
    return { appId, builds };
  });
}
