/** Analyzes one package in the package reader process: each part once, each within its limits. */
import { findUniversalApk, partOf } from '../apk/apk-set.ts';
import { isBundle } from '../bundle/bundle-modules.ts';
import { describeArchive } from '../classify-package.ts';
import { type AppBundle, hasAppInPayload, openAppInPayload } from '../ipa/app-bundle.ts';
import { UnreadablePackage } from '../package-info.ts';
import { hasSimulatorApp, openSimulatorApp } from '../read-simulator-zip.ts';
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
import { isApkSet, openSplitApks } from './split-apks.ts';

/** The inflated bytes are those that all parts read into memory one after another; the directory limits what describes the files. */
const zipLimits = { maxInflatedBytes: 3 * 1024 * 1024 * 1024, maxDirectoryBytes: 32 * 1024 * 1024 };

/**
 * What exceeds a limit or cannot be read becomes a gap.
 * @throws UnreadablePackage if the file is no package that can be opened
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
  const opened = await openZip(file, zipLimits);
  const universalApk = await findUniversalApk(opened);
  if (!universalApk) return analyzeArchive(opened);
  return analyzeArchive(await openZip(partOf(file, universalApk), zipLimits));
}

async function analyzeArchive(opened: ZipArchive): Promise<PackageAnalysis> {
  const gaps: AnalysisGap[] = [];
  const { archive, kind, openApp } = await openPackage(opened);
  const size = await measureArchive(archive, kind, opened.file.sizeBytes, gaps);
  globalThis.gc?.();
  const app = openApp && (await collectGap(gaps, 'properties', null, () => analyzeIos(openApp(), gaps)));
  const android = openApp ? null : await analyzeAndroid(archive, kind.kind === 'bundle', gaps);
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

interface OpenPackage {
  archive: ZipArchive;
  kind: PackageKind;
  /** Null for Android. */
  openApp: (() => AppBundle) | null;
}

/** @throws UnreadablePackage with a message that states what the file is instead */
async function openPackage(opened: ZipArchive): Promise<OpenPackage> {
  const archive = collectingGarbage(opened);
  if (isBundle(archive)) return { archive, kind: { kind: 'bundle' }, openApp: null };
  if (archive.find('AndroidManifest.xml')) return { archive, kind: { kind: 'apk' }, openApp: null };
  if (isApkSet(archive)) {
    const set = await openSplitApks(opened, zipLimits);
    return {
      archive: collectingGarbage(set.archive),
      kind: { kind: 'split-apks', apks: set.apks },
      openApp: null,
    };
  }
  if (hasAppInPayload(archive))
    return { archive, kind: { kind: 'ipa', root: 'Payload/' }, openApp: () => openAppInPayload(archive) };
  if (!hasSimulatorApp(archive)) throw new UnreadablePackage(describeArchive(archive));
  const { root } = openSimulatorApp(archive);
  return { archive, kind: { kind: 'simulator', root }, openApp: () => openSimulatorApp(archive) };
}
