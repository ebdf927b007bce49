/** The zip interface of package readers, created by `open-zip.ts`; entries are in directory order. */
import type { Readable } from 'node:stream';

export interface RandomAccessFile {
  readonly sizeBytes: number;
  /** Returns exactly `length` bytes at `position`, if possible in `into`; otherwise read-only. Rejects with `UnreadablePackage` past the end. */
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
  /** File type and permissions as in `stat`; 0 when not stated. */
  readonly unixMode: number;
}

export interface ZipArchive {
  readonly file: RandomAccessFile;
  readonly entries: readonly ZipEntry[];
  /** Position of the first central directory header: the APK Signing Block ends here. */
  readonly centralDirectoryPosition: number;
  readonly centralDirectoryBytes: number;
  readonly endOfCentralDirectoryPosition: number;
  /** Bytes between the last central directory header and the end records (zip64 ones included). Zero in a valid archive. */
  readonly strayDirectoryBytes: number;
  /**
   * What the end record says; smaller than `entries.length` by a multiple of 65,536 when the writer let the 16-bit count
   * wrap, as macOS's `ditto` does.
   */
  readonly declaredEntryCount: number;
  /** Names that occur more than once, each listed once. Android rejects such packages; `find` returns the first. */
  readonly duplicateNames: readonly string[];
  /** Returns the entry with this exact name, or null. */
  find(name: string): ZipEntry | null;
  /**
   * Returns the inflated bytes and checks the CRC. Rejects with `UnreadablePackage` over `maxBytes`, on a wrong CRC, an encrypted entry,
   * an unknown method, or a local header that disagrees with the directory. The buffer may share memory with a cache:
   * do not write to it.
   */
  read(entry: ZipEntry, maxBytes: number): Promise<Buffer>;
  /** Like `read`, but treats methods other than 0 and 8 as stored, like Android's asset reader. */
  readAsStored(entry: ZipEntry, maxBytes: number): Promise<Buffer>;
  /** Position of the entry's first compressed byte in the file, for alignment checks. Rejects like `read`. */
  dataPosition(entry: ZipEntry): Promise<number>;
  /** Streams the inflated bytes with the same checks, for digests of entries of any size. */
  stream(entry: ZipEntry): Readable;
}

/** Reads entries, which it does not find by name. */
export type EntryReader = Pick<ZipArchive, 'read' | 'stream'>;

/** Limits of one archive. */
export interface ZipLimits {
  maxEntries: number;
  maxDirectoryBytes: number;
  /** Total bytes that `read` returns during the life of the archive. */
  maxInflatedBytes: number;
  /** Total bytes that `stream` yields during the life of the archive. */
  maxStreamedBytes: number;
}
