import type { XmlElement } from '../../apk/binary-xml.ts';
import type { TypedValue } from '../../apk/typed-value.ts';
import type { DrawingCanvas } from '../drawing-work.ts';
import type { SvgNode } from '../svg.ts';
import type { DrawableFiles } from './drawable-files.ts';

/** In dp, as everything that is drawn. */
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

/** One of Android's drawables, read and ready to be drawn at any place and size. */
export interface Drawable {
  /** In dp; null when it has no size of its own. */
  width: number | null;
  height: number | null;
  /** What it asks of the layers above it in a `<layer-list>`. */
  padding: Insets;
  draw(box: Box, canvas: DrawingCanvas): SvgNode[];
}

export interface DrawableReader {
  files: DrawableFiles;
  /** A name that no other element of this picture has. */
  newId(): string;
  /** What a value stands for: a colour, a picture or another drawable. Null for what cannot be read. */
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
