/** What a symbol file is, and which binaries of a build it describes. Validated where it enters the server. */
import * as v from 'valibot';

/** A zip archive of dSYM bundles, the mapping of R8 or ProGuard, and a zip archive of native libraries with their symbols. */
export const symbolFileKinds = ['dsym', 'mapping', 'native'] as const;

/** An app with a hundred frameworks for two processors has two hundred. */
export const maxSymbolBinaries = 1_000;
export const maxBinaryNameLength = 200;

export const symbolFileFacts = v.object({
  kind: v.picklist(symbolFileKinds),
  binaries: v.pipe(
    v.array(
      v.object({
        name: v.pipe(v.string(), v.maxLength(maxBinaryNameLength)),
        architecture: v.nullable(v.pipe(v.string(), v.maxLength(64))),
        /** The UUID of a Mach-O file, the build ID of an ELF file or the id of a mapping, in lower case; null if it states none. */
        id: v.nullable(v.pipe(v.string(), v.maxLength(128))),
      }),
    ),
    v.maxLength(maxSymbolBinaries),
  ),
});

export type SymbolFileFacts = v.InferOutput<typeof symbolFileFacts>;
export type SymbolFileKind = SymbolFileFacts['kind'];
export type SymbolBinary = SymbolFileFacts['binaries'][number];
