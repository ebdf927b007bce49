/**
 * A type of resources. Its entries stay in the message of the table and are read again when they are written, so that only one
 * entry at a time is in memory.
 */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { type BytesPart, damagedBundle, textOf } from './protobuf.ts';
import type { ResourceValue } from './resource-value-writer.ts';
import type { StringTable } from './string-table.ts';
import type { TableConfig } from './table-configs.ts';

/** Identifiers have 16 bits for the entry. */
export const maxEntryId = 0xffff;

export interface Entry {
  id: number;
  name: BytesPart;
  isPublic: boolean;
  isStaged: boolean;
  stagedId: number | null;
  overlayable: { index: number; policies: number } | null;
  values: { config: TableConfig; value: EntryValue; isWeak: boolean }[];
}
export type EntryValue = ResourceValue | { parent: number; items: [name: number, value: ResourceValue][] };

type MarkedEntry = Pick<Entry, 'id' | 'stagedId' | 'overlayable'>;

/** The values for one configuration. */
export interface TypeChunk {
  config: TableConfig;
  entryBytes: number;
  /** Id of the entry that was added last. */
  lastId: number;
}

/** Words kept for each entry: index of the name plus one, start and end in the message. */
const keptWords = 3;

export class ResourceType {
  readonly id: number;
  readonly name: string;
  /** By the index of the configuration. */
  readonly chunks = new Map<number, TypeChunk>();
  /** Entries with properties that are written in addition to their values. */
  readonly marked: MarkedEntry[] = [];
  /** The highest id of an entry plus one. */
  idCount = 0;
  private readonly names: StringTable;
  private readonly read: (part: BytesPart) => Entry;
  private bytes: Buffer | null = null;
  private kept = new Uint32Array(0);
  /** Entries that are not in a message, by id. */
  private others: Map<number, () => Entry> | null = null;

  /**
   * @param names the names of entries in the package
   * @param read reads an entry of the message
   */
  constructor(
    { id, name }: { id: number; name: string },
    names: StringTable,
    read: (part: BytesPart) => Entry,
  ) {
    this.id = id;
    this.name = name;
    this.names = names;
    this.read = read;
  }

  /**
   * @param again position of the entry in the message, or a function that returns it again
   * @throws UnreadablePackage if the type already has an entry with this id, or the entry has two values for one configuration
   */
  add(entry: Entry, again: BytesPart | (() => Entry)): void {
    const { id, stagedId, overlayable, values } = entry;
    if (this.nameOf(id) !== null) throw damagedBundle();
    const { start, end } = typeof again === 'function' ? entry.name : again;
    this.keep(id, [this.names.add(entry.name) + 1, start, end]);
    if (typeof again !== 'function') this.bytes = again.bytes;
    else this.others = (this.others ?? new Map()).set(id, again);
    if (stagedId !== null || overlayable) this.marked.push({ id, stagedId, overlayable });
    for (const value of values) this.addValue(entry, value);
  }

  private keep(id: number, words: readonly number[]): void {
    this.idCount = Math.max(this.idCount, id + 1);
    const ids = this.kept.length / keptWords;
    if (this.idCount > ids) {
      const before = this.kept;
      this.kept = new Uint32Array(keptWords * Math.max(this.idCount, Math.min(2 * ids, maxEntryId + 1)));
      this.kept.set(before);
    }
    this.kept.set(words, keptWords * id);
  }

  private addValue({ id, name }: Entry, { config, value }: Entry['values'][number]): void {
    const chunk = this.chunks.get(config.index) ?? { config, entryBytes: 0, lastId: -1 };
    if (chunk.lastId === id) throw new UnreadablePackage(say('bundle-value-twice', { name: textOf(name) }));
    if (chunk.lastId === -1) this.chunks.set(config.index, chunk);
    chunk.lastId = id;
    chunk.entryBytes += entryBytesOf(value);
  }

  /** Returns the index of the entry's name; null if there is no such entry. */
  nameOf(id: number): number | null {
    const number = this.kept[keptWords * id] ?? 0;
    return number === 0 ? null : number - 1;
  }

  /** Yields entries by id, reading them again. */
  *entries(): Generator<Entry, void, undefined> {
    for (let id = 0; id < this.idCount; id++) {
      const other = this.others?.get(id);
      if (other) yield other();
      else if (this.bytes && this.nameOf(id) !== null) {
        const at = keptWords * id;
        yield this.read({ bytes: this.bytes, start: this.kept[at + 1] ?? 0, end: this.kept[at + 2] ?? 0 });
      }
    }
  }
}

/** ResTable_entry 8 and Res_value 8; or ResTable_map_entry 16 and ResTable_map 12 each. */
const entryBytesOf = (value: EntryValue) => ('items' in value ? 16 + 12 * value.items.length : 16);

/** Without masks. */
export const typeSpecBytes = 16;
/** Without offsets and entries: chunk header 8, header of ResTable_type 12, configuration 64. */
export const typeChunkBytes = 84;

export const chunkBytesOf = (chunk: TypeChunk, idCount: number) =>
  typeChunkBytes + 4 * idCount + chunk.entryBytes;

/** Returns the size of the type in resources.arsc, in bytes. */
export function writtenBytesOf({ idCount, chunks }: ResourceType): number {
  if (idCount === 0) return 0;
  let bytes = typeSpecBytes + 4 * idCount;
  for (const chunk of chunks.values()) bytes += chunkBytesOf(chunk, idCount);
  return bytes;
}
