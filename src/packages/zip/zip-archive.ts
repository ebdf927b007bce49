/** What the readers of packages see of a zip file. `open-zip.ts` makes it; entries come in directory order. */
import type { Readable } from 'node:stream';

export interface RandomAccessFile {
  readonly sizeBytes: number;
  /** Exactly `length` bytes at `position`: in `into` where the file can, else not to be written to. Rejects with UnreadablePackage past the end. */
  read(position: number, length: number, into?: Buffer): Promise<Buffer>;
}

export interface ZipEntry {
  readonly name: string;
  /** 0 stored, 8 deflated; anything else cannot be read. */
  readonly method: number;
  readonly compressedBytes: number;
  readonly uncompressedBytes: number;
  readonly crc32: number;
  readonly flags: number;
  readonly localHeaderPosition: number;
  /** File type and permissions as `stat` gives them; 0 where the writer knew none. */
  readonly unixMode: number;
}

export interface ZipArchive {
  readonly file: RandomAccessFile;
  readonly entries: readonly ZipEntry[];
  /** Position of the first central directory header: the APK Signing Block ends here. */
  readonly centralDirectoryPosition: number;
  readonly centralDirectoryBytes: number;
  readonly endOfCentralDirectoryPosition: number;
  /** Bytes between the last central directory header and the end records (zip64 ones included). Zero in a sound archive. */
  readonly strayDirectoryBytes: number;
  /**
   * What the end record says; smaller than `entries.length` by a multiple of 65,536 when the writer let the 16-bit count
   * wrap, as macOS's `ditto` does.
   */
  readonly statedEntryCount: number;
  /** Names that occur more than once, each once. Android refuses to install such a package; `find` gives the first. */
  readonly duplicateNames: readonly string[];
  /** The entry of that exact name, or null. */
  find(name: string): ZipEntry | null;
  /**
   * The inflated bytes, CRC checked. Rejects with UnreadablePackage over `maxBytes`, on a wrong CRC, an encrypted entry,
   * an unknown method, or a local header that disagrees with the directory. The buffer may share memory with a cache:
   * do not write to it.
   */
  read(entry: ZipEntry, maxBytes: number): Promise<Buffer>;
  /** The same for a method other than 0 and 8, taking the bytes as stored, which is what Android's asset reader does. */
  readAsStored(entry: ZipEntry, maxBytes: number): Promise<Buffer>;
  /** Position of the entry's first packed byte in the file: what alignment is about. Rejects as `read` does. */
  dataPosition(entry: ZipEntry): Promise<number>;
  /** The inflated bytes as a stream with the same checks, for digests of entries of any size. */
  stream(entry: ZipEntry): Readable;
}

/** Caps on what one archive may make the reader do. All of them have a test. */
export interface ZipLimits {
  maxEntries: number;
  maxDirectoryBytes: number;
  /** Sum of what `read` returns over the life of the archive. */
  maxInflatedBytes: number;
  /** Sum of what `stream` yields over the life of the archive. */
  maxStreamedBytes: number;
}
