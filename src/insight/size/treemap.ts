/** Squarified treemaps: rectangles whose areas are proportional to sizes, as close to squares as possible. */

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Lays out sizes in descending order (Bruls, Huizing, van Wijk: "Squarified Treemaps", 2000). Returns one rectangle per size. Sizes
 * of zero get rectangles without an area.
 */
export function layOutTreemap(sizes: readonly number[], box: Rectangle): Rectangle[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total === 0) return sizes.map(() => ({ ...box, width: 0, height: 0 }));
  const scale = (box.width * box.height) / total;
  const areas = sizes.map((size) => size * scale);
  const placed: Rectangle[] = [];
  let free = box;
  for (let start = 0; start < areas.length; ) {
    const side = Math.min(free.width, free.height);
    let end = start + 1;
    while (
      end < areas.length &&
      worstRatio(areas, start, end + 1, side) <= worstRatio(areas, start, end, side)
    )
      end += 1;
    const row = placeRow(areas.slice(start, end), free);
    placed.push(...row.placed);
    free = row.free;
    start = end;
  }
  return placed;
}

/** The largest ratio of sides among rectangles from `start` to `end` in one row along `side`. */
function worstRatio(areas: readonly number[], start: number, end: number, side: number): number {
  const row = areas.slice(start, end);
  const sum = row.reduce((total, area) => total + area, 0);
  const [largest = 0, smallest = 0] = [row[0], row.at(-1)];
  if (sum === 0 || smallest === 0 || side === 0) return Number.POSITIVE_INFINITY;
  return Math.max((side ** 2 * largest) / sum ** 2, sum ** 2 / (side ** 2 * smallest));
}

function placeRow(areas: readonly number[], free: Rectangle): { placed: Rectangle[]; free: Rectangle } {
  const sum = areas.reduce((total, area) => total + area, 0);
  const isColumn = free.width >= free.height;
  const side = isColumn ? free.height : free.width;
  const depth = side === 0 ? 0 : Math.min(sum / side, isColumn ? free.width : free.height);
  let offset = 0;
  const placed = areas.map((area) => {
    const length = depth === 0 ? 0 : area / depth;
    const rectangle = isColumn
      ? { x: free.x, y: free.y + offset, width: depth, height: length }
      : { x: free.x + offset, y: free.y, width: length, height: depth };
    offset += length;
    return rectangle;
  });
  const rest = isColumn
    ? { ...free, x: free.x + depth, width: free.width - depth }
    : { ...free, y: free.y + depth, height: free.height - depth };
  return { placed, free: rest };
}
