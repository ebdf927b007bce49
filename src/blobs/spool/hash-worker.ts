/** The thread that computes MD5 of large bodies from their files. Only `hash-thread.ts` starts it. */
import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { closeMessage } from '../stop-worker.ts';
import type { FromHashWorker, ToHashWorker } from './hash-thread.ts';

if (parentPort === null) throw new Error('hash-worker runs only as a worker thread');
const port = parentPort;
const piece = Buffer.allocUnsafeSlow(512 * 1024);
const lanes = new Map<number, { fd: number; hash: Hash; hashedBytes: number; error?: unknown }>();

port.on('message', (message: ToHashWorker | typeof closeMessage) => {
  if (message === closeMessage) return port.close();
  const reply = handle(message);
  if (reply !== null) port.postMessage(reply);
});

function handle(message: ToHashWorker): FromHashWorker | null {
  const { lane: id } = message;
  if (message.kind === 'open') {
    lanes.set(id, { fd: message.fd, hash: createHash('md5'), hashedBytes: 0 });
    return null;
  }
  const lane = lanes.get(id);
  if (lane === undefined) throw new Error(`no lane ${id}`);
  if (message.kind !== 'written') {
    lanes.delete(id);
    return { lane: id, md5: lane.hash.digest('hex'), error: lane.error };
  }
  try {
    while (lane.error === undefined && lane.hashedBytes < message.toBytes) {
      const length = Math.min(piece.length, message.toBytes - lane.hashedBytes);
      const read = readSync(lane.fd, piece, 0, length, lane.hashedBytes);
      if (read === 0) throw new Error(`the file ends after ${lane.hashedBytes} bytes`);
      lane.hash.update(piece.subarray(0, read));
      lane.hashedBytes += read;
    }
  } catch (error) {
    // An unreadable file must not affect the others.
    lane.error = error;
  }
  return null;
}
