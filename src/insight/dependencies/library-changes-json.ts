/** What changed between the libraries of two builds, in `/api/v1`. */
import * as v from 'valibot';
import { textShape } from '../../core/json-shapes.ts';
import type { DependencyAnalysis } from '../../packages/analysis/analysis.ts';
import { compareLibraries, type Library, libraryName } from './compare-libraries.ts';

const version = v.pipe(v.nullable(v.string()), v.description('Null if it is unknown.'));
const libraryShape = v.object({
  library: textShape('`group:name`, or the name of a library without a group.'),
  version,
});
const sources = ['declared', 'evidence', 'none'] as const;

export const libraryChangesShape = v.pipe(
  v.object({
    sources: v.pipe(
      v.object({ from: v.picklist(sources), to: v.picklist(sources) }),
      v.description(
        'Whether the libraries of each build are declared by an app bundle, or those that files in the package show. If they differ, so do the lists.',
      ),
    ),
    added: v.array(libraryShape),
    removed: v.array(libraryShape),
    changed: v.array(
      v.object({
        library: v.string(),
        from: version,
        to: version,
        change: v.pipe(
          v.picklist(['upgraded', 'downgraded', 'changed']),
          v.description(
            '`changed`: one of the versions is unknown, or they only differ in how they are written. Versions are ordered as in Maven.',
          ),
        ),
      }),
    ),
  }),
  v.title('LibraryChanges'),
);

export function libraryChangesJson(
  from: DependencyAnalysis,
  to: DependencyAnalysis,
): v.InferOutput<typeof libraryChangesShape> {
  const { added, removed, changed } = compareLibraries(from, to);
  const show = (library: Library) => ({ library: libraryName(library), version: library.version });
  return {
    sources: { from: from.source, to: to.source },
    added: added.map(show),
    removed: removed.map(show),
    changed: changed.map(({ library, ...versions }) => ({ library: libraryName(library), ...versions })),
  };
}
