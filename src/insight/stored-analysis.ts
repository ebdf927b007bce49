/** Analyses as they are stored: compressed JSON within a limit. */
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { PackageAnalysis } from '../packages/analysis/analysis.ts';
import { withFewerFiles } from '../packages/analysis/archive-sizes.ts';

/** Limits what one build adds to the database. */
export const maxStoredAnalysisBytes = 200 * 1024;
/** Compressed JSON of this size is far above any analysis within the limit. */
const maxJsonBytes = 64 * 1024 * 1024;
/** As good as the best levels within a few percent, in a tenth of their time. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/**
 * Returns base64. If there is too much, small files are summed per folder, then lists that explain but decide nothing are left out.
 * Null if even the rest exceeds the limit.
 */
export async function packAnalysis(analysis: PackageAnalysis): Promise<string | null> {
  for (let maxFiles = analysis.size.files.length; maxFiles > 0; maxFiles = Math.floor(maxFiles / 2)) {
    const packed = await pack({ ...analysis, size: withFewerFiles(analysis.size, maxFiles) });
    if (packed.length <= maxStoredAnalysisBytes) return packed;
  }
  const packed = await pack(withoutLists(analysis));
  return packed.length <= maxStoredAnalysisBytes ? packed : null;
}

const pack = async (analysis: PackageAnalysis): Promise<string> =>
  (await compress(JSON.stringify(analysis), options)).toString('base64');

function withoutLists(analysis: PackageAnalysis): PackageAnalysis {
  const { size, dependencies, gaps } = analysis;
  return {
    ...analysis,
    gaps: [...gaps.slice(0, 100), { part: 'archive', path: null, reason: 'too_many' }],
    size: { ...size, files: [], rest: [], duplicates: [], languages: [] },
    dependencies: { ...dependencies, edges: [] },
  };
}

export async function unpackAnalysis(packed: string): Promise<PackageAnalysis> {
  const json = await decompress(Buffer.from(packed, 'base64'), { maxOutputLength: maxJsonBytes });
  return JSON.parse(json.toString());
}
