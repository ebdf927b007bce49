/** What crosses between the server and the process that reads packages (`package-child-main.ts`). */
import type { IconChoice, PackageInfo, SignatureVerification } from './package-info.ts';
import type { SimulatorZip } from './read-simulator-zip.ts';

/** The package itself is not named: the process knows the one path at which it finds each. */
export type PackageTask =
  | { kind: 'read' }
  | { kind: 'read-simulator-zip' }
  | { kind: 'draw-icon'; choice: IconChoice }
  | { kind: 'draw-monogram'; name: string; seed: string }
  | { kind: 'verify-signature' };

export interface PackageAnswers {
  read: PackageInfo;
  'read-simulator-zip': SimulatorZip;
  /** PNG bytes; null when the icon cannot be drawn. */
  'draw-icon': Uint8Array | null;
  'draw-monogram': Uint8Array;
  'verify-signature': SignatureVerification;
}

/** What an answer says beside the bytes of a picture, as JSON. */
export type PackageAnswer =
  | { ok: true; value: unknown }
  /** `unreadable`: the package is at fault; else it is a bug or a disk error, and `stack` says where. */
  | { ok: false; unreadable: boolean; message: string; stack: string };

/**
 * A task is a line of JSON with its `id` on standard input. An answer on standard output is three little-endian uint32
 * (the id, the length of the JSON, the length of the picture), the JSON, the picture.
 */
export const answerHeadBytes = 12;

/** The id of the empty answer that says the process has started; tasks count from 1. */
export const startedId = 0;

/** Far beyond the caps on facts and on the sides of an icon. A longer answer is refused, by both sides. */
export const maxAnswerBytes = 16 * 1024 * 1024;

/** Of an error's message and of its stack. */
export const maxErrorCharacters = 10_000;
