/** What grew and what shrank between two builds. */
import { sizeDifference } from '../../apps/compare/compare-builds.ts';
import { formatBytes } from '../../core/byte-size.ts';
import { Badge } from '../../web/components/callout.tsx';
import type { SizeChange, SizeComparison } from './compare-sizes.ts';
import { categoryTint } from './size-categories.ts';
import { NameCell, Section, SizeTable } from './size-table.tsx';
import { sizeTexts } from './size-texts.ts';

const t = sizeTexts.growth;

interface GrowthProps {
  comparison: SizeComparison;
  /** How many files are listed of those that grew and of those that shrank. */
  maxFiles: number;
}

/** Rows in each direction. */
const maxComparedFiles = 25;

/** For the comparison of two builds. */
export const renderGrowth = (comparison: SizeComparison) => (
  <Section id="size" title={sizeTexts.title}>
    <Growth comparison={comparison} maxFiles={maxComparedFiles} />
  </Section>
);

export function Growth({ comparison, maxFiles }: GrowthProps) {
  const { categories, files, codePackages } = comparison;
  if (categories.length + files.length === 0) return <p class="soft">{t.none}</p>;
  return (
    <div class="growth">
      <CategoryGrowth categories={categories} />
      <FileGrowth files={files} maxFiles={maxFiles} />
      {codePackages.length > 0 && (
        <SizeTable
          caption={t.packages}
          columns={[t.packages, t.from, t.to, t.difference]}
          wideColumns={[1, 2]}
          rows={ends(codePackages, maxFiles).map(({ name, ...sizes }) => ({
            id: name,
            cells: [<bdi>{name}</bdi>, ...change(sizes)],
          }))}
          more={codePackages.length - ends(codePackages, maxFiles).length}
        />
      )}
    </div>
  );
}

function CategoryGrowth({ categories }: Pick<SizeComparison, 'categories'>) {
  if (categories.length === 0) return null;
  return (
    <SizeTable
      caption={sizeTexts.category.title}
      columns={[sizeTexts.category.name, t.from, t.to, t.difference]}
      wideColumns={[1]}
      rows={categories.map(({ category, ...sizes }) => ({
        id: category,
        cells: [
          <NameCell name={sizeTexts.categories[category]} tint={categoryTint(category)} />,
          ...change(sizes),
        ],
      }))}
    />
  );
}

function FileGrowth({ files, maxFiles }: { files: readonly SizeChange[]; maxFiles: number }) {
  if (files.length === 0) return null;
  const shown = ends(files, maxFiles);
  return (
    <SizeTable
      caption={t.file}
      columns={[t.file, t.from, t.to, t.difference]}
      wideColumns={[1, 2]}
      rows={shown.map((file) => ({
        id: `${file.kind} ${file.path}`,
        cells: [<ChangedFile file={file} />, ...change(file)],
      }))}
      more={files.length - shown.length}
    />
  );
}

function ChangedFile({ file }: { file: SizeChange }) {
  const name = file.kind === 'folder' ? t.otherFiles({ folder: file.path }) : file.path;
  return (
    <NameCell
      name={
        <>
          <bdi>{name}</bdi>
          {(file.kind === 'added' || file.kind === 'removed') && (
            <>
              {' '}
              <Badge>{t[file.kind]}</Badge>
            </>
          )}
        </>
      }
      line={file.exact ? null : t.inexact}
    />
  );
}

/** The first and the last changes: sorted by growth, these are what grew and what shrank most. */
function ends<Change extends { from: number; to: number }>(
  changes: readonly Change[],
  max: number,
): Change[] {
  const grew = changes.filter(({ from, to }) => to > from).slice(0, max);
  const shrank = changes.filter(({ from, to }) => to < from).slice(-max);
  return [...grew, ...shrank];
}

function change({ from, to }: { from: number; to: number }) {
  return [
    <span class="soft">{from === 0 ? '–' : formatBytes(from)}</span>,
    to === 0 ? '–' : formatBytes(to),
    <strong>{sizeDifference({ from, to }).bytes}</strong>,
  ];
}
