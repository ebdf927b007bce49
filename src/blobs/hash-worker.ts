/** The thread that computes MD5 of large bodies, in place in shared memory. Started by `hash-thread.ts` only. */
import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { endOfWork } from '../packages/end-thread.ts';
import type { FromHashWorker, ToHashWorker } from './hash-thread.ts';

if (parentPort === null) throw new Error('hash-worker runs only as a worker thread');
const port = parentPort;
const lanes = new Map<number, { bytes: Uint8Array; hash: Hash }>();

port.on('message', (message: ToHashWorker | typeof endOfWork) => {
  if (message === endOfWork) return port.close();
  const reply = handle(message);
  if (reply !== null) port.postMessage(reply);
});

function handle(message: ToHashWorker): FromHashWorker | null {
  if (message.kind === 'open') {
    lanes.set(message.lane, { bytes: new Uint8Array(message.memory), hash: createHash('md5') });
    return null;
  }
  const lane = lanes.get(message.lane);
  if (lane === undefined) throw new Error(`no lane ${message.lane}`);
  if (message.kind === 'block') {
    lane.hash.update(lane.bytes.subarray(message.offset, message.offset + message.length));
    return { kind: 'hashed', lane: message.lane, offset: message.offset };
  }
  lanes.delete(message.lane);
  return {
    kind: 'closed',
    lane: message.lane,
    md5: message.kind === 'finish' ? lane.hash.digest('hex') : '',
  };
}
