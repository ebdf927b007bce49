/** Converts `aapt.pb.Item` to `Res_value` of Android's ResourceTypes.h. */
import { bitsOf, damagedBundle, messageType, type ProtobufMessage } from './protobuf.ts';
import type { Span, ValuePool } from './value-pool.ts';

/** The data of a string is its index. */
export interface ResourceValue {
  type: number;
  data: number;
}

/** Fields of `Item`. */
const item = { ref: 1, string: 2, rawString: 3, styledString: 4, file: 5, id: 6, primitive: 7 } as const;
const itemFields = Object.values(item);
const itemBits = bitsOf(itemFields);
const plainText = messageType('String', [1]);
const empty = messageType('Id', []);
const boolean = messageType('Boolean', [1]);
const span = messageType('Span', [1, 2, 3]);
const styledString = messageType('StyledString', [1], [2]);
export const itemType = messageType('Item', itemFields);
export const fileType = messageType('FileReference', [1, 2]);
export const referenceType = messageType('Reference', [1, 2, 3, 4, 5, 6, 7]);
/** The highest value of `Reference.Type`. */
const maxReferenceKind = 1;
export const stringType = 0x03;
export const integerType = 0x10;
const booleanType = 0x12;

/** Types of primitives by field; null for those handled below. */
const primitiveTypes: Readonly<Record<number, number>> = {
  1: 0x00,
  2: 0x00,
  3: 0x04,
  4: 0x05,
  5: 0x06,
  6: integerType,
  7: 0x11,
  8: booleanType,
  9: 0x1c,
  10: 0x1d,
  11: 0x1e,
  12: 0x1f,
  13: 0x05,
  14: 0x06,
};
const primitiveFields = Object.keys(primitiveTypes).map(Number);
const primitiveBits = bitsOf(primitiveFields);
const primitive = messageType('Primitive', primitiveFields);
const [nullField, emptyField, booleanField] = [1, 2, 8];

/** @param config index of the configuration, which determines the order of the strings */
export function readValue(message: ProtobufMessage, pool: ValuePool, config: number): ResourceValue {
  const kind = message.which(itemBits);
  switch (kind) {
    case item.string:
    case item.rawString:
      return stringValue(pool.add(message.read(message.part(kind), plainText).part(1), config));
    case item.file:
      return stringValue(pool.addPath(message.read(message.part(kind), fileType).part(1), config));
    case item.styledString: {
      const styled = message.read(message.part(kind), styledString);
      return stringValue(pool.addStyled(styled.part(1), spansOf(styled), config));
    }
    default:
      return readPlainValue(message);
  }
}

const stringValue = (data: number): ResourceValue => ({ type: stringType, data });

function* spansOf(styled: ProtobufMessage): Generator<Span> {
  for (const one of styled.messages(2, span)) {
    yield { tag: one.part(1), first: one.number(2), last: one.number(3) };
  }
}

/** Reads a value that is not text. */
export function readPlainValue(message: ProtobufMessage): ResourceValue {
  const kind = message.which(itemBits);
  switch (kind) {
    case item.id:
      message.read(message.part(kind), empty);
      return { type: booleanType, data: 0 };
    case item.ref:
      return referenceOf(message.read(message.part(kind), referenceType));
    case item.primitive:
      return primitiveOf(message.read(message.part(kind), primitive));
    default:
      throw damagedBundle();
  }
}

/** Whether the value is text, which XML stores as a separate string. */
export const isText = (message: ProtobufMessage) => {
  const kind = message.which(itemBits);
  return kind === item.string || kind === item.rawString;
};

/** Whether it has a value. */
export const hasValue = (message: ProtobufMessage) => message.which(itemBits) !== null;

/** Reference: 1 type (0 reference, 1 attribute), 2 id, 5 is_dynamic. References of shared libraries are dynamic. */
function referenceOf(reference: ProtobufMessage): ResourceValue {
  if (reference.number(1) > maxReferenceKind) throw damagedBundle();
  const id = reference.number(2);
  const isDynamic =
    reference.message(5, boolean)?.number(1) === 1 && id >>> 24 !== 0 && ((id >>> 16) & 0xff) !== 0;
  const isAttribute = reference.number(1) === 1;
  return { type: isAttribute ? (isDynamic ? 0x08 : 0x02) : isDynamic ? 0x07 : 0x01, data: id };
}

function primitiveOf(message: ProtobufMessage): ResourceValue {
  const field = message.which(primitiveBits);
  const type = field === null ? undefined : primitiveTypes[field];
  if (field === null || type === undefined) throw damagedBundle();
  if (field === nullField) return { type, data: 0 };
  if (field === emptyField) return { type, data: 1 };
  const data = message.number(field);
  return { type, data: field === booleanField && data !== 0 ? 0xffffffff : data };
}

/** Res_value: size 2, zero 1, type 1, data 4. */
export const valueWords = ({ type, data }: ResourceValue) => [((type << 24) | 8) >>> 0, data] as const;
