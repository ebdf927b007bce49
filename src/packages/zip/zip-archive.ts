/** The zip interface for package readers, implemented in `open-zip.ts`. Entries are in the order of the directory. */
import type { Readable } from 'node:stream';

export interface RandomAccessFile {
  readonly sizeBytes: number;
  /**
   * Returns exactly `length` bytes at `position`, in `into` if possible. Other results are read-only. Rejects with
   * `UnreadablePackage` past the end.
   */
  read(position: number, length: number, into?: Buffer): Promise<Buffer>;
}

export interface ZipEntry {
  readonly name: string;
  /** False for a name with a NUL character or damaged UTF-8. */
  readonly hasValidName: boolean;
  /** 0 for stored, 8 for deflated. Other methods cannot be read. */
  readonly method: number;
  readonly compressedBytes: number;
  readonly uncompressedBytes: number;
  readonly crc32: number;
  readonly flags: number;
  readonly localHeaderPosition: number;
  /** File type and permissions as in `stat`; 0 if not stated. */
  readonly unixMode: number;
}

export interface ZipArchive {
  readonly file: RandomAccessFile;
  readonly entries: readonly ZipEntry[];
  /** Position of the first central directory header, where the APK Signing Block ends. */
  readonly centralDirectoryPosition: number;
  readonly centralDirectoryBytes: number;
  readonly endOfCentralDirectoryPosition: number;
  /** Bytes between the last central directory header and the end records (including zip64 ones). Zero in a valid archive. */
  readonly strayDirectoryBytes: number;
  /**
   * The count in the end record. It is smaller than `entries.length` by a multiple of 65,536 if the writer let the 16-bit count
   * wrap, as macOS's `ditto` does.
   */
  readonly declaredEntryCount: number;
  /** Names that occur more than once, each listed once. Android rejects such packages; `find` returns the first. */
  readonly duplicateNames: readonly string[];
  /** Returns the entry with exactly this name, or null. */
  find(name: string): ZipEntry | null;
  /**
   * Returns the inflated bytes, after checking the CRC. Rejects with `UnreadablePackage` above `maxBytes`, and for a wrong CRC,
   * an encrypted entry, an unknown method, or a local header that disagrees with the directory. The buffer may share memory with
   * a cache, so do not write to it.
   */
  read(entry: ZipEntry, maxBytes: number): Promise<Buffer>;
  /** Like `read`, but treats methods other than 0 and 8 as stored, as in Android's asset reader. */
  readAsStored(entry: ZipEntry, maxBytes: number): Promise<Buffer>;
  /** Position of the entry's first compressed byte in the file, for alignment checks. Rejects like `read`. */
  dataPosition(entry: ZipEntry): Promise<number>;
  /** Streams the inflated bytes with the same checks, for digests of entries of any size. */
  stream(entry: ZipEntry): Readable;
}

/** Reads entries but cannot find them by name. */
export type EntryReader = Pick<ZipArchive, 'read' | 'stream'>;

/** Limits of one archive. */
export interface ZipLimits {
  maxEntries: number;
  maxDirectoryBytes: number;
  /** Total number of bytes that `read` returns during the life of the archive. */
  maxInflatedBytes: number;
  /** Total number of bytes that `stream` yields during the life of the archive. */
  maxStreamedBytes: number;
}
