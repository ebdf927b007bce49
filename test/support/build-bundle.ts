/** Android App Bundles of a few hundred bytes. */
import { encode, type Field, manifestWith, tableMessage } from '../packages/bundle/bundle-messages.ts';
import { buildZip } from './build-zip.ts';

const damagedMark = Buffer.from('the content of this file is damaged');

export function buildBundle(
  spec: {
    minSdk?: number;
    files?: Record<string, Buffer>;
    isDamaged?: boolean;
    /** A pattern of paths. */
    uncompressed?: string;
    /** The message of resources.pb. */
    table?: Buffer;
    /** Dimensions by which the bundle is not split: 2 for densities, 3 for languages. */
    unsplit?: readonly number[];
    /** See `manifestWith`. */
    referring?: Parameters<typeof manifestWith>[1];
  } = {},
): Buffer {
  const dimensions = (spec.unsplit ?? []).map((one): Field => [1, encode([1, one], [2, 1])]);
  const config: Field[] = [
    ...(spec.unsplit === undefined ? [] : [[2, encode([1, encode(...dimensions)])] as const]),
    ...(spec.uncompressed === undefined ? [] : [[3, encode([1, spec.uncompressed])] as const]),
  ];
  const bytes = buildZip([
    { name: 'base/manifest/AndroidManifest.xml', content: manifestWith(spec.minSdk ?? 24, spec.referring) },
    { name: 'base/resources.pb', content: spec.table ?? tableMessage },
    ...(config.length === 0 ? [] : [{ name: 'BundleConfig.pb', content: encode(...config) }]),
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
