/** Provisioning profiles: a property list inside CMS signed data (Apple, TN3125 "Inside Code Signing: Provisioning Profiles"). */
import { certificateSha1 } from '../certificate/certificate.ts';
import { problemWithSigner, readCmsSignedData } from '../certificate/cms-signed-data.ts';
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
/** Of a name, and of a device, which has 40 at most; a longer device is passed over. */
export const maxProfileTextCharacters = 255;
/** Of all entitlements as JSON; those of real apps have some thousand. What goes beyond is left out. */
export const maxEntitlementsCharacters = 256 * 1024;

/**
 * The facts of an `embedded.mobileprovision` or of a profile file alone. `intact` says whether the digest and the signature of
 * every signer hold; whether Apple signed it is not asked. A bare property list is read too, and is not intact.
 * Throws UnreadablePackage when there is no readable property list in it.
 */
export function readProvisioningProfile(buffer: Buffer): ProvisioningProfile {
  if (buffer.length === 0) throw new UnreadablePackage('the provisioning profile is empty');
  if (buffer.length > maxProfileBytes) {
    throw new UnreadablePackage(`the provisioning profile is larger than ${maxProfileBytes} bytes`);
  }
  const { content, intact } = openEnvelope(buffer);
  const list = parsePropertyList(content, 'the provisioning profile');
  if (!isDictionary(list)) throw new UnreadablePackage('the provisioning profile is not a dictionary');
  const type = typeOf(list);
  const devices = textsUnder(list, 'ProvisionedDevices')
    .filter(({ length }) => length <= maxProfileTextCharacters)
    .slice(0, maxProfileDevices);
  return {
    type,
    name: shortened(textUnder(list, 'Name')) ?? '',
    uuid: shortened(textUnder(list, 'UUID')) ?? '',
    teamName: shortened(textUnder(list, 'TeamName')),
    teamIdentifier: shortened(
      textsUnder(list, 'TeamIdentifier')[0] ?? textsUnder(list, 'ApplicationIdentifierPrefix')[0] ?? null,
    ),
    createdAt: dateUnder(list, 'CreationDate'),
    expiresAt: dateUnder(list, 'ExpirationDate'),
    devices: type === 'development' || type === 'ad-hoc' ? devices : [],
    entitlements: entitlementsOf(list),
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
    throw new UnreadablePackage(`the provisioning profile is not readable: ${reason}`, { cause: error });
  }
}

/** A macOS profile that lists devices is for development: the Mac knows no ad hoc distribution. */
function typeOf(list: PropertyListDictionary): ProfileType {
  if (list.ProvisionsAllDevices === true) return 'enterprise';
  const entitlements = dictionaryUnder(list, 'Entitlements');
  const debuggable =
    entitlements?.['get-task-allow'] === true || entitlements?.['com.apple.security.get-task-allow'] === true;
  if (debuggable) return 'development';
  if (!Array.isArray(list.ProvisionedDevices)) return 'app-store';
  return textsUnder(list, 'Platform').includes('OSX') ? 'development' : 'ad-hoc';
}

function shortened(text: string | null): string | null {
  return text?.slice(0, maxProfileTextCharacters) ?? null;
}

function dateUnder(list: PropertyListDictionary, key: string): string | null {
  const value = list[key];
  return value instanceof Date ? value.toISOString() : null;
}

function entitlementsOf(list: PropertyListDictionary): Record<string, unknown> {
  const found: [string, unknown][] = [];
  let left = maxEntitlementsCharacters;
  for (const [key, stated] of Object.entries(dictionaryUnder(list, 'Entitlements') ?? {})) {
    const value = toJsonValue(stated);
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
