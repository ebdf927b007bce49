/** Parts of a package in tables: categories, code, libraries, frameworks, catalogs, languages. */
import { formatBytes } from '../../core/byte-size.ts';
import type { AndroidAnalysis, IosAnalysis, PackageAnalysis } from '../../packages/analysis/analysis.ts';
import { formatCount } from '../../web/components/formats.ts';
import { categoryTint } from './size-categories.ts';
import { NameCell, Section, SizeTable } from './size-table.tsx';
import { sizeTexts } from './size-texts.ts';

const t = sizeTexts.inside;
/** Rows per table, which limits the page. */
const maxRows = 12;

export function Categories({ size }: Pick<PackageAnalysis, 'size'>) {
  const c = sizeTexts.category;
  return (
    <SizeTable
      caption={c.title}
      columns={[c.name, c.inPackage, c.unpacked, c.files]}
      wideColumns={[3]}
      rows={size.categories.map(({ category, compressedBytes, bytes, files }) => ({
        id: category,
        cells: [
          <NameCell name={sizeTexts.categories[category]} tint={categoryTint(category)} />,
          formatBytes(compressedBytes),
          formatBytes(bytes),
          formatCount(files),
        ],
      }))}
    />
  );
}

export function Parts({ analysis }: { analysis: PackageAnalysis }) {
  const { android, ios, size } = analysis;
  return (
    <>
      {android && <DexFiles dex={android.dex} />}
      {android && <Libraries libraries={android.nativeLibraries} />}
      {ios && <Frameworks frameworks={ios.frameworks} />}
      {ios && <Catalogs catalogs={ios.assetCatalogs} />}
      <Part
        id="languages"
        title={t.languages}
        columns={[t.language, t.size]}
        rows={size.languages.map(({ language, bytes }) => ({
          id: language,
          cells: [<bdi>{language}</bdi>, formatBytes(bytes)],
        }))}
      />
    </>
  );
}

type Rows = Parameters<typeof SizeTable>[0]['rows'];

function Part(props: {
  id: string;
  title: string;
  columns: readonly string[];
  wideColumns?: readonly number[];
  rows: Rows;
}) {
  const { id, title, columns, wideColumns = [], rows } = props;
  if (rows.length === 0) return null;
  return (
    <Section id={id} title={title}>
      <SizeTable
        caption={title}
        columns={columns}
        wideColumns={wideColumns}
        rows={rows.slice(0, maxRows)}
        more={Math.max(0, rows.length - maxRows)}
      />
    </Section>
  );
}

function DexFiles({ dex }: Pick<AndroidAnalysis, 'dex'>) {
  return (
    <Part
      id="dex"
      title={t.dex}
      columns={[t.name, t.methods, t.classes, t.size]}
      wideColumns={[2]}
      rows={dex.map(({ path, methodReferences, classes, bytes }) => ({
        id: path,
        cells: [<bdi>{path}</bdi>, formatCount(methodReferences), formatCount(classes), formatBytes(bytes)],
      }))}
    />
  );
}

/** By architecture, then by size. */
function Libraries({ libraries }: { libraries: AndroidAnalysis['nativeLibraries'] }) {
  return (
    <Part
      id="libraries"
      title={t.libraries}
      columns={[t.name, t.size]}
      rows={libraries
        .toSorted((one, other) => one.abi.localeCompare(other.abi, 'en') || other.bytes - one.bytes)
        .map(({ path, abi, bytes }) => ({
          id: path,
          cells: [<NameCell name={<bdi>{path.split('/').at(-1)}</bdi>} line={abi} />, formatBytes(bytes)],
        }))}
    />
  );
}

function Frameworks({ frameworks }: Pick<IosAnalysis, 'frameworks'>) {
  return (
    <Part
      id="frameworks"
      title={t.frameworks}
      columns={[t.name, t.size]}
      rows={frameworks
        .toSorted((one, other) => other.bytes - one.bytes)
        .map(({ path, name, version, bytes }) => ({
          id: path,
          cells: [<NameCell name={<bdi>{name}</bdi>} line={version} />, formatBytes(bytes)],
        }))}
    />
  );
}

function Catalogs({ catalogs }: { catalogs: IosAnalysis['assetCatalogs'] }) {
  return (
    <Part
      id="catalogs"
      title={t.catalogs}
      columns={[t.kind, t.assets, t.size]}
      rows={catalogs
        .toSorted((one, other) => other.bytes - one.bytes)
        .map(({ path, kind, bytes, assets }) => ({
          id: `${path} ${kind}`,
          cells: [<NameCell name={<bdi>{kind}</bdi>} line={path} />, formatCount(assets), formatBytes(bytes)],
        }))}
    />
  );
}
