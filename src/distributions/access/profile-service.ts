/**
 * Renders the profile that requests the identifiers of an Apple device (Apple, "Over-the-Air Profile Delivery and Configuration",
 * payload type Profile Service). Nothing is installed. The profile is not signed, and iOS says so.
 */
import { createHash } from 'node:crypto';
import { escapeXml } from '../install/install-manifest.ts';

export interface ProfileService {
  /** Absolute URL to which the device posts its response. */
  responseUrl: string;
  challenge: string;
  pageId: string;
  organization: string;
  displayName: string;
  description: string;
}

/** The only requested attributes. None identifies a phone number, line or hardware address. */
const deviceAttributes = ['UDID', 'PRODUCT', 'VERSION', 'DEVICE_NAME'];

export function renderProfileService(profile: ProfileService): string {
  const entry = (key: string, text: string) => `<key>${key}</key><string>${escapeXml(text)}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>PayloadContent</key><dict>
${entry('URL', profile.responseUrl)}
<key>DeviceAttributes</key><array>
${deviceAttributes.map((name) => `<string>${name}</string>`).join('\n')}
</array>
${entry('Challenge', profile.challenge)}
</dict>
${entry('PayloadOrganization', profile.organization)}
${entry('PayloadDisplayName', profile.displayName)}
${entry('PayloadDescription', profile.description)}
<key>PayloadVersion</key><integer>1</integer>
${entry('PayloadUUID', uuidOf(profile.pageId))}
${entry('PayloadIdentifier', `slipway.device.${profile.pageId}`)}
${entry('PayloadType', 'Profile Service')}
</dict></plist>
`;
}

/** Constant for each page (RFC 9562, version 8), so that a second download replaces the first. */
function uuidOf(pageId: string): string {
  const bytes = createHash('sha256')
    .update('slipway device profile\0')
    .update(pageId)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    .toUpperCase();
}
