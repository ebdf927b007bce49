/** Analyses as the API shows them. */
import * as v from 'valibot';
import { formatTime, integerShape, textShape, timeShape } from '../core/json-shapes.ts';
import { type PackageAnalysis, sizeCategories } from '../packages/analysis/analysis.ts';
import type { BuildAnalysis } from './analyses.ts';
import { compareSizes } from './size/compare-sizes.ts';

const category = v.picklist(sizeCategories);
const bytes = integerShape('Uncompressed.');
const compressedBytes = integerShape('In the package.');
const byteCount = v.pipe(
  v.object({ bytes: v.number(), exact: v.pipe(v.boolean(), v.description('False for an estimate.')) }),
  v.title('ByteCount'),
);

/** What all parts of an analysis share. */
export const analysisStateShape = {
  state: v.pipe(
    v.picklist(['waiting', 'analyzed', 'failed']),
    v.description('`waiting` until the package is analyzed, after the upload.'),
  ),
  failure: v.nullable(textShape('Why the package could not be analyzed.')),
  analyzed_at: v.nullable(timeShape()),
  not_analyzed: v.pipe(
    v.array(v.object({ part: v.string(), path: v.nullable(v.string()), reason: v.string() })),
    v.description('Parts of the package that exceeded a limit or could not be read.'),
  ),
};

export function analysisStateJson(found: BuildAnalysis) {
  return {
    state: found.state,
    failure: found.state === 'failed' ? found.failure : null,
    analyzed_at: found.state === 'waiting' ? null : formatTime(found.analyzedAt),
    not_analyzed: found.state === 'analyzed' ? found.analysis.gaps : [],
  };
}

const sizesShape = v.pipe(
  v.object({
    file_bytes: integerShape('Size of the uploaded package.'),
    download: byteCount,
    install: byteCount,
    categories: v.array(
      v.object({ category, compressed_bytes: compressedBytes, bytes, files: integerShape('Count.') }),
    ),
    files: v.pipe(
      v.array(v.object({ path: v.string(), category, compressed_bytes: compressedBytes, bytes })),
      v.description('The largest, in descending order.'),
    ),
    rest: v.pipe(
      v.array(
        v.object({
          folder: v.string(),
          category,
          compressed_bytes: compressedBytes,
          bytes,
          files: integerShape('Count.'),
        }),
      ),
      v.description('The other files, per folder.'),
    ),
    duplicates: v.array(v.object({ bytes: integerShape('Of one copy.'), paths: v.array(v.string()) })),
    languages: v.array(v.object({ language: v.string(), bytes: compressedBytes })),
    code_packages: v.array(v.object({ name: v.string(), code_bytes: v.number(), classes: v.number() })),
    native_libraries: v.array(v.object({ path: v.string(), abi: v.string(), bytes: v.number() })),
  }),
  v.title('SizeAnalysis'),
);

const fromAndTo = { from: integerShape('Before.'), to: integerShape('After.') };
const growthShape = v.pipe(
  v.object({
    revision: integerShape('The earlier build.'),
    download: v.object({ ...fromAndTo, exact: v.boolean() }),
    install: v.object({ ...fromAndTo, exact: v.boolean() }),
    categories: v.array(v.object({ category, ...fromAndTo })),
    files: v.pipe(
      v.array(
        v.object({
          path: v.string(),
          kind: v.picklist(['added', 'removed', 'changed', 'folder']),
          ...fromAndTo,
          exact: v.pipe(
            v.boolean(),
            v.description('False if a small version may be among the files that are not listed.'),
          ),
        }),
      ),
      v.description('What grew most comes first. `folder`: the files in it that are not listed one by one.'),
    ),
    code_packages: v.array(v.object({ name: v.string(), ...fromAndTo })),
  }),
  v.title('SizeGrowth'),
);

export const sizeShape = v.pipe(
  v.object({
    ...analysisStateShape,
    size: v.nullable(sizesShape),
    growth: v.pipe(
      v.nullable(growthShape),
      v.description('Compressed sizes. Null without `compare`, or if one of the builds is not analyzed.'),
    ),
  }),
  v.title('BuildSize'),
);

/** `earlier`: the build to compare with. */
export function sizeJson(
  found: BuildAnalysis,
  earlier: { revision: number; found: BuildAnalysis } | null = null,
): v.InferOutput<typeof sizeShape> {
  return {
    ...analysisStateJson(found),
    size: found.state === 'analyzed' ? sizesJson(found.analysis) : null,
    growth: earlier && growthJson(found, earlier),
  };
}

function growthJson(found: BuildAnalysis, earlier: { revision: number; found: BuildAnalysis }) {
  if (found.state !== 'analyzed' || earlier.found.state !== 'analyzed') return null;
  const { codePackages, ...comparison } = compareSizes(earlier.found.analysis, found.analysis);
  return { revision: earlier.revision, ...comparison, code_packages: codePackages };
}

function sizesJson({ size, android }: PackageAnalysis): v.InferOutput<typeof sizesShape> {
  return {
    file_bytes: size.fileBytes,
    download: size.download,
    install: size.install,
    categories: size.categories.map(({ compressedBytes, ...sum }) => ({
      ...sum,
      compressed_bytes: compressedBytes,
    })),
    files: size.files.map(({ path, category, compressedBytes, bytes }) => ({
      path,
      category,
      compressed_bytes: compressedBytes,
      bytes,
    })),
    rest: size.rest.map(({ compressedBytes, ...sum }) => ({ ...sum, compressed_bytes: compressedBytes })),
    duplicates: size.duplicates,
    languages: size.languages,
    code_packages: (android?.codePackages ?? []).map(({ name, codeBytes, classes }) => ({
      name,
      code_bytes: codeBytes,
      classes,
    })),
    native_libraries: (android?.nativeLibraries ?? []).map(({ path, abi, bytes }) => ({ path, abi, bytes })),
  };
}
