/** The thread that reads packages: one task in, one result out. Modules load with the first task that needs them. */
import { parentPort } from 'node:worker_threads';
import { endOfWork } from './end-thread.ts';
import { type IconChoice, UnreadablePackage } from './package-info.ts';

export type PackageTask =
  | { kind: 'read'; path: string }
  | { kind: 'read-simulator-zip'; path: string }
  | { kind: 'draw-icon'; path: string; choice: IconChoice }
  | { kind: 'draw-monogram'; name: string; seed: string }
  | { kind: 'verify-signature'; path: string };

export type PackageTaskResult =
  | { ok: true; value: unknown }
  /** `unreadable`: the package is at fault; else it is a defect or the disk, and `stack` tells where. */
  | { ok: false; unreadable: boolean; message: string; stack: string | undefined };

let underWay: Promise<void> = Promise.resolve();

parentPort?.on('message', (message: PackageTask | typeof endOfWork) => {
  if (message !== endOfWork) underWay = answer(message);
  else void underWay.then(() => parentPort?.close());
});

async function answer(task: PackageTask): Promise<void> {
  parentPort?.postMessage(await settle(task));
}

async function settle(task: PackageTask): Promise<PackageTaskResult> {
  try {
    return { ok: true, value: await perform(task) };
  } catch (error) {
    const unreadable = error instanceof UnreadablePackage;
    if (error instanceof Error) return { ok: false, unreadable, message: error.message, stack: error.stack };
    return { ok: false, unreadable, message: String(error), stack: undefined };
  }
}

async function perform(task: PackageTask): Promise<unknown> {
  switch (task.kind) {
    case 'read':
      return (await import('./read-package.ts')).readPackage(task.path);
    case 'read-simulator-zip':
      return (await import('./read-simulator-zip.ts')).readSimulatorZip(task.path);
    case 'draw-icon':
      return (await import('./icon/draw-icon-of-file.ts')).drawIconOfFile(task.path, task.choice);
    case 'draw-monogram':
      return (await import('./icon/monogram.ts')).drawMonogram(task.name, task.seed);
    case 'verify-signature':
      return (await import('./verify-signature.ts')).verifySignature(task.path);
  }
}
