/** Drawables of random elements, attributes and values, mostly valid. */
import {
  type DrawableAttribute,
  drawableAttributes,
} from '../src/packages/icon/vector/drawable-attributes.ts';
import type { XmlElementSpec, XmlValueSpec } from '../test/support/build-binary-xml.ts';
import { mutateText } from './mutate-content.ts';
import type { RandomSource } from './random.ts';

const elementNames = [
  'vector',
  'group',
  'path',
  'clip-path',
  'gradient',
  'item',
  'adaptive-icon',
  'background',
  'foreground',
  'monochrome',
  'inset',
  'shape',
  'solid',
  'stroke',
  'corners',
  'size',
  'padding',
  'layer-list',
  'bitmap',
  'color',
  'rotate',
  'selector',
  'level-list',
  'animation-list',
  'animated-vector',
  'attr',
  'ripple',
  'transition',
  'nine-patch',
]; // prettier-ignore
/** Valid children of each element. */
const childrenOf: Readonly<Record<string, readonly string[]>> = {
  'adaptive-icon': ['background', 'foreground'],
  background: ['vector', 'shape', 'inset', 'bitmap', 'layer-list', 'color'],
  foreground: ['vector', 'inset', 'bitmap', 'rotate', 'layer-list'],
  vector: ['group', 'path', 'path', 'clip-path'],
  group: ['group', 'path', 'clip-path'],
  shape: ['solid', 'gradient', 'stroke', 'corners', 'size', 'padding'],
  'layer-list': ['item'],
  selector: ['item'],
  item: ['vector', 'shape', 'bitmap', 'inset'],
  inset: ['vector', 'shape', 'bitmap', 'inset'],
  rotate: ['vector', 'shape'],
  gradient: ['item'],
};
const attributeNames = Object.keys(drawableAttributes).filter(
  (name): name is DrawableAttribute => name in drawableAttributes,
);
const lengths: readonly DrawableAttribute[] = ['width', 'height', 'viewportWidth', 'viewportHeight'];
const likely: Readonly<Record<string, readonly DrawableAttribute[]>> = {
  vector: lengths,
  path: ['pathData', 'fillColor', 'strokeColor', 'strokeWidth', 'trimPathEnd'],
  'clip-path': ['pathData'],
  gradient: ['type', 'startColor', 'endColor', 'startX', 'endX', 'gradientRadius', 'angle'],
  group: ['rotation', 'pivotX', 'scaleX', 'translateX'],
  item: ['drawable', 'color', 'offset'],
  background: ['drawable'],
  foreground: ['drawable'],
  solid: ['color'],
  stroke: ['width', 'color', 'dashWidth', 'dashGap'],
  corners: ['radius'],
  bitmap: ['src', 'gravity', 'tileMode', 'tint'],
  inset: ['inset', 'drawable'],
  color: ['color'],
};
const paths = [
  'M0,0h108v108h-108z',
  'M12,2C6.48,2 2,6.48 2,12s4.48,10 10,10 10,-4.48 10,-10S17.52,2 12,2z',
  'M10 10a5 5 0 1 0 9 9q4 4 8 0t8 0L1e9,-1e9Z',
  'm-1.5.5-2-2l3e-3,4zV-4H99A1,2,30,1,1,50,50',
];
const colors = [0xff00ff00, 0x80ffffff, 0, 0xff123456];
const floats = [0, 1, -1, 0.5, 24, 108, 1e-30, 1e30, -1e9, Number.NaN, Number.POSITIVE_INFINITY];
const maxDepth = 40;

/** @param references ids in the package's table */
export function randomDrawable(
  random: RandomSource,
  references: readonly number[],
  rootName?: string,
): XmlElementSpec {
  let left = 1 + random.below(random.chance(0.1) ? 600 : 30);

  function element(name: string, depth: number): XmlElementSpec {
    left--;
    const known = childrenOf[name];
    const children: XmlElementSpec[] = [];
    const count = depth < maxDepth ? random.below(name === 'adaptive-icon' ? 3 : 5) : 0;
    for (let index = 0; index < count && left > 0; index++)
      children.push(
        element(known && random.chance(0.9) ? random.pick(known) : random.pick(elementNames), depth + 1),
      );
    return { name, attributes: attributes(name), children };
  }

  function attributes(name: string): NonNullable<XmlElementSpec['attributes']> {
    const names = new Set((likely[name] ?? []).filter(() => random.chance(0.85)));
    for (let more = random.below(4); more > 0; more--) names.add(random.pick(attributeNames));
    return [...names].map((each) => ({
      name: each,
      resourceId: drawableAttributes[each],
      value: random.chance(0.85) ? likelyValue(each) : anyValue(),
    }));
  }

  function likelyValue(name: DrawableAttribute): XmlValueSpec {
    if (name === 'pathData') return pathData();
    if (lengths.includes(name)) return dimension(random.pick([24, 48, 108]));
    if (/color|tint$/i.test(name))
      return random.chance(0.8) ? { type: 0x1c, data: random.pick(colors) } : reference();
    if (name === 'drawable' || name === 'src') return reference();
    if (/mode|type|gravity|shape|cap|join/i.test(name)) return random.below(8);
    return float(random.chance(0.7) ? random.below(120) : random.pick(floats));
  }

  function anyValue(): XmlValueSpec {
    return random.pick<() => XmlValueSpec>([
      pathData,
      reference,
      () => ({ type: random.below(0x20), data: random.below(2 ** 32) }),
      () => float(random.pick(floats)),
      () => random.chance(0.5),
    ])();
  }

  function pathData(): string {
    const path = random.pick(paths);
    if (random.chance(0.5)) return path;
    if (random.chance(0.1)) return path.repeat(1 + random.below(300));
    return mutateText(Buffer.from(path.replaceAll(' ', ',')), random).toString('latin1');
  }

  const reference = () => ({
    reference: random.chance(0.9) ? random.pick(references) : random.below(2 ** 32),
  });
  return element(rootName ?? random.pick(elementNames), 0);
}

function float(value: number): XmlValueSpec {
  return { type: 0x04, data: new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0 };
}

function dimension(dp: number): XmlValueSpec {
  return { type: 0x05, data: ((dp << 8) | 0x01) >>> 0 };
}
