/**
 * The fs-verity digest of a file: pages of 4096 bytes are hashed, the hashes fill pages that are hashed again, until one
 * page is left. The tree is computed while streaming, with one page per level in memory.
 *
 * @see https://source.android.com/docs/security/features/apksigning/v3 and kernel Documentation/filesystems/fsverity.rst
 */
import { hash } from 'node:crypto';

export const verityPageBytes = 4096;
/** APK verity prefixes each page with eight zero bytes of salt. */
const saltBytes = 8;

export interface VerityDigest {
  update(bytes: Buffer): void;
  /** Returns 32 bytes of root hash and the uint64 little-endian number of bytes. */
  finish(): Buffer;
}

export function createVerityDigest(): VerityDigest {
  const tree = createVerityTree();
  const data = createPage();
  let totalBytes = 0;
  return {
    update(bytes) {
      totalBytes += bytes.length;
      for (let position = 0; position < bytes.length; ) {
        position += data.fill(bytes, position);
        if (data.isFull()) tree.add(data.takeHash(), 0);
      }
    },
    finish() {
      if (!data.isEmpty()) tree.add(data.takeHash(), 0);
      const digest = Buffer.alloc(40);
      tree.root().copy(digest);
      digest.writeBigUInt64LE(BigInt(totalBytes), 32);
      return digest;
    },
  };
}

function createVerityTree() {
  const levels: ReturnType<typeof createPage>[] = [];

  function add(digest: Buffer, level: number): void {
    const page = levels[level] ?? createPage();
    levels[level] = page;
    // A full page waits for the next digest, because the last page of a tree is its root, which has no parent.
    if (page.isFull()) add(page.takeHash(), level + 1);
    page.fill(digest, 0);
  }

  function root(): Buffer {
    for (let level = 0; level < levels.length - 1; level++) {
      const page = levels[level];
      if (page !== undefined) add(page.takeHash(), level + 1);
    }
    return (levels.at(-1) ?? createPage()).takeHash();
  }

  return { add, root };
}

function createPage() {
  const salted = Buffer.alloc(saltBytes + verityPageBytes);
  let used = 0;
  return {
    isFull: () => used === verityPageBytes,
    isEmpty: () => used === 0,
    /** Copies the bytes that fit, and returns their number. */
    fill(bytes: Buffer, from: number): number {
      const count = bytes.copy(salted, saltBytes + used, from);
      used += count;
      return count;
    },
    /** Hashes the page, padded with zeros, and empties it. */
    takeHash(): Buffer {
      salted.fill(0, saltBytes + used);
      used = 0;
      return hash('sha256', salted, 'buffer');
    },
  };
}
