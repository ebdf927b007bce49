/**
 * Renders the property list that iOS reads before installing an app over the air (Apple Platform Deployment, "Distribute
 * proprietary in-house apps"). Written as text, because every value is escaped in the same way.
 */
export interface InstallManifest {
  packageAddress: string;
  iconAddress: string;
  bundleIdentifier: string;
  bundleVersion: string;
  title: string;
}

export function renderInstallManifest(manifest: InstallManifest): string {
  const asset = (kind: string, address: string) =>
    `<dict><key>kind</key><string>${kind}</string><key>url</key><string>${escapeXml(address)}</string></dict>`;
  const entry = (key: string, value: string) => `<key>${key}</key><string>${escapeXml(value)}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>items</key><array><dict>
<key>assets</key><array>
${asset('software-package', manifest.packageAddress)}
${asset('display-image', manifest.iconAddress)}
</array>
<key>metadata</key><dict>
${entry('bundle-identifier', manifest.bundleIdentifier)}
${entry('bundle-version', manifest.bundleVersion)}
<key>kind</key><string>software</string>
${entry('title', manifest.title)}
</dict>
</dict></array></dict></plist>
`;
}

const xmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML 1.0 does not allow control characters, even when escaped (section 2.2). */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r -\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, (c) => xmlEscapes[c] ?? '');
}
