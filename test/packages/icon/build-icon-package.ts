/** Builds packages with compiled drawables. */

import { drawIcon } from '../../../src/packages/icon/draw-icon.ts';
import { openPicture, openPixels } from '../../../src/packages/icon/image-library.ts';
import {
  type DrawableAttribute,
  drawableAttributes,
} from '../../../src/packages/icon/vector/drawable-attributes.ts';
import type { IconChoice } from '../../../src/packages/package-info.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildBinaryXml, type XmlElementSpec, type XmlValueSpec } from '../../support/build-binary-xml.ts';
import { buildResourceTable, type ResourceTypeSpec } from '../../support/build-resource-table.ts';
import { buildZip, fileInMemory } from '../../support/build-zip.ts';

export type Attributes = Partial<Record<DrawableAttribute, XmlValueSpec>>;

/** Builds an element of a drawable, with attributes by `android:` name. */
export function element(
  name: string,
  attributes: Attributes = {},
  children: readonly XmlElementSpec[] = [],
): XmlElementSpec {
  const known = Object.entries(drawableAttributes);
  return {
    name,
    attributes: Object.entries(attributes).map(([attribute, value]) => ({
      name: attribute,
      value,
      resourceId: known.find(([candidate]) => candidate === attribute)?.[1] ?? 0,
    })),
    children,
  };
}

export const color = (argb: number) => ({ type: 0x1c, data: argb });
export const float = (number: number) => ({
  type: 0x04,
  data: new Uint32Array(Float32Array.of(number).buffer)[0] ?? 0,
});
/** Whole dp. */
export const dp = (number: number) => ({ type: 0x05, data: ((number << 8) | 0x01) >>> 0 });
/** Percent of the whole. */
export const percent = (number: number) => ({
  type: 0x06,
  data: ((Math.round((number / 100) * 2 ** 23) << 8) | 0x30) >>> 0,
});
export const themeAttribute = (id: number) => ({ type: 0x02, data: id });

/** Builds a square vector of this size in dp. */
export function vector(side: number, children: readonly XmlElementSpec[], attributes: Attributes = {}) {
  return element(
    'vector',
    {
      width: dp(side),
      height: dp(side),
      viewportWidth: float(side),
      viewportHeight: float(side),
      ...attributes,
    },
    children,
  );
}

export function path(pathData: string, attributes: Attributes): XmlElementSpec {
  return element('path', { pathData, ...attributes });
}

export interface IconPackageSpec {
  /** By path; compiled unless they are bytes. */
  files: Record<string, XmlElementSpec | Buffer>;
  /** Type ids start at 1, resource ids at 0: the first of the first type is 0x7f010000. */
  resources?: readonly ResourceTypeSpec[];
}

export function buildIconPackage({ files, resources }: IconPackageSpec): Buffer {
  return buildZip([
    ...Object.entries(files).map(([name, content]) => ({
      name,
      content: Buffer.isBuffer(content) ? content : buildBinaryXml(content),
      method: 8,
    })),
    ...(resources ? [{ name: 'resources.arsc', content: buildResourceTable([{ types: resources }]) }] : []),
  ]);
}

/** Draws the file `icon.xml`, or the one chosen. */
export async function drawPackage(
  spec: IconPackageSpec,
  choice: Partial<IconChoice> = {},
): Promise<Buffer | null> {
  const archive = await openZip(fileInMemory(buildIconPackage(spec)));
  return drawIcon(archive, { kind: 'vector', source: 'icon.xml', width: null, height: null, ...choice });
}

/** Draws one element as the icon. */
export function drawElement(icon: XmlElementSpec): Promise<Buffer | null> {
  return drawPackage({ files: { 'icon.xml': icon } });
}

export interface DrawnPixels {
  width: number;
  height: number;
  /** Returns `#rrggbbaa` at a position in shares of the sides. */
  at(x: number, y: number): string;
}

/** Throws unless the picture is a PNG. */
export async function pixelsOf(png: Buffer | null): Promise<DrawnPixels> {
  if (!png) throw new Error('nothing was drawn');
  const metadata = await openPicture(png).metadata();
  if (metadata.format !== 'png') throw new Error(`it is ${metadata.format}`);
  const { data, info } = await openPicture(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return {
    width: info.width,
    height: info.height,
    at(x, y) {
      const column = Math.min(info.width - 1, Math.floor(x * info.width));
      const row = Math.min(info.height - 1, Math.floor(y * info.height));
      const start = (row * info.width + column) * 4;
      return `#${data.toString('hex', start, start + 4)}`;
    },
  };
}

/** A PNG of one color, 0xRRGGBBAA. */
export async function plainPng(width: number, height: number, rgba: number): Promise<Buffer> {
  const pixel = Buffer.alloc(4);
  pixel.writeUInt32BE(rgba);
  return openPixels(Buffer.alloc(width * height * 4, pixel), width, height)
    .png()
    .toBuffer();
}
