/** Symbol files in `/api/v1`. */
import * as v from 'valibot';
import type { App, Build } from '../../apps/app.ts';
import { buildSymbolsPath } from '../../apps/app-paths.ts';
import { formatTime, integerShape, textShape, timeShape } from '../../core/json-shapes.ts';
import { symbolFileKinds } from '../../packages/symbols/symbol-file.ts';
import type { BuildSymbols, SymbolFileWithMatch } from './symbol-files.ts';

/** In place of an id: the mapping that the uploaded app bundle contains. */
export const bundleMappingId = 'bundle-mapping';

const matchShape = (description: string) => v.pipe(v.nullable(v.boolean()), v.description(description));

export const symbolFileShape = v.pipe(
  v.object({
    id: v.pipe(
      v.string(),
      v.description(`\`${bundleMappingId}\` for the mapping within an app bundle, which cannot be deleted.`),
    ),
    kind: v.picklist(symbolFileKinds),
    file_name: v.string(),
    size: integerShape('Bytes.'),
    sha256: v.pipe(v.nullable(v.string()), v.description('Null for the mapping within an app bundle.')),
    url: textShape('Needs the same permission as this operation.'),
    matches: matchShape('Whether any ID in it is also in the build; null if that is unknown.'),
    binaries: v.array(
      v.object({
        name: v.string(),
        architecture: v.nullable(v.string()),
        id: v.pipe(
          v.nullable(v.string()),
          v.description('UUID of Mach-O, build ID of ELF, or `pg_map_id` of R8; lowercase.'),
        ),
        matches: matchShape('Whether the ID is in the build; null if that is unknown.'),
      }),
    ),
    uploaded_by: v.string(),
    created_at: timeShape(),
  }),
  v.title('SymbolFile'),
);

type SymbolFileJson = v.InferOutput<typeof symbolFileShape>;

export const symbolFilePath = (app: App, build: Build, id: string) =>
  `${buildSymbolsPath(app, build.revision)}/${encodeURIComponent(id)}`;

export function symbolFileJson(
  app: App,
  build: Build,
  file: SymbolFileWithMatch,
  origin: string,
): SymbolFileJson {
  return {
    id: file.id,
    kind: file.facts.kind,
    file_name: file.fileName,
    size: file.sizeBytes,
    sha256: file.sha256,
    url: `${origin}${symbolFilePath(app, build, file.id)}/file`,
    matches: file.matches,
    binaries: file.binaries,
    uploaded_by: file.uploadedBy,
    created_at: formatTime(file.createdAt),
  };
}

export function symbolFilesJson(
  app: App,
  build: Build,
  { files, bundleMapping }: BuildSymbols,
  origin: string,
): SymbolFileJson[] {
  const inBundle: SymbolFileJson[] = bundleMapping
    ? [
        {
          id: bundleMappingId,
          kind: 'mapping',
          file_name: bundleMappingName,
          size: bundleMapping.bytes,
          sha256: null,
          url: `${origin}${symbolFilePath(app, build, bundleMappingId)}/file`,
          matches: true,
          binaries: [],
          uploaded_by: build.uploadedBy,
          created_at: formatTime(build.createdAt),
        },
      ]
    : [];
  return [...inBundle, ...files.map((file) => symbolFileJson(app, build, file, origin))];
}

export const bundleMappingName = 'proguard.map';
