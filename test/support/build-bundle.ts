/** Android App Bundles of a few hundred bytes. */
import { manifestWith, tableMessage } from '../packages/bundle/bundle-messages.ts';
import { buildZip } from './build-zip.ts';

const damagedMark = Buffer.from('the content of this file is damaged');

export function buildBundle(
  spec: { minSdk?: number; files?: Record<string, Buffer>; isDamaged?: boolean } = {},
): Buffer {
  const bytes = buildZip([
    { name: 'base/manifest/AndroidManifest.xml', content: manifestWith(spec.minSdk ?? 24) },
    { name: 'base/resources.pb', content: tableMessage },
    ...Object.entries(spec.files ?? {}).map(([name, content]) => ({ name, content })),
    ...(spec.isDamaged ? [{ name: 'base/assets/damaged', content: damagedMark, method: 0 }] : []),
  ]);
  // Its facts can be read, but the checksum of this file no longer matches.
  if (spec.isDamaged) bytes.write('T', bytes.indexOf(damagedMark));
  return bytes;
}
