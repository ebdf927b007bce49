/** Provisioning profiles: a property list inside CMS signed data (Apple, TN3125 "Inside Code Signing: Provisioning Profiles"). */
import { certificateSha1 } from '../certificate/certificate.ts';
import { problemWithSigner, readCmsSignedData } from '../certificate/cms-signed-data.ts';
import { say } from '../messages/package-messages.ts';
import { type ProfileType, type ProvisioningProfile, UnreadablePackage } from '../package-info.ts';
import { parsePropertyList } from '../property-list/property-list.ts';
import {
  dictionaryUnder,
  isDictionary,
  type PropertyListDictionary,
  textsUnder,
  textUnder,
  toJsonValue,
} from '../property-list/property-list-value.ts';

export const maxProfileBytes = 4 * 1024 * 1024;
export const maxProfileDevices = 10_000;
export const maxProfileCertificates = 1000;
/** Limit for a name and a device. A device has at most 40 characters; longer ones are skipped. */
export const maxProfileTextCharacters = 255;
/** Limit for all entitlements as JSON. Real apps have some thousand characters; the rest is left out. */
export const maxEntitlementsCharacters = 256 * 1024;

/**
 * Returns the facts of an `embedded.mobileprovision` or a separate profile file. `intact` states whether digest and signature of
 * every signer are valid, not whether Apple signed it. Also accepts a plain property list, which is not intact. Throws
 * `UnreadablePackage` if it contains no readable property list.
 */
export function readProvisioningProfile(buffer: Buffer): ProvisioningProfile {
  if (buffer.length === 0) throw new UnreadablePackage(say('profile-empty'));
  if (buffer.length > maxProfileBytes) {
    throw new UnreadablePackage(say('profile-too-large', { bytes: maxProfileBytes }));
  }
  const { content, intact } = openEnvelope(buffer);
  const list = parsePropertyList(content, 'the provisioning profile');
  if (!isDictionary(list)) throw new UnreadablePackage(say('profile-not-dictionary'));
  const type = typeOf(list);
  const devices = textsUnder(list, 'ProvisionedDevices')
    .filter(({ length }) => length <= maxProfileTextCharacters)
    .slice(0, maxProfileDevices);
  return {
    type,
    name: truncate(textUnder(list, 'Name')) ?? '',
    uuid: truncate(textUnder(list, 'UUID')) ?? '',
    teamName: truncate(textUnder(list, 'TeamName')),
    teamIdentifier: truncate(
      textsUnder(list, 'TeamIdentifier')[0] ?? textsUnder(list, 'ApplicationIdentifierPrefix')[0] ?? null,
    ),
    createdAt: dateUnder(list, 'CreationDate'),
    expiresAt: dateUnder(list, 'ExpirationDate'),
    devices: type === 'development' || type === 'ad-hoc' ? devices : [],
    entitlements: boundedEntitlements(dictionaryUnder(list, 'Entitlements') ?? {}),
    certificateSha1s: certificateSha1sOf(list),
    intact,
  };
}

function openEnvelope(buffer: Buffer): { content: Buffer; intact: boolean } {
  const isBareList = /^(?:bplist|\uFEFF?\s*<)/.test(buffer.toString('utf8', 0, 64));
  if (isBareList) return { content: buffer, intact: false };
  try {
    const { content, signers } = readCmsSignedData(buffer);
    if (content === null) throw new Error('it signs nothing');
    const intact =
      signers.length > 0 && signers.every((signer) => problemWithSigner(signer, content) === null);
    return { content, intact };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadablePackage(say('profile-unreadable', { reason }), { cause: error });
  }
}

/** A macOS profile with devices is for development: macOS has no ad hoc distribution. */
function typeOf(list: PropertyListDictionary): ProfileType {
  if (list.ProvisionsAllDevices === true) return 'enterprise';
  const entitlements = dictionaryUnder(list, 'Entitlements');
  const debuggable =
    entitlements?.['get-task-allow'] === true || entitlements?.['com.apple.security.get-task-allow'] === true;
  if (debuggable) return 'development';
  if (!Array.isArray(list.ProvisionedDevices)) return 'app-store';
  return textsUnder(list, 'Platform').includes('OSX') ? 'development' : 'ad-hoc';
}

function truncate(text: string | null): string | null {
  return text?.slice(0, maxProfileTextCharacters) ?? null;
}

function dateUnder(list: PropertyListDictionary, key: string): string | null {
  const value = list[key];
  return value instanceof Date ? value.toISOString() : null;
}

/** Returns entitlements as JSON up to `maxCharacters`, without those that do not fit. */
export function boundedEntitlements(
  stated: PropertyListDictionary,
  maxCharacters = maxEntitlementsCharacters,
): Record<string, unknown> {
  const found: [string, unknown][] = [];
  let left = maxCharacters;
  for (const [key, entitlement] of Object.entries(stated)) {
    const value = toJsonValue(entitlement);
    const characters = JSON.stringify([key, value]).length;
    if (characters > left) continue;
    left -= characters;
    found.push([key, value]);
  }
  return Object.fromEntries(found);
}

function certificateSha1sOf(list: PropertyListDictionary): string[] {
  const certificates = list.DeveloperCertificates;
  if (!Array.isArray(certificates)) return [];
  return certificates
    .filter((certificate) => Buffer.isBuffer(certificate))
    .slice(0, maxProfileCertificates)
    .map(certificateSha1);
}
