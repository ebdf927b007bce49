import { createCipheriv } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import type { UploadIo } from '../../src/commands/uploader/upload-io.ts';
import type { Receiver, Reply } from '../support/receive-upload.ts';
import { receiveUploads } from '../support/receive-upload.ts';

type Finish = Pick<TestContext, 'onTestFinished'>;

export async function temporaryFolder({ onTestFinished }: Finish): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-uploader-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function temporaryFile(
  context: Finish,
  name: string,
  bytes: Uint8Array | string,
): Promise<string> {
  const path = join(await temporaryFolder(context), name);
  await writeFile(path, bytes);
  return path;
}

export async function startReceiver(context: Finish, ...replies: Reply[]): Promise<Receiver> {
  const receiver = await receiveUploads(replies);
  context.onTestFinished(receiver.close);
  return receiver;
}

export interface TestIo extends UploadIo {
  out: () => string;
  err: () => string;
  pauses: number[];
  /** Advances the clock and runs due repeated actions once. */
  tick: (milliseconds: number) => void;
}

/** Time advances only when a test moves it. */
export function testIo(more: Partial<UploadIo> = {}): TestIo {
  let out = '';
  let err = '';
  let now = 0;
  const repeated = new Set<() => void>();
  const pauses: number[] = [];
  return {
    env: { SLIPWAY_API_KEY: 'slw_test' },
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    isTerminal: false,
    columns: () => 80,
    now: () => now,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
    },
    repeat: (_milliseconds, action) => {
      repeated.add(action);
      return () => repeated.delete(action);
    },
    onInterrupt: () => () => {},
    readStdin: async () => '',
    runProgram: async (program) => {
      throw new Error(`${program}: not found`);
    },
    command: 'slipway upload',
    version: '9.8.7',
    ...more,
    out: () => out,
    err: () => err,
    pauses,
    tick: (milliseconds) => {
      now += milliseconds;
      for (const action of repeated) action();
    },
  };
}

/** Deterministic bytes without a repeating pattern. */
export function noise(length: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(length));
}
