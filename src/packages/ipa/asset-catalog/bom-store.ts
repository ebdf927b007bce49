/**
 * Apple's BOMStore container of asset catalogs. Not documented by Apple; based on "Reverse engineering the .car file
 * format" (Timac, 2018) and the `bom` sources of xcbuild. Numbers are big-endian.
 *
 *     header   "BOMStore", version, blocks, position and bytes of the index, position and bytes of the variables
 *     index    count, then per block: position, bytes
 *     variable block number, bytes of name, name
 *     tree     "tree", version, block number of the first page
 *     page     isLeaf (16 bits), count (16 bits), block number of the next page, of the one before, then per entry: value, key
 */

interface BomStore {
  bytes: Buffer;
  blocks: { position: number; length: number }[];
  /** Block number by name. */
  variables: Map<string, number>;
}

interface BomEntry {
  key: Buffer;
  value: Buffer;
}

/** Limits of one store. */
export const maxBomBlocks = 500_000;
export const maxBomVariables = 1000;
export const maxBomEntries = 200_000;
export const maxTreeDepth = 16;

const pageHeaderBytes = 12;

/** Throws `Error` if malformed. */
export function openBomStore(bytes: Buffer): BomStore {
  if (bytes.toString('latin1', 0, 8) !== 'BOMStore') throw new Error('it is not a BOM store');
  return {
    bytes,
    blocks: readBlocks(bytes, bytes.readUInt32BE(16)),
    variables: readVariables(bytes, bytes.readUInt32BE(24)),
  };
}

function readBlocks(bytes: Buffer, position: number): BomStore['blocks'] {
  const count = bytes.readUInt32BE(position);
  if (count > maxBomBlocks) throw new Error(`it has more than ${maxBomBlocks} blocks`);
  const blocks: BomStore['blocks'] = [];
  for (let index = 0; index < count; index++) {
    const entry = position + 4 + index * 8;
    blocks.push({ position: bytes.readUInt32BE(entry), length: bytes.readUInt32BE(entry + 4) });
  }
  return blocks;
}

function readVariables(bytes: Buffer, position: number): BomStore['variables'] {
  const count = bytes.readUInt32BE(position);
  if (count > maxBomVariables) throw new Error(`it has more than ${maxBomVariables} variables`);
  const variables: BomStore['variables'] = new Map();
  let next = position + 4;
  for (let index = 0; index < count; index++) {
    const nameEnd = next + 5 + bytes.readUInt8(next + 4);
    variables.set(bytes.toString('latin1', next + 5, nameEnd), bytes.readUInt32BE(next));
    next = nameEnd;
  }
  return variables;
}

/** Throws `Error` if there is no such block. */
function readBomBlock(store: BomStore, number: number): Buffer {
  const block = store.blocks[number];
  if (!block || block.position + block.length > store.bytes.length)
    throw new Error(`there is no block ${number}`);
  return store.bytes.subarray(block.position, block.position + block.length);
}

/** Returns the block of a variable; null if there is no such variable. */
export function readBomVariable(store: BomStore, name: string): Buffer | null {
  const number = store.variables.get(name);
  return number === undefined ? null : readBomBlock(store, number);
}

/** Returns the entries of the named tree in order; empty if it is missing. Throws `Error` if malformed. */
export function readBomTree(store: BomStore, name: string): BomEntry[] {
  const tree = readBomVariable(store, name);
  if (tree === null) return [];
  if (tree.toString('latin1', 0, 4) !== 'tree') throw new Error(`${name} is not a tree`);
  const entries: BomEntry[] = [];
  const seen = new Set<number>();
  let number = firstLeaf(store, tree.readUInt32BE(8));
  while (number !== 0) {
    if (seen.has(number)) throw new Error(`the pages of ${name} form a cycle`);
    seen.add(number);
    const page = readBomBlock(store, number);
    const count = page.readUInt16BE(2);
    if (entries.length + count > maxBomEntries)
      throw new Error(`${name} has more than ${maxBomEntries} entries`);
    for (let index = 0; index < count; index++) {
      const entry = pageHeaderBytes + index * 8;
      const value = readBomBlock(store, page.readUInt32BE(entry));
      entries.push({ key: readBomBlock(store, page.readUInt32BE(entry + 4)), value });
    }
    number = page.readUInt32BE(4);
  }
  return entries;
}

function firstLeaf(store: BomStore, root: number): number {
  let number = root;
  for (let depth = 0; depth < maxTreeDepth; depth++) {
    const page = readBomBlock(store, number);
    if (page.readUInt16BE(0) !== 0) return number;
    number = page.readUInt32BE(pageHeaderBytes);
  }
  throw new Error('a tree is too deep');
}
