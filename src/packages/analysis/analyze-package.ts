/** Analyzes one package in the package reader process: each part once, each within its limits. */
import { findUniversalApk, partOf } from '../apk/apk-set.ts';
import { isBundle } from '../bundle/bundle-modules.ts';
import { openRandomAccessFile } from '../zip/open-file.ts';
import { openZip } from '../zip/open-zip.ts';
import type { RandomAccessFile, ZipArchive } from '../zip/zip-archive.ts';
import { type AnalysisGap, analyzerVersion, type PackageAnalysis } from './analysis.ts';
import { analyzeAndroid } from './android/analyze-android.ts';
import { measureArchive, type PackageKind } from './archive-sizes.ts';
import { collectGap } from './gaps.ts';
import { analyzeIos } from './ios/analyze-ios.ts';
import { readMedia } from './media.ts';
import { collectingGarbage } from './read-frugally.ts';
import { findSecrets } from './secrets.ts';

/** Limits the inflated bytes that all parts read into memory one after another. */
const maxInflatedBytes = 2 * 1024 * 1024 * 1024;

/**
 * What exceeds a limit or cannot be read becomes a gap.
 * @throws UnreadablePackage if the file is not an archive that can be opened
 */
export async function analyzePackage(path: string): Promise<PackageAnalysis> {
  const file = await openRandomAccessFile(path);
  try {
    return await analyzeFile(file);
  } finally {
    await file.close();
  }
}

/** Like `analyzePackage`, for an open file. */
export async function analyzeFile(file: RandomAccessFile): Promise<PackageAnalysis> {
  const archive = collectingGarbage(await openZip(file, { maxInflatedBytes }));
  const universalApk = await findUniversalApk(archive);
  if (universalApk) return analyzeFile(partOf(file, universalApk));
  const gaps: AnalysisGap[] = [];
  const kind = kindOf(archive);
  const size = await measureArchive(archive, kind, file.sizeBytes, gaps);
  globalThis.gc?.();
  const android = kind === 'ipa' ? null : await analyzeAndroid(archive, kind === 'bundle', gaps);
  const app =
    kind === 'ipa' ? await collectGap(gaps, 'properties', null, () => analyzeIos(archive, gaps)) : null;
  const dependencies = android?.dependencies ?? app?.dependencies;
  return {
    version: analyzerVersion,
    gaps,
    size: { ...size, media: await readMedia(archive, gaps) },
    android: android?.android ?? null,
    ios: app?.ios ?? null,
    dependencies: dependencies ?? { source: 'none', libraries: [], edges: [] },
    secrets: await findSecrets(archive, gaps),
  };
}

function kindOf(archive: ZipArchive): PackageKind {
  if (isBundle(archive)) return 'bundle';
  return archive.find('AndroidManifest.xml') ? 'apk' : 'ipa';
}
