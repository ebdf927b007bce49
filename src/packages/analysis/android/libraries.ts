/** The libraries of an Android package: as the build declares them in an app bundle, otherwise as files inside show them. */
import { maxNameLength } from '../../apk/android-manifest.ts';
import { messageType, readProtobuf } from '../../bundle/protobuf.ts';
import type { ZipArchive, ZipEntry } from '../../zip/zip-archive.ts';
import type { AnalysisGap, AndroidAnalysis, DependencyAnalysis } from '../analysis.ts';
import { addGap, checkSize, collectGap, LimitExceeded } from '../gaps.ts';

type Library = DependencyAnalysis['libraries'][number];

/** The largest real messages have about a hundred kilobytes. */
export const maxDependenciesBytes = 8 * 1024 * 1024;
/** Large apps have about a thousand libraries. */
export const maxLibraries = 5_000;
export const maxEdges = 50_000;
/** Size of a file that has the version of a library, and of `pom.properties`. */
export const maxVersionFileBytes = 16 * 1024;
/** Files in `META-INF` that are looked at. Large apps have some hundred. */
export const maxEvidenceFiles = 10_000;

/** @see app_dependencies.proto of the Android Gradle plugin */
const dependenciesType = messageType('AppDependencies', [], [1, 2, 3]);
const libraryType = messageType('Library', [1, 2]);
const mavenType = messageType('MavenLibrary', [1, 2, 3, 4, 5]);
const digestsType = messageType('Digests', [1]);
const edgesType = messageType('LibraryDependencies', [1], [2]);
const moduleType = messageType('ModuleDependencies', [1], [2]);
/** Newer versions of the plugin can add fields, which change nothing of those that are read. */
const ignoreUnknown = () => undefined;

export const dependenciesPath = 'BUNDLE-METADATA/com.android.tools.build.libraries/dependencies.pb';

/** @throws UnreadablePackage if the message is damaged or exceeds a limit */
export function readDeclaredLibraries(bytes: Buffer): DependencyAnalysis {
  const message = readProtobuf(withoutLength(bytes), dependenciesType, ignoreUnknown);
  const libraries: Library[] = [];
  /** By index in the message. Libraries that are not from Maven are left out. */
  const indexes: (number | null)[] = [];
  for (const one of message.messages(1, libraryType)) {
    if (indexes.length === maxLibraries) throw new LimitExceeded('too_many');
    const maven = one.message(1, mavenType);
    indexes.push(maven ? libraries.length : null);
    if (!maven) continue;
    const digest = one.message(2, digestsType)?.part(1);
    libraries.push({
      ecosystem: 'maven',
      group: maven.text(1).slice(0, maxNameLength),
      name: maven.text(2).slice(0, maxNameLength),
      version: maven.text(5).slice(0, maxNameLength) || null,
      sha256:
        digest && digest.end - digest.start === 32
          ? digest.bytes.subarray(digest.start, digest.end).toString('hex')
          : null,
      evidence: null,
      direct: null,
    });
  }
  const edges: [number, number][] = [];
  for (const one of message.messages(2, edgesType)) {
    const from = indexes[one.number(1)];
    for (const index of one.numbers(2)) {
      const to = indexes[index];
      if (from === undefined || from === null || to === undefined || to === null) continue;
      if (edges.length === maxEdges) throw new LimitExceeded('too_many');
      edges.push([from, to]);
    }
  }
  markDirect(libraries, [...directIndexes()]);
  return { source: 'declared', libraries, edges };

  function* directIndexes(): Generator<number> {
    for (const module of message.messages(3, moduleType))
      for (const index of module.numbers(2)) {
        const known = indexes[index];
        if (known !== undefined && known !== null) yield known;
      }
  }
}

/** Version 3 of the Android Gradle plugin wrote the length of the message first. A message begins with the tag of a library. */
function withoutLength(bytes: Buffer): Buffer {
  let length = 0;
  for (let at = 0; at < Math.min(bytes.length, 4); at++) {
    const byte = bytes[at] ?? 0;
    length |= (byte & 0x7f) << (at * 7);
    if (byte < 0x80)
      return bytes[0] !== 0x0a && length === bytes.length - at - 1 ? bytes.subarray(at + 1) : bytes;
  }
  return bytes;
}

/** A message without modules does not state which libraries are direct. */
function markDirect(libraries: Library[], direct: readonly number[]): void {
  if (direct.length === 0) return;
  const known = new Set(direct);
  for (const [index, library] of libraries.entries()) library.direct = known.has(index);
}

const metaInf = /^(?:[^/]+(?:\/root|\.apk)\/)?META-INF\/(.+)$/;

/**
 * Collects the libraries that files of the package name: versions that AndroidX and others leave in META-INF, `pom.properties` of Maven,
 * and modules of Kotlin, which have no version.
 */
export async function findEvidence(archive: ZipArchive, gaps: AnalysisGap[]): Promise<DependencyAnalysis> {
  const found = new Map<string, Library>();
  let filesLeft = maxEvidenceFiles;
  for (const entry of archive.entries) {
    const path = metaInf.exec(entry.name)?.[1];
    if (path === undefined) continue;
    if (filesLeft-- === 0) {
      addGap(gaps, 'metadata', null, 'too_many');
      break;
    }
    const library = await collectGap(gaps, 'metadata', entry, () => readEvidence(archive, entry, path));
    if (!library) continue;
    if (found.size === maxLibraries) {
      addGap(gaps, 'metadata', null, 'too_many');
      break;
    }
    const key = library.name;
    const known = found.get(key);
    if (!known || (known.version === null && library.version !== null)) found.set(key, library);
  }
  const libraries = [...found.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  return { source: libraries.length === 0 ? 'none' : 'evidence', libraries, edges: [] };
}

const keyOf = ({ group, name }: Library) => `${group ?? ''}:${name}`;

async function readEvidence(archive: ZipArchive, entry: ZipEntry, path: string): Promise<Library | null> {
  const readText = async () => {
    checkSize(entry, maxVersionFileBytes);
    return (await archive.read(entry, maxVersionFileBytes)).toString('utf8');
  };
  if (/^maven\/[^/]+\/[^/]+\/pom\.properties$/.test(path)) {
    const lines = (await readText()).split('\n');
    const value = (key: string) =>
      lines
        .find((line) => line.startsWith(`${key}=`))
        ?.slice(key.length + 1)
        .trim()
        .slice(0, maxNameLength);
    const name = value('artifactId');
    return name ? evidence(entry, value('groupId') ?? null, name, value('version')) : null;
  }
  const versioned = /^([^/]+)\.version$/.exec(path)?.[1];
  if (versioned !== undefined) return readVersionFile(entry, versioned, await readText());
  const module = /^([^/]+)\.kotlin_module$/.exec(path)?.[1];
  return module === undefined ? null : kotlinModule(entry, module);
}

/** Names such as `androidx.core_core-ktx`; coroutines have one without their group. */
function readVersionFile(entry: ZipEntry, name: string, text: string): Library | null {
  const coroutines = /^kotlinx_coroutines_(\w+)$/.exec(name)?.[1];
  if (coroutines !== undefined)
    return evidence(
      entry,
      'org.jetbrains.kotlinx',
      `kotlinx-coroutines-${coroutines.replaceAll('_', '-')}`,
      text,
    );
  const end = name.lastIndexOf('_');
  const [group, artifact] = [name.slice(0, Math.max(end, 0)), name.slice(end + 1)];
  return /^[\w-]+(?:\.[\w-]+)+$/.test(group) && /^[\w.-]+$/.test(artifact)
    ? evidence(entry, group, artifact, text)
    : null;
}

/** The variant of the build is part of the name; modules of apps have names that say nothing. */
function kotlinModule(entry: ZipEntry, module: string): Library | null {
  const name = module.replace(/_(?:release|debug)$/, '').slice(0, maxNameLength);
  if (/^(?:app|main)(?:[_.-]|$)/.test(name)) return null;
  const group = /^kotlin-(?:stdlib|reflect|test|parcelize|android)/.test(name)
    ? 'org.jetbrains.kotlin'
    : null;
  return evidence(entry, group, name, undefined);
}

function evidence(entry: ZipEntry, group: string | null, name: string, version: string | undefined): Library {
  const stated = version?.trim() ?? '';
  return {
    ecosystem: group === null ? 'other' : 'maven',
    group: group?.slice(0, maxNameLength) ?? null,
    name: name.slice(0, maxNameLength),
    // Some builds left the name of a task instead of the version.
    version: /^\d[\w.+-]{0,99}$/.test(stated) ? stated : null,
    sha256: null,
    evidence: entry.name,
    direct: null,
  };
}

/** Lists native libraries once for all kinds of processors, with the digest of the first. */
export function nativeDependencies(libraries: AndroidAnalysis['nativeLibraries']): Library[] {
  const byName = new Map<string, Library>();
  for (const { path, sha256 } of libraries) {
    const name = path.slice(path.lastIndexOf('/') + 1).slice(0, maxNameLength);
    if (!byName.has(name) && byName.size < maxLibraries)
      byName.set(name, {
        ecosystem: 'native',
        group: null,
        name,
        version: null,
        sha256,
        evidence: path,
        direct: null,
      });
  }
  return [...byName.values()];
}
