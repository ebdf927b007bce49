/** Reads `aapt.pb.ResourceTable`. Its strings are added to the pool of the table in the order of the message. */
import { maxResourceTableBytes } from '../apk/read-apk.ts';
import { maxTypeChunks } from '../apk/resource-table.ts';
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { damagedBundle, messageType, type ProtobufMessage, readProtobuf } from './protobuf.ts';
import {
  entryType,
  idOf,
  readEntry,
  type SelectsFor,
  type TableFiles,
  type TableValues,
} from './resource-entry-message.ts';
import { ResourceType, writtenBytesOf } from './resource-type.ts';
import { createStringTable, type StringTable } from './string-table.ts';
import { createTableConfigs } from './table-configs.ts';
import { createValuePool } from './value-pool.ts';

const tableType = messageType('ResourceTable', [1], [2, 3, 4, 5]);
const packageType = messageType('Package', [1, 2], [3]);
const typeType = messageType('Type', [1, 2], [3]);
const packageIdType = messageType('PackageId', [1]);
const typeIdType = messageType('TypeId', [1]);
const overlayableType = messageType('Overlayable', [1, 2, 3]);
const dynamicPackageType = messageType('DynamicRefTable', [1, 2]);

/** Types with entries that only the compiler needs. */
const compilerTypes = new Set(['styleable', 'macro']);
/** Maximum for all tables together, here and below. Real tables have a few. */
export const maxOverlayables = 10_000;
/** Twice the number of types that can have entries, because ids of types and packages have 8 bits. */
export const maxTypeMessages = 131_072;
/** Maximum number of entries that are overlayable or have a staged id. */
export const maxMarkedEntries = 100_000;

export interface ResourceTableMessage extends TableValues {
  /** In the order of the messages. */
  packages: Package[];
  /** Names of shared libraries and features used by references, by id. */
  dynamicPackages: Map<number, string>;
}

export interface Overlayable {
  name: string;
  actor: string;
}
export interface Package {
  id: number;
  name: string;
  types: ResourceType[];
  /** The names of entries. */
  names: StringTable;
  /** The overlayables of its table. */
  overlayables: readonly Overlayable[];
}

/**
 * Reads the tables of several modules as one with packages ordered by id, like bundletool's `ResourceTableMerger`.
 * @param exists whether the APK contains a file
 * @param selectsFor returns which configurations of each entry of a type are read; null for all
 * @throws UnreadablePackage if a message is damaged, something occurs twice, a file does not exist, or resources.arsc would
 * exceed a limit
 */
export function readResourceTables(
  messages: readonly Buffer[],
  exists: TableFiles['exists'] = () => true,
  selectsFor: SelectsFor = () => null,
): ResourceTableMessage {
  const read: { message: ProtobufMessage; id: number; overlayables: Overlayable[] }[] = [];
  const dynamicPackages = new Map<number, string>();
  let overlayablesLeft = maxOverlayables;
  for (const message of messages) {
    const table = readProtobuf(message, tableType);
    const overlayables: Overlayable[] = [];
    for (const one of table.messages(3, overlayableType)) {
      if (--overlayablesLeft < 0) throw damagedBundle();
      overlayables.push({ name: one.text(1), actor: one.text(3) });
    }
    for (const one of table.messages(2, packageType)) {
      const id = idOf(one.message(1, packageIdType), 0xff);
      if (read.some((other) => other.id === id)) throw new UnreadablePackage(say('bundle-package-twice'));
      read.push({ message: one, id, overlayables });
    }
    for (const one of table.messages(5, dynamicPackageType))
      dynamicPackages.set(idOf(one.message(1, packageIdType), 0xff), one.text(2));
  }
  if (messages.length > 1) read.sort((one, other) => one.id - other.id);
  const values: TableValues = {
    pool: createValuePool(),
    configs: createTableConfigs(),
    files: { exists, paths: new Set(), xmlPaths: new Set() },
    selects: null,
  };
  const spend = createBudget();
  const packages = read.map(({ message, id, overlayables }): Package => {
    const names = createStringTable();
    const types: ResourceType[] = [];
    for (const one of message.messages(3, typeType)) {
      const type = readType(one, names, { ...values, selects: selectsFor(one.text(2)) });
      spend(type);
      addType(types, type);
    }
    return { id, name: message.text(2), types, names, overlayables };
  });
  return { packages, dynamicPackages, ...values };
}

/** Types without entries, such as the compiler's, may have the same id. One of them is enough to record that the id exists. */
function addType(types: ResourceType[], type: ResourceType): void {
  const at = types.findIndex(({ id }) => id === type.id);
  if (at === -1) types.push(type);
  else if (types[at]?.idCount === 0) types[at] = type;
  else if (type.idCount > 0) throw damagedBundle();
}

/** Rejects a table if its types alone would exceed the limits of resources.arsc. */
function createBudget(): (type: ResourceType) => void {
  let [bytesLeft, chunksLeft] = [maxResourceTableBytes, maxTypeChunks];
  let [typesLeft, markedLeft] = [maxTypeMessages, maxMarkedEntries];
  return (type) => {
    typesLeft -= 1;
    bytesLeft -= writtenBytesOf(type);
    chunksLeft -= type.chunks.size;
    markedLeft -= type.marked.length;
    if (bytesLeft < 0 || chunksLeft < 0) throw tableTooLarge();
    if (typesLeft < 0 || markedLeft < 0) throw damagedBundle();
  };
}

export const tableTooLarge = () =>
  new UnreadablePackage(
    say('bundle-table-too-large', { mebibytes: maxResourceTableBytes / 2 ** 20, pairs: maxTypeChunks }),
  );

function readType(message: ProtobufMessage, names: StringTable, values: TableValues): ResourceType {
  const name = message.text(2);
  const id = idOf(message.message(1, typeIdType), 0xff);
  const type = new ResourceType({ id, name }, names, (part) =>
    readEntry(message.read(part, entryType), values),
  );
  if (compilerTypes.has(name)) return type;
  for (const entry of message.messages(3, entryType)) type.add(readEntry(entry, values), entry);
  return type;
}
