/** The symbol files of builds: uploaded ones, and the mapping that an app bundle contains. */
import type { App, Build } from '../../apps/app.ts';
import { buildEntry } from '../../apps/builds/build-audit.ts';
import type { BuildChange } from '../../apps/builds/build-changes.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { type SymbolFile, symbolFileQueries } from '../../apps/files/symbol-file-queries.ts';
import { parseBlobKey, symbolKey } from '../../blobs/blob-key.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { SpooledFile } from '../../blobs/spool/spool.ts';
import { CommitUnknown, conflict, invalid, NotFound } from '../../core/errors.ts';
import { newHexKey, newIdentifier } from '../../core/identifier.ts';
import type { Connection, Data } from '../../db/data.ts';
import { actorName } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { checkQuota, quotaReached, remainingStorage } from '../../owners/quota.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import type { AndroidAnalysis, PackageAnalysis } from '../../packages/analysis/analysis.ts';
import { UnreadablePackage } from '../../packages/package-info.ts';
import type { PackageReader } from '../../packages/package-reader.ts';
import type { SymbolBinary, SymbolFileFacts, SymbolFileKind } from '../../packages/symbols/symbol-file.ts';
import { loadAnalysis } from '../analyses.ts';
import { symbolTexts } from './symbol-texts.ts';

/** An app with many frameworks for two processors has archives of about a gigabyte. */
export const maxSymbolFileBytes = 2 * 1024 * 1024 * 1024;
export const maxSymbolFilesPerBuild = 50;
const maxFileNameLength = 200;
/** Part of the form with the file. */
export const symbolField = 'file';

export type BundleMapping = NonNullable<AndroidAnalysis['mapping']>;

export interface SymbolFileWithMatch extends SymbolFile {
  /** Whether any of its binaries is in the build; null if that is unknown. */
  matches: boolean | null;
  binaries: (SymbolBinary & { matches: boolean | null })[];
}

export interface BuildSymbols {
  files: SymbolFileWithMatch[];
  /** The mapping within the uploaded app bundle. */
  bundleMapping: BundleMapping | null;
}

export interface SymbolFiles {
  load(build: Build): Promise<BuildSymbols>;
  /** Returns how large a file may be. Throws `conflict` or `forbidden` if the build has too many files or the quota is reached. */
  maxBytesFor(change: BuildChange, announcedBytes: number): Promise<number>;
  /**
   * Stores a file. If the build has one with this content already, returns that one. Throws `invalid` for a file that contains no
   * symbols, `NotFound` if the build was deleted in the meantime, and like `maxBytesFor`.
   */
  add(change: BuildChange, file: SpooledFile, fileName: string): Promise<SymbolFileWithMatch>;
  /** Throws `NotFound` if the build has no such file. */
  remove(change: BuildChange, id: string): Promise<void>;
}

export interface SymbolFilesDeps {
  data: Data;
  blobs: BlobStore;
  packages: Pick<PackageReader, 'readSymbolFile'>;
  limits: { maxUploadBytes: number };
  now: () => number;
}

const t = symbolTexts.errors;

export function createSymbolFiles(deps: SymbolFilesDeps): SymbolFiles {
  const { data, blobs, now } = deps;
  const load = async (build: Build): Promise<BuildSymbols> => {
    const found = await loadAnalysis(data, build.id);
    const analysis = found.state === 'analyzed' ? found.analysis : null;
    const files = await symbolFileQueries(data).list(build.id);
    return {
      files: files.map((file) => withMatch(file, analysis)),
      // In an APK set, positions are those within a part of the file.
      bundleMapping: build.apk === null ? null : (analysis?.android?.mapping ?? null),
    };
  };
  const store = async ({ by, app, build }: BuildChange, file: SymbolFile): Promise<boolean> =>
    data.transaction(async (tx) => {
      if (!(await quotaQueries(tx).lockForUpload(app.owner.id))) throw new NotFound();
      if (!(await buildQueries(tx).findBuild(build.id))) throw new NotFound(t.gone);
      if (!(await symbolFileQueries(tx).insert(file))) return false;
      if ((await symbolFileQueries(tx).count(build.id)) > maxSymbolFilesPerBuild) throw tooMany();
      for (const { quota, usage } of await quotaQueries(tx).quotaUsagesOf(app.owner.id))
        checkQuota(quota, usage);
      const details = { file: file.fileName };
      await auditQueries(tx).record(
        buildEntry('build.symbols-added', by, app, build, file.createdAt, details),
      );
      return true;
    });
  return {
    load,
    maxBytesFor: async ({ app, build }, announcedBytes) => {
      if ((await symbolFileQueries(data).count(build.id)) >= maxSymbolFilesPerBuild) throw tooMany();
      const remaining = await remainingBytes(data, app);
      if (remaining <= 0 || announcedBytes > remaining) throw quotaReached();
      return Math.min(maxSymbolFileBytes, deps.limits.maxUploadBytes, remaining);
    },
    add: async (change, spooled, fileName) => {
      const { by, app, build } = change;
      const facts = await readFacts(deps, spooled, app.owner.id);
      const at = now();
      const file: SymbolFile = {
        id: newIdentifier(at),
        buildId: build.id,
        appId: app.id,
        fileName: cleanFileName(fileName) || defaultNames[facts.kind],
        facts,
        blob: symbolKey(build.id, newHexKey()),
        sizeBytes: spooled.sizeBytes,
        sha256: spooled.sha256,
        uploadedBy: actorName(by),
        createdAt: at,
      };
      const key = parseBlobKey(file.blob);
      try {
        await blobs.put(key, spooled);
        if (!(await store(change, file))) await blobs.remove(key);
      } catch (error) {
        // The sweep removes what remains. The original error matters more.
        if (!(error instanceof CommitUnknown)) await blobs.remove(key).catch(() => undefined);
        throw error;
      }
      const stored = (await load(build)).files.find(({ sha256 }) => sha256 === file.sha256);
      if (!stored) throw new NotFound(t.gone);
      return stored;
    },
    remove: async ({ by, app, build }, id) => {
      const blob = await data.transaction(async (tx) => {
        await quotaQueries(tx).lockForUpload(app.owner.id);
        const removed = await symbolFileQueries(tx).remove(build.id, id);
        if (removed !== null)
          await auditQueries(tx).record(buildEntry('build.symbols-deleted', by, app, build, now()));
        return removed;
      });
      if (blob === null) throw new NotFound();
      await blobs.remove(parseBlobKey(blob));
    },
  };
}

const tooMany = () => conflict(t.tooMany({ limit: maxSymbolFilesPerBuild }));

const remainingBytes = async (data: Connection, app: App) =>
  remainingStorage(await quotaQueries(data).quotaUsagesOf(app.owner.id));

async function readFacts(
  { packages }: SymbolFilesDeps,
  file: SpooledFile,
  ownerId: string,
): Promise<SymbolFileFacts> {
  const facts = await packages.readSymbolFile(file.path, ownerId).catch((error: unknown) => {
    if (error instanceof UnreadablePackage) throw invalid(t.unreadable({ reason: error.message }));
    throw error;
  });
  if (!facts) throw invalid(t.unrecognized);
  return facts;
}

const defaultNames = {
  dsym: 'dSYMs.zip',
  mapping: 'mapping.txt',
  native: 'native-debug-symbols.zip',
} as const satisfies Record<SymbolFileKind, string>;

/** Some browsers and tools send a path. */
const cleanFileName = (name: string) =>
  (name.split(/[\\/]/).at(-1) ?? '').replace(/\p{C}/gu, '').trim().slice(-maxFileNameLength);

/** Compares its ids with those of the build. */
export function withMatch(file: SymbolFile, analysis: PackageAnalysis | null): SymbolFileWithMatch {
  const known = analysis && idsOf(analysis)[file.facts.kind];
  const binaries = file.facts.binaries.map((binary) => ({
    ...binary,
    matches: binary.id === null || !known || known.size === 0 ? null : known.has(binary.id),
  }));
  const results = binaries.map(({ matches }) => matches);
  return {
    ...file,
    binaries,
    matches: results.includes(true) ? true : results.includes(false) ? false : null,
  };
}

/** An analysis by an earlier version has no ids. */
function idsOf({ ios, android }: PackageAnalysis): Record<SymbolFileKind, ReadonlySet<string>> {
  const set = (ids: readonly (string | null | undefined)[] = []) =>
    new Set(ids.filter((id) => typeof id === 'string'));
  return {
    dsym: set(ios?.executables.map(({ uuid }) => uuid)),
    mapping: set(android?.dex.map(({ mapId }) => mapId)),
    native: set(android?.nativeLibraries.map(({ buildId }) => buildId)),
  };
}
