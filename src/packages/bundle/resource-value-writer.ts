/** `aapt.pb.Item` as `Res_value` of Android's ResourceTypes.h. */
import { damagedBundle, type MessageType, messageType, type ProtobufMessage } from './protobuf.ts';
import { normalPriority, type PoolString, type StringPoolWriter } from './string-pool-writer.ts';

/** The data of a string is its index, which is known when the pool is complete. */
export interface ResourceValue {
  type: number;
  data: number | PoolString;
}

/** Fields of `Item`. */
const item = { ref: 1, string: 2, rawString: 3, styledString: 4, file: 5, id: 6, primitive: 7 } as const;
const itemFields = Object.values(item);
const plainText = messageType('String', [1]);
const empty = messageType('Id', []);
const boolean = messageType('Boolean', [1]);
const span = messageType('Span', [1, 2, 3]);
const styledString = messageType('StyledString', [1], [2]);
export const itemType = messageType('Item', itemFields);
export const fileType = messageType('FileReference', [1, 2]);
export const referenceType = messageType('Reference', [1, 2, 3, 4, 5, 6, 7]);
/** The last of `Reference.Type`. */
const maxReferenceKind = 1;
const stringType = 0x03;
export const integerType = 0x10;
const booleanType = 0x12;
/** Paths of files come first in a pool. */
const pathPriority = 1;

/** Types of primitives by their field; null: see below. */
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
const primitive = messageType('Primitive', primitiveFields);
const [nullField, emptyField, booleanField] = [1, 2, 8];

/** @param configKey of the configuration, which orders the strings */
export function readValue(
  message: ProtobufMessage,
  pool: StringPoolWriter,
  configKey: string,
): ResourceValue {
  const text = (field: number, type: MessageType = plainText, priority = normalPriority) => ({
    type: stringType,
    data: pool.add(message.message(field, type)?.text(1) ?? '', priority, configKey),
  });
  switch (message.which(...itemFields)) {
    case item.string:
      return text(item.string);
    case item.rawString:
      return text(item.rawString);
    case item.file:
      return text(item.file, fileType, pathPriority);
    case item.styledString: {
      const styled = message.message(item.styledString, styledString);
      const spans = (styled?.messages(2, span) ?? []).map((one) => ({
        tag: one.text(1),
        first: one.number(2),
        last: one.number(3),
      }));
      return { type: stringType, data: pool.addStyled(styled?.text(1) ?? '', spans, configKey) };
    }
    default:
      return readPlainValue(message);
  }
}

/** A value without text. */
export function readPlainValue(message: ProtobufMessage): ResourceValue & { data: number } {
  switch (message.which(...itemFields)) {
    case item.id:
      message.message(item.id, empty);
      return { type: booleanType, data: 0 };
    case item.ref:
      return referenceOf(message.message(item.ref, referenceType));
    case item.primitive:
      return primitiveOf(message.message(item.primitive, primitive));
    default:
      throw damagedBundle();
  }
}

/** Whether the value is text, which XML keeps as its own string. */
export const isText = (message: ProtobufMessage) => {
  const kind = message.which(...itemFields);
  return kind === item.string || kind === item.rawString;
};

/** Whether it is a value at all. */
export const hasValue = (message: ProtobufMessage) => message.which(...itemFields) !== null;

/** Reference: 1 type (0 reference, 1 attribute), 2 id, 5 is_dynamic. References of shared libraries are dynamic. */
function referenceOf(reference: ProtobufMessage | null): ResourceValue & { data: number } {
  if (!reference || reference.number(1) > maxReferenceKind) throw damagedBundle();
  const id = reference.number(2);
  const isDynamic =
    reference.message(5, boolean)?.number(1) === 1 && id >>> 24 !== 0 && ((id >>> 16) & 0xff) !== 0;
  const isAttribute = reference.number(1) === 1;
  return { type: isAttribute ? (isDynamic ? 0x08 : 0x02) : isDynamic ? 0x07 : 0x01, data: id };
}

function primitiveOf(message: ProtobufMessage | null): ResourceValue & { data: number } {
  const field = message?.which(...primitiveFields) ?? null;
  const type = field === null ? undefined : primitiveTypes[field];
  if (!message || field === null || type === undefined) throw damagedBundle();
  if (field === nullField) return { type, data: 0 };
  if (field === emptyField) return { type, data: 1 };
  const data = message.number(field);
  return { type, data: field === booleanField && data !== 0 ? 0xffffffff : data };
}

/** Res_value: size 2, zero 1, type 1, data 4. */
export function writeValue({ type, data }: ResourceValue): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(8, 0);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt32LE(typeof data === 'number' ? data : data.index, 4);
  return bytes;
}
