/** A software bill of materials in CycloneDX 1.6. Source: cyclonedx.org, "CycloneDX v1.6 JSON Reference". */
import type { App, Build } from '../../apps/app.ts';
import type { DependencyAnalysis } from '../../packages/analysis/analysis.ts';
import type { Library } from './compare-libraries.ts';

export const sbomContentType = 'application/vnd.cyclonedx+json; version=1.6';

/** How sure a file in the package makes its identity: a list that Maven wrote, a file with a version, a name alone. */
const confidences = { properties: 0.95, version: 0.9, module: 0.5, file: 0.3 } as const;

/**
 * The same build has the same document as long as it is not analyzed again.
 * @param analyzedAt epoch ms
 */
export function createSbom(
  app: App,
  build: Build,
  { source, libraries, edges }: DependencyAnalysis,
  analyzedAt: number,
): Record<string, unknown> {
  const references = referencesOf(libraries);
  const needed = Map.groupBy(edges, ([from]) => from);
  const direct = libraries.flatMap(({ direct: isDirect }, index) => (isDirect ? [references[index]] : []));
  const root = { ref: 'app', ...(direct.length > 0 ? { dependsOn: direct } : {}) };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(build.sha256)}`,
    version: 1,
    metadata: {
      timestamp: new Date(analyzedAt).toISOString(),
      tools: { components: [{ type: 'application', name: 'Slipway' }] },
      component: {
        type: 'application',
        'bom-ref': 'app',
        name: app.packageName,
        version: build.info.versionName ?? build.info.versionCode,
        description: build.info.name,
        hashes: [{ alg: 'SHA-256', content: build.sha256 }],
        properties: [
          { name: 'slipway:revision', value: String(build.revision) },
          { name: 'slipway:platform', value: app.platform },
          { name: 'slipway:versionCode', value: build.info.versionCode },
          { name: 'slipway:source', value: source },
        ],
      },
    },
    components: libraries.map((library, index) => componentOf(library, references[index] ?? '')),
    dependencies: [
      root,
      ...libraries.map((_, index) => {
        const targets = [...new Set(needed.get(index)?.map(([, to]) => references[to]))];
        return { ref: references[index], ...(targets.length > 0 ? { dependsOn: targets } : {}) };
      }),
    ],
    // What files in a package show is never all that it contains.
    ...(source === 'declared' ? {} : { compositions: [{ aggregate: 'incomplete', assemblies: ['app'] }] }),
  };
}

function componentOf(library: Library, reference: string): Record<string, unknown> {
  const { group, name, version, sha256 } = library;
  return {
    type: library.ecosystem === 'ios' ? 'framework' : 'library',
    'bom-ref': reference,
    ...(group === null ? {} : { group }),
    name,
    ...(version === null ? {} : { version }),
    purl: purlOf(library),
    ...(sha256 === null ? {} : { hashes: [{ alg: 'SHA-256', content: sha256 }] }),
    ...evidenceOf(library),
  };
}

function evidenceOf({ evidence, version }: Library): Record<string, unknown> {
  if (evidence === null) return {};
  const kind = evidence.endsWith('/pom.properties')
    ? 'properties'
    : evidence.endsWith('.kotlin_module')
      ? 'module'
      : version === null
        ? 'file'
        : 'version';
  const confidence = confidences[kind];
  const technique = kind === 'properties' || kind === 'version' ? 'manifest-analysis' : 'filename';
  return {
    evidence: {
      identity: [
        {
          field: version === null ? 'name' : 'version',
          confidence,
          methods: [{ technique, confidence, value: evidence }],
        },
      ],
    },
  };
}

/**
 * A framework or a native library does not say which registry it is from: the name of a pod or a Swift package can differ from that of
 * its framework. Names are percent-encoded, as the specification of package URLs requires.
 */
export function purlOf({ ecosystem, group, name, version }: Library): string {
  const isMaven = ecosystem === 'maven' && group !== null;
  const path = (isMaven ? [group, name] : [name]).map(encodeURIComponent).join('/');
  const suffix = version === null ? '' : `@${encodeURIComponent(version)}`;
  return `pkg:${isMaven ? 'maven' : 'generic'}/${path}${suffix}`;
}

/** References must be unique in a document. */
function referencesOf(libraries: readonly Library[]): string[] {
  const seen = new Map<string, number>();
  return libraries.map((library) => {
    const own = purlOf(library);
    const count = (seen.get(own) ?? 0) + 1;
    seen.set(own, count);
    return count === 1 ? own : `${own}#${count}`;
  });
}

/** A UUID of version 8, which holds bits of the digest. */
function uuidOf(sha256: string): string {
  const variant = ((Number.parseInt(sha256.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    sha256.slice(0, 8),
    sha256.slice(8, 12),
    `8${sha256.slice(13, 16)}`,
    `${variant}${sha256.slice(17, 20)}`,
    sha256.slice(20, 32),
  ].join('-');
}
