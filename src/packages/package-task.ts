/** The messages between the server and the package reader process (`package-child-main.ts`). */
import type { PackageAnalysis } from './analysis/analysis.ts';
import type {
  ConvertedBundle,
  EncodedSigningKey,
  IconChoice,
  ReadPackage,
  SignatureVerification,
} from './package-info.ts';
import type { SimulatorZip } from './read-simulator-zip.ts';
import type { SymbolFileFacts } from './symbols/symbol-file.ts';

/** Does not contain the path of the package, which is always the same. */
export type PackageTask =
  | { kind: 'read' }
  | { kind: 'read-simulator-zip' }
  | { kind: 'draw-icon'; choice: IconChoice }
  | { kind: 'draw-monogram'; name: string; seed: string }
  | { kind: 'draw-screenshot' }
  | { kind: 'draw-logo' }
  | { kind: 'verify-signature' }
  | { kind: 'analyze' }
  | { kind: 'read-symbols' }
  | { kind: 'read-keystore'; password: string; keyPassword?: string; alias?: string }
  | { kind: 'convert-bundle'; keys: readonly EncodedSigningKey[]; maxApkBytes: number };

export interface PackageResponses {
  read: ReadPackage;
  'read-simulator-zip': SimulatorZip;
  /** PNG bytes; null if the icon cannot be drawn. */
  'draw-icon': Uint8Array | null;
  'draw-monogram': Uint8Array;
  /** WebP bytes; null if the file is not accepted as a screenshot. */
  'draw-screenshot': Uint8Array | null;
  /** PNG bytes. */
  'draw-logo': Uint8Array;
  'verify-signature': SignatureVerification;
  analyze: PackageAnalysis;
  /** Null if it is no symbol file. */
  'read-symbols': SymbolFileFacts | null;
  'read-keystore': EncodedSigningKey;
  'convert-bundle': ConvertedBundle;
}

/** The JSON part of an answer, without the bytes of a picture. */
export type PackageResponse =
  | { ok: true; value: unknown }
  /** `unreadable`: caused by the package. Otherwise it is a bug or a disk error, with its `stack`. */
  | { ok: false; unreadable: boolean; message: string; stack: string };

/**
 * A task is a line of JSON with its `id` on standard input. An answer on standard output is three little-endian uint32
 * (the id, the length of the JSON, the length of the picture), the JSON, the picture.
 */
export const responseHeadBytes = 12;

/** The id of the empty answer that reports the start of the process. Ids of tasks start at 1. */
export const startedId = 0;

/** The id of answers that report progress, from 0 to 1. */
export const progressId = 0xffff_ffff;

/** Limits of files, which the server checks without loading the code of the task. Keystores have some thousand bytes. */
export const maxKeystoreBytes = 256 * 1024;
export const maxScreenshotFileBytes = 10 * 1024 * 1024;

/** The path where the process writes the APK generated from a bundle. */
export const outputPathOf = (packagePath: string) => `${packagePath}.apk`;

/** Far above the limits on facts and on the size of an icon. Both sides refuse a longer answer. */
export const maxResponseBytes = 16 * 1024 * 1024;

/** Limit for an error's message and stack. */
export const maxErrorCharacters = 10_000;
