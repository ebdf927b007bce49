/** Writes protocol buffers, and the messages of small bundles. Independent of the reader. */
export type Field = readonly [number: number, value: number | string | Buffer];

export function encode(...fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.concat([varint((number << 3) | 0), varint(value >>> 0)]);
      const bytes = Buffer.from(value);
      return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
    }),
  );
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  return Buffer.from([...bytes, left]);
}

const android = 'http://schemas.android.com/apk/res/android';
const plain = (name: string, value: string) => encode([2, name], [3, value]);
/** `item`: an `aapt.pb.Item`. */
const withId = (name: string, id: number, item: Buffer, value = '') =>
  encode([1, android], [2, name], [3, value], [5, id], [6, item]);
const text = (value: string) => encode([2, encode([1, value])]);
const integer = (value: number) => encode([7, encode([6, value])]);
const reference = (id: number) => encode([1, encode([2, id])]);
const element = (name: string, attributes: readonly Buffer[], children: readonly Buffer[] = []) =>
  encode([
    1,
    encode(
      [1, encode([1, 'android'], [2, android])],
      [3, name],
      ...attributes.map((one): Field => [4, one]),
      ...children.map((one): Field => [5, one]),
    ),
  ]);

const boolean = (value: boolean) => encode([7, encode([8, value ? 1 : 0])]);

export const labelId = 0x7f010000;
/** `referring`: attributes of the application that refer to a resource, as name, id and id of the resource. */
export const manifestWith = (
  minSdk: number,
  referring: readonly (readonly [string, number, number])[] = [],
) =>
  element(
    'manifest',
    [
      plain('package', 'com.example.bundle'),
      withId('versionCode', 0x0101021b, integer(7)),
      withId('versionName', 0x0101021c, text('1.7'), '1.7'),
    ],
    [
      element('uses-sdk', [withId('minSdkVersion', 0x0101020c, integer(minSdk))]),
      element('application', [
        withId('label', 0x01010001, reference(labelId)),
        ...referring.map(([name, id, to]) => withId(name, id, reference(to))),
      ]),
    ],
  );
export const manifestMessage = manifestWith(24);

const distribution = 'http://schemas.android.com/apk/distribution';
const dist = (name: string, attributes: readonly Buffer[], children: readonly Buffer[] = []) =>
  encode([
    1,
    encode(
      [2, distribution],
      [3, name],
      ...attributes.map((one): Field => [4, one]),
      ...children.map((one): Field => [5, one]),
    ),
  ]);
const distAttribute = (name: string, value: Buffer | string) =>
  typeof value === 'string'
    ? encode([1, distribution], [2, name], [3, value])
    : encode([1, distribution], [2, name], [6, value]);

/** The manifest of a feature, or of a pack of assets. */
export function moduleManifest(spec: {
  isFused: boolean;
  type?: string;
  activity?: string;
  /** A value of the activity. */
  metaData?: string;
}): Buffer {
  const type = spec.type === undefined ? [] : [distAttribute('type', spec.type)];
  const metaData =
    spec.metaData === undefined
      ? []
      : [
          element('meta-data', [
            withId('name', 0x01010003, text('key'), 'key'),
            withId('value', 0x01010024, text(spec.metaData), spec.metaData),
          ]),
        ];
  const activity = spec.activity ?? 'com.example.Unnamed';
  return element(
    'manifest',
    [plain('package', 'com.example.bundle')],
    [
      dist('module', type, [dist('fusing', [distAttribute('include', boolean(spec.isFused))])]),
      element(
        'application',
        [],
        [element('activity', [withId('name', 0x01010003, text(activity), activity)], metaData)],
      ),
    ],
  );
}

/** One string in the default and in one other language. */
export const tableMessage = encode([
  2,
  encode(
    [1, encode([1, 0x7f])],
    [2, 'com.example.bundle'],
    [
      3,
      encode(
        [1, encode([1, 1])],
        [2, 'string'],
        [
          3,
          encode(
            [2, 'label'],
            [6, encode([1, Buffer.alloc(0)], [2, encode([4, text('Tides \u{1f30a}')])])],
            [6, encode([1, encode([3, 'de-DE'])], [2, encode([4, text('Gezeiten')])])],
          ),
        ],
      ),
    ],
  ),
]);

export const nested = (depth: number): Buffer =>
  Array.from({ length: depth }).reduce<Buffer>((inner) => element('a', [], [inner]), element('a', []));
