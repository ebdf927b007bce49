/** The contents of a package by file or by package of classes: a map, and the same as a table. */
import { formatBytes } from '../../core/byte-size.ts';
import type { PackageAnalysis } from '../../packages/analysis/analysis.ts';
import { formatPart } from '../../web/components/formats.ts';
import { categoryTint, legendOf } from './size-categories.ts';
import { NameCell, SizeTable } from './size-table.tsx';
import { sizeTexts } from './size-texts.ts';
import { contentsOf, type ShownSizes, type SizeContents, type SizeNode } from './size-tree.ts';
import { nodeName, Treemap } from './treemap-view.tsx';

export interface ContentsView {
  shown: ShownSizes;
  /** The shown folder or package of classes, with the separator; `''` for everything. */
  folder: string;
}

const t = sizeTexts.contents;
const maxRows = 20;

export function Contents(props: { analysis: PackageAnalysis; view: ContentsView; address: string }) {
  const { analysis, view, address } = props;
  const hasCode = (analysis.android?.codePackages.length ?? 0) > 0;
  const shown = hasCode ? view.shown : 'files';
  const contents = contentsOf(analysis, shown, view.folder);
  const addressOf = (folder: string, by: ShownSizes = shown) => {
    const query = new URLSearchParams();
    if (by === 'code') query.set('by', by);
    if (folder !== '') query.set('in', folder);
    const separator = address.includes('?') ? '&' : '?';
    return query.size === 0 ? `${address}#contents` : `${address}${separator}${query}#contents`;
  };
  const isCode = shown === 'code';
  const root = isCode ? t.allCode : t.everything;
  const nodesOf = (folder: string) => contentsOf(analysis, shown, folder).nodes;
  const withInside = (node: SizeNode) => [node, ...(node.kind === 'folder' ? nodesOf(node.path) : [])];
  const link = { contents, isCode, addressOf: (folder: string) => addressOf(folder) };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields
    <div
      id="contents-shown"
      role="group"
      tabIndex={-1}
      aria-label={t.caption({ folder: contents.path || root })}
      data-swap-part
    >
      <div class="contents-bar">
        <Folders {...link} root={root} />
        {hasCode && (
          <nav class="segments" aria-label={t.shown}>
            {(['files', 'code'] as const).map((by) => (
              <a
                key={by}
                href={addressOf('', by)}
                aria-current={by === shown ? 'page' : undefined}
                data-swap="contents-shown"
              >
                {by === 'files' ? t.byFile : t.byCode}
              </a>
            ))}
          </nav>
        )}
      </div>
      <div class="contents-columns">
        <div>
          <Treemap {...link} nodesOf={nodesOf} />
          {!isCode && <Legend nodes={contents.nodes.flatMap(withInside)} />}
          <p class="soft fine">{noteOf(analysis, shown)}</p>
        </div>
        <ContentsTable {...link} root={root} />
      </div>
    </div>
  );
}

interface LinkedContents {
  contents: SizeContents;
  isCode: boolean;
  addressOf: (folder: string) => string;
}

function noteOf({ android }: PackageAnalysis, shown: ShownSizes): string {
  if (shown === 'files') return t.filesLine;
  if (android?.renamed === 'mapped') return t.mapped;
  return android?.renamed === 'obfuscated' ? t.obfuscated : t.codeLine;
}

function Folders({ contents, addressOf, root }: LinkedContents & { root: string }) {
  const above = [{ name: root, path: '' }, ...contents.above];
  return (
    <nav class="contents-path" aria-label={t.path}>
      <ol>
        {above.map(({ name, path }, index) => (
          <li key={path}>
            {index === above.length - 1 ? (
              <bdi aria-current="page">{name}</bdi>
            ) : (
              <a
                href={addressOf(path)}
                data-swap="contents-shown"
                data-swap-up={index === above.length - 2 ? true : undefined}
              >
                <bdi>{name}</bdi>
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Legend({ nodes }: { nodes: readonly SizeNode[] }) {
  return (
    <ul class="legend treemap-legend" aria-label={t.legend}>
      {legendOf(nodes.map(({ category }) => category)).map(({ label, tint }) => (
        <li key={label} class="key">
          <i class={tint} />
          {label}
        </li>
      ))}
    </ul>
  );
}

function ContentsTable(props: LinkedContents & { root: string }) {
  const { contents, root } = props;
  return (
    <SizeTable
      caption={t.caption({ folder: contents.path || root })}
      columns={[t.name, t.size, t.share]}
      rows={contents.nodes.slice(0, maxRows).map((node) => ({
        id: `${node.kind} ${node.path}`,
        cells: [
          <NodeName {...props} node={node} />,
          formatBytes(node.bytes),
          <span class="soft">{formatPart(node.bytes, contents.bytes)}</span>,
        ],
      }))}
      more={Math.max(0, contents.nodes.length - maxRows)}
    />
  );
}

function NodeName({ node, addressOf, isCode }: LinkedContents & { node: SizeNode }) {
  const name = <bdi>{nodeName(node, isCode)}</bdi>;
  const count = isCode ? sizeTexts.classes({ count: node.count }) : sizeTexts.files({ count: node.count });
  const category = sizeTexts.categories[node.category];
  return (
    <NameCell
      name={
        node.kind === 'folder' ? (
          <a href={addressOf(node.path)} data-swap="contents-shown">
            {name}
          </a>
        ) : (
          name
        )
      }
      line={isCode ? count : node.kind === 'file' ? category : `${category} · ${count}`}
      {...(isCode ? {} : { tint: categoryTint(node.category) })}
    />
  );
}
