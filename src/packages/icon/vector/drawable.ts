import type { XmlElement } from '../../apk/binary-xml.ts';
import type { TypedValue } from '../../apk/typed-value.ts';
import type { DrawingCanvas } from '../drawing-cost.ts';
import type { SvgNode } from '../svg.ts';
import type { DrawableFiles } from './drawable-files.ts';

/** In dp, like all drawings. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Insets {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A parsed Android drawable that can be drawn at any position and size. */
export interface Drawable {
  /** In dp; null if it has no intrinsic size. */
  width: number | null;
  height: number | null;
  /** The padding for the layers above it in a `<layer-list>`. */
  padding: Insets;
  draw(box: Box, canvas: DrawingCanvas): SvgNode[];
}

export interface DrawableReader {
  files: DrawableFiles;
  /** Returns a unique element id. */
  newId(): string;
  /** Resolves a value to a color, a picture or another drawable. Null if it cannot be read. */
  readValue(value: TypedValue | null): Promise<Drawable | null>;
  readElement(element: XmlElement): Promise<Drawable | null>;
}

export const noPadding: Insets = { left: 0, top: 0, right: 0, bottom: 0 };

export function inset(box: Box, by: Insets): Box {
  return {
    x: box.x + by.left,
    y: box.y + by.top,
    width: Math.max(0, box.width - by.left - by.right),
    height: Math.max(0, box.height - by.top - by.bottom),
  };
}

export function addInsets(a: Insets, b: Insets): Insets {
  return {
    left: a.left + b.left,
    top: a.top + b.top,
    right: a.right + b.right,
    bottom: a.bottom + b.bottom,
  };
}
