/** The contents of a folder as a map of rectangles. Each is an entry of a list, and a link if there is more inside. */
import { formatBytes } from '../../core/byte-size.ts';
import { formatShare } from '../../web/components/formats.ts';
import { categoryTint } from './size-categories.ts';
import { sizeTexts } from './size-texts.ts';
import type { SizeContents, SizeNode } from './size-tree.ts';
import { layOutTreemap, type Rectangle } from './treemap.ts';

const t = sizeTexts.contents;

/** Two layouts, because text and rectangles cannot be scaled together. Styles show one of them. In pixels. */
const layouts = {
  wide: { width: 760, height: 380, tiles: 32 },
  narrow: { width: 340, height: 400, tiles: 14 },
} as const;
type Layout = keyof typeof layouts;

/** An upper bound for the width of most characters in the font of the map. */
const characterWidth = 7.4;
const padding = 8;
const lineHeight = 18;

export interface TreemapProps {
  contents: SizeContents;
  /** Whether it shows packages of classes instead of files. */
  isCode: boolean;
  /** Returns the address that shows a folder. */
  addressOf: (path: string) => string;
}

export function Treemap(props: TreemapProps) {
  return (
    <>
      <TreemapLayout {...props} layout="wide" />
      <TreemapLayout {...props} layout="narrow" />
    </>
  );
}

function TreemapLayout({ contents, isCode, addressOf, layout }: TreemapProps & { layout: Layout }) {
  const { width, height, tiles } = layouts[layout];
  const shown = withRest(contents.nodes, tiles);
  const box = { x: 0, y: 0, width, height };
  const places = layOutTreemap(
    shown.map(({ bytes }) => bytes),
    box,
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no lists
    <svg class={`treemap treemap-${layout}`} role="list" aria-label={t.map} height={height}>
      {shown.map((node, index) => (
        <Tile
          key={`${node.kind} ${node.path}`}
          node={node}
          name={nodeName(node, isCode)}
          place={places[index] ?? box}
          box={box}
          share={contents.bytes === 0 ? 0 : node.bytes / contents.bytes}
          address={node.kind === 'folder' ? addressOf(node.path) : null}
        />
      ))}
    </svg>
  );
}

/** The largest nodes; the others are in the table. */
function withRest(nodes: readonly SizeNode[], tiles: number): SizeNode[] {
  if (nodes.length <= tiles) return [...nodes];
  const rest = nodes.slice(tiles - 1);
  const bytes = rest.reduce((sum, node) => sum + node.bytes, 0);
  const more: SizeNode = {
    name: t.more({ count: rest.length }),
    kind: 'file',
    path: ' ',
    bytes,
    count: rest.length,
    category: 'other',
  };
  return [...nodes.slice(0, tiles - 1), more];
}

interface TileProps {
  node: SizeNode;
  name: string;
  place: Rectangle;
  box: Rectangle;
  share: number;
  address: string | null;
}

function Tile({ node, name, place, box, share, address }: TileProps) {
  const values = { name, size: formatBytes(node.bytes), share: formatShare(share) };
  const label = address === null ? t.tile(values) : t.openTile(values);
  const content = (
    <svg
      x={percent(place.x / box.width)}
      y={percent(place.y / box.height)}
      width={percent(place.width / box.width)}
      height={percent(place.height / box.height)}
      class={categoryTint(node.category)}
    >
      <title>{label}</title>
      <rect width="100%" height="100%" />
      <Lines lines={[name, values.size]} place={place} />
    </svg>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no list items
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a group is not interactive
    <g role="listitem">
      {address === null ? (
        // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a group is not interactive
        <g role="img" aria-label={label}>
          {content}
        </g>
      ) : (
        <a href={address} aria-label={label} data-swap="contents-shown">
          {content}
        </a>
      )}
    </g>
  );
}

/** As many lines as fit, cut to the width. */
function Lines({ lines, place }: { lines: readonly string[]; place: Rectangle }) {
  const room = Math.floor((place.height - padding) / lineHeight);
  const characters = Math.floor((place.width - 2 * padding) / characterWidth);
  if (characters < 3) return null;
  return (
    <>
      {lines.slice(0, room).map((line, index) => (
        <text
          key={line}
          x={padding}
          y={padding + 11 + index * lineHeight}
          class={index === 0 ? 'name' : undefined}
        >
          {line.length <= characters ? line : `${line.slice(0, characters - 1)}…`}
        </text>
      ))}
    </>
  );
}

export function nodeName({ name, kind }: SizeNode, isCode: boolean): string {
  if (kind === 'rest') return isCode ? t.ownClasses : t.otherFiles;
  return kind === 'folder' && !isCode ? `${name}/` : name;
}

const percent = (share: number) => `${Math.round(share * 10_000) / 100}%`;
