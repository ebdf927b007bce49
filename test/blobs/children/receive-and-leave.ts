/**
 * FOLDER BYTES COUNT: receives COUNT concurrent bodies of that size, prints the growth of peak memory in KiB and the
 * distinct digests as JSON, and leaves the spool open: the process must exit by itself.
 */
import { readFileSync } from 'node:fs';
import { createSpool } from '../../../src/blobs/spool/spool.ts';

const [folder = '', bytes = '', atOnce = ''] = process.argv.slice(2);
const chunkBytes = 65_536;

/** Like data from a socket: each chunk is newly allocated. */
async function* body(sizeBytes: number) {
  for (let sent = 0; sent < sizeBytes; sent += chunkBytes) {
    yield Buffer.alloc(Math.min(chunkBytes, sizeBytes - sent), 5);
  }
}

const peakKiB = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);

const spool = createSpool({ folder, minimumFreeBytes: 0 });
const receive = async (sizeBytes: number) => {
  const file = await spool.receive(body(sizeBytes), { maxBytes: sizeBytes, expectedBytes: sizeBytes });
  await file.dispose();
  return file.md5;
};
await receive(8 * 1024 * 1024);
const before = peakKiB();
const digests = await Promise.all(Array.from({ length: Number(atOnce) }, () => receive(Number(bytes))));
console.log(JSON.stringify({ grownKiB: peakKiB() - before, digests: [...new Set(digests)] }));
