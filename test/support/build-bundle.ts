/** Android App Bundles of a few hundred bytes. */
import { encode, manifestWith, tableMessage } from '../packages/bundle/bundle-messages.ts';
import { buildZip } from './build-zip.ts';

const damagedMark = Buffer.from('the content of this file is damaged');

export function buildBundle(
  spec: {
    minSdk?: number;
    files?: Record<string, Buffer>;
    isDamaged?: boolean;
    /** A pattern of paths. */
    uncompressed?: string;
  } = {},
): Buffer {
  const bytes = buildZip([
    { name: 'base/manifest/AndroidManifest.xml', content: manifestWith(spec.minSdk ?? 24) },
    { name: 'base/resources.pb', content: tableMessage },
    ...(spec.uncompressed === undefined
      ? []
      : [{ name: 'BundleConfig.pb', content: encode([3, encode([1, spec.uncompressed])]) }]),
    ...Object.entries(spec.files ?? {}).map(([name, content]) => ({
      name,
      content,
      method: spec.uncompressed === undefined ? 0 : 8,
    })),
    ...(spec.isDamaged ? [{ name: 'base/assets/damaged', content: damagedMark, method: 0 }] : []),
  ]);
  // Its facts can be read, but the checksum of this file no longer matches.
  if (spec.isDamaged) bytes.write('T', bytes.indexOf(damagedMark));
  return bytes;
}
