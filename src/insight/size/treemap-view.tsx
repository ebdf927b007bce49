/**
 * The contents of a folder as a map of rectangles, in which larger folders show what they contain. Each is an entry of a list, and
 * a link if there is more inside.
 */
import { Fragment } from 'preact';
import { formatBytes } from '../../core/byte-size.ts';
import { formatPart } from '../../web/components/formats.ts';
import { categoryTint } from './size-categories.ts';
import { sizeTexts } from './size-texts.ts';
import type { SizeContents, SizeNode } from './size-tree.ts';
import { layOutTreemap, type Rectangle } from './treemap.ts';

const t = sizeTexts.contents;

/** Two layouts, because text and rectangles cannot be scaled together. Styles show one of them. In pixels; the width is stretched. */
const layouts = {
  wide: { width: 720, height: 420, tiles: 32 },
  narrow: { width: 350, height: 440, tiles: 18 },
} as const;
type Layout = keyof typeof layouts;

/** The header of a folder that shows what it contains, and its other edges. */
const header = 24;
const edge = 3;
/** The smallest folder that shows what it contains. */
const leastFolder = { width: 90, height: 84 };
/** One nested rectangle for each area of this size, so that the page stays small. */
const areaPerTile = 7000;
/** The smallest rectangles that have room for a name, and below it for a size. */
const leastName = { width: 40, height: 20 };
const leastSize = { width: 66, height: 40 };

export interface TreemapProps {
  contents: SizeContents;
  /** Whether it shows packages of classes instead of files. */
  isCode: boolean;
  /** Returns the address that shows a folder. */
  addressOf: (path: string) => string;
  /** Returns what a folder directly contains, the largest first. */
  nodesOf: (path: string) => readonly SizeNode[];
}

export function Treemap(props: TreemapProps) {
  return (
    <>
      <TreemapLayout {...props} layout="wide" />
      <TreemapLayout {...props} layout="narrow" />
    </>
  );
}

function TreemapLayout(props: TreemapProps & { layout: Layout }) {
  const { contents, layout } = props;
  const { width, height, tiles } = layouts[layout];
  const placed = placeNodes(contents.nodes, { width, height }, tiles);
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no lists
    <svg class={`treemap treemap-${layout}`} role="list" aria-label={t.map} height={height}>
      {placed.map((placed) => (
        // biome-ignore lint/a11y/useSemanticElements: SVG has no list items
        // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a group is not interactive
        <g key={`${placed.node.kind} ${placed.node.path}`} role="listitem">
          <Tile {...props} {...placed} />
        </g>
      ))}
    </svg>
  );
}

type Box = Pick<Rectangle, 'width' | 'height'>;
type Position = Record<keyof Rectangle, string>;

interface PlacedNode {
  node: SizeNode;
  place: Rectangle;
  /** Attributes that place the rectangle in its box, which is stretched to the width of the page. */
  position: Position;
}

/** The largest nodes that have an area; what follows them is one rectangle, and is in the table. */
function placeNodes(nodes: readonly SizeNode[], box: Box, tiles: number): PlacedNode[] {
  const shown = withRest(nodes, tiles);
  const places = layOutTreemap(
    shown.map(({ bytes }) => bytes),
    { ...box, x: 0, y: 0 },
  );
  return shown.flatMap((node, index) => {
    const place = places[index];
    return place && place.width * place.height > 0 ? [{ node, place, position: positionIn(box, place) }] : [];
  });
}

function withRest(nodes: readonly SizeNode[], tiles: number): SizeNode[] {
  if (nodes.length <= tiles) return [...nodes];
  const rest = nodes.slice(tiles - 1);
  const more: SizeNode = {
    name: t.more({ count: rest.length }),
    kind: 'file',
    path: ' ',
    bytes: rest.reduce((sum, { bytes }) => sum + bytes, 0),
    count: rest.length,
    category: rest[0]?.category ?? 'other',
  };
  return [...nodes.slice(0, tiles - 1), more].sort((one, other) => other.bytes - one.bytes);
}

function positionIn(box: Box, { x, y, width, height }: Rectangle): Position {
  return {
    x: percent(x / box.width),
    y: percent(y / box.height),
    width: percent(width / box.width),
    height: percent(height / box.height),
  };
}

const percent = (share: number) => `${Math.round(share * 10_000) / 100}%`;

/** A drawing, and above it what people point at and read. */
function Tile({ contents, isCode, addressOf, nodesOf, ...placed }: TreemapProps & PlacedNode) {
  const { node, place, position } = placed;
  const isFolder = node.kind === 'folder';
  const nodes = isFolder && hasRoom(place, leastFolder) ? nodesOf(node.path) : [];
  const values = {
    name: nodeName(node, isCode),
    size: formatBytes(node.bytes),
    share: formatPart(node.bytes, contents.bytes),
  };
  const label = isFolder ? t.openTile(values) : t.tile(values);
  const face = (
    <>
      <title>{label}</title>
      <rect class="ring" {...position} />
      <Text {...values} {...placed} isHeader={nodes.length > 0} />
    </>
  );
  return (
    <>
      <rect
        class={nodes.length > 0 ? 'map-folder' : categoryTint(node.category)}
        {...position}
        rx={cornerRadius}
      />
      {nodes.length > 0 && <Inside {...placed} nodes={nodes} isCode={isCode} />}
      {isFolder ? (
        <a href={addressOf(node.path)} aria-label={label} data-swap="contents-shown">
          {face}
        </a>
      ) : (
        // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a group is not interactive
        <g role="img" aria-label={label}>
          {face}
        </g>
      )}
    </>
  );
}

/** What a folder contains, below its header. */
function Inside(props: PlacedNode & { nodes: readonly SizeNode[]; isCode: boolean }) {
  const { place, position, nodes, isCode } = props;
  const inner = {
    x: edge,
    y: header,
    width: place.width - 2 * edge,
    height: place.height - header - edge,
  };
  const tiles = Math.ceil((inner.width * inner.height) / areaPerTile);
  return (
    <svg {...position} aria-hidden="true">
      <svg {...positionIn(place, inner)} class="map-inside" aria-hidden="true">
        {placeNodes(nodes, inner, tiles).map((inside) => (
          <Fragment key={`${inside.node.kind} ${inside.node.path}`}>
            <rect class={categoryTint(inside.node.category)} {...inside.position} rx={cornerRadius} />
            <Text name={nodeName(inside.node, isCode)} size={formatBytes(inside.node.bytes)} {...inside} />
          </Fragment>
        ))}
      </svg>
    </svg>
  );
}

const cornerRadius = 4;

/** A name and, where there is room, a size. */
function Text(props: Omit<PlacedNode, 'node'> & { name: string; size: string; isHeader?: boolean }) {
  const { name, size, place, position, isHeader = false } = props;
  if (!hasRoom(place, leastName)) return null;
  return (
    <foreignObject {...position}>
      <p class={isHeader ? 'tile-head' : undefined}>
        <b>{name}</b> {(isHeader || hasRoom(place, leastSize)) && <span>{size}</span>}
      </p>
    </foreignObject>
  );
}

const hasRoom = (place: Box, least: Box) => place.width >= least.width && place.height >= least.height;

export function nodeName({ name, kind }: SizeNode, isCode: boolean): string {
  if (kind === 'rest') return isCode ? t.ownClasses : t.otherFiles;
  return kind === 'folder' && !isCode ? `${name}/` : name;
}
