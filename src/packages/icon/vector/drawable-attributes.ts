/** Ids of drawable attributes (`android.R.attr`). Names may be stripped, so the platform uses ids. */
import { attributeById, type XmlElement } from '../../apk/binary-xml.ts';
import { booleanOf, integerOf, type TypedValue } from '../../apk/typed-value.ts';
import { type DrawableFiles, deviceDensity } from './drawable-files.ts';

export const drawableAttributes = {
  alpha: 0x0101031f,
  angle: 0x010101a0,
  bottom: 0x010101b0,
  bottomLeftRadius: 0x010101ab,
  bottomRightRadius: 0x010101ac,
  centerColor: 0x0101020b,
  centerX: 0x010101a2,
  centerY: 0x010101a3,
  color: 0x010101a5,
  dashGap: 0x010101a7,
  dashWidth: 0x010101a6,
  drawable: 0x01010199,
  end: 0x010104dc,
  endColor: 0x0101019e,
  endX: 0x01010512,
  endY: 0x01010513,
  fillAlpha: 0x010104cc,
  fillColor: 0x01010404,
  fillType: 0x0101051e,
  fromDegrees: 0x010101b3,
  gradientRadius: 0x010101a4,
  gravity: 0x010100af,
  height: 0x01010155,
  id: 0x010100d0,
  innerRadius: 0x0101025f,
  innerRadiusRatio: 0x0101019b,
  inset: 0x010104b5,
  insetBottom: 0x010101ba,
  insetLeft: 0x010101b7,
  insetRight: 0x010101b8,
  insetTop: 0x010101b9,
  left: 0x010101ad,
  maxLevel: 0x010101b2,
  minLevel: 0x010101b1,
  offset: 0x01010514,
  paddingMode: 0x01010457,
  pathData: 0x01010405,
  pivotX: 0x010101b5,
  pivotY: 0x010101b6,
  radius: 0x010101a8,
  right: 0x010101af,
  rotation: 0x01010326,
  scaleX: 0x01010324,
  scaleY: 0x01010325,
  shape: 0x0101019a,
  src: 0x01010119,
  start: 0x010104db,
  startColor: 0x0101019d,
  startX: 0x01010510,
  startY: 0x01010511,
  strokeAlpha: 0x010104cb,
  strokeColor: 0x01010406,
  strokeLineCap: 0x0101040b,
  strokeLineJoin: 0x0101040c,
  strokeMiterLimit: 0x0101040d,
  strokeWidth: 0x01010407,
  thickness: 0x01010260,
  thicknessRatio: 0x0101019c,
  tileMode: 0x01010201,
  tileModeX: 0x01010477,
  tileModeY: 0x01010478,
  tint: 0x01010121,
  tintMode: 0x010103fb,
  top: 0x010101ae,
  topLeftRadius: 0x010101a9,
  topRightRadius: 0x010101aa,
  translateX: 0x0101045a,
  translateY: 0x0101045b,
  trimPathEnd: 0x01010409,
  trimPathOffset: 0x0101040a,
  trimPathStart: 0x01010408,
  type: 0x010101a1,
  useLevel: 0x0101019f,
  viewportHeight: 0x01010403,
  viewportWidth: 0x01010402,
  width: 0x01010159,
} as const;

export type DrawableAttribute = keyof typeof drawableAttributes;

/** A length in dp, or a share of the available space. */
export type Length = { dp: number } | { share: number };

/** The attributes of one element, with resolved references. */
export interface AttributeReader {
  has(name: DrawableAttribute): boolean;
  /** The raw value, with unresolved references. */
  raw(name: DrawableAttribute): TypedValue | null;
  value(name: DrawableAttribute): Promise<TypedValue | null>;
  /** A float, an integer, or a length in dp. */
  number(name: DrawableAttribute, fallback: number): Promise<number>;
  length(name: DrawableAttribute): Promise<Length | null>;
  integer(name: DrawableAttribute, fallback: number): Promise<number>;
  truth(name: DrawableAttribute, fallback: boolean): Promise<boolean>;
  text(name: DrawableAttribute): Promise<string | null>;
}

export function attributesOf(files: DrawableFiles, element: XmlElement): AttributeReader {
  const raw = (name: DrawableAttribute) => attributeById(element, drawableAttributes[name]);
  const value = async (name: DrawableAttribute) => (await files.resolve(raw(name)))?.value ?? null;
  const length = async (name: DrawableAttribute) => lengthOf(await value(name));
  return {
    raw,
    value,
    length,
    has: (name) => raw(name) !== null,
    async number(name, fallback) {
      const found = await length(name);
      if (!found) return fallback;
      return 'dp' in found ? found.dp : found.share;
    },
    async integer(name, fallback) {
      const found = await value(name);
      return (found && integerOf(found)) ?? fallback;
    },
    async truth(name, fallback) {
      const found = await value(name);
      return (found && booleanOf(found)) ?? fallback;
    },
    async text(name) {
      const found = await value(name);
      return found?.kind === 'string' ? found.text : null;
    },
  };
}

const dpOfUnit = { px: 160 / deviceDensity, dip: 1, sp: 1, pt: 160 / 72, in: 160, mm: 160 / 25.4 };

/** Returns null unless the value is a finite number. */
function lengthOf(value: TypedValue | null): Length | null {
  if (!value) return null;
  const length = lengthOrShare(value);
  return length && Number.isFinite('dp' in length ? length.dp : length.share) ? length : null;
}

function lengthOrShare(value: TypedValue): Length | null {
  switch (value.kind) {
    case 'float':
    case 'integer':
      return { dp: value.number };
    case 'dimension':
      return { dp: value.number * dpOfUnit[value.unit] };
    case 'fraction':
      return { share: value.number };
    default:
      return null;
  }
}

/** Returns dp for the available space; the fallback if null. */
export function dpOf(length: Length | null, space: number, fallback: number): number {
  if (!length) return fallback;
  return 'dp' in length ? length.dp : length.share * space;
}
