/** FOLDER: receives an endless body into a spool. */
import { setTimeout } from 'node:timers/promises';
import { createSpool } from '../../../src/blobs/spool/spool.ts';

async function* endless() {
  for (;;) {
    yield Buffer.alloc(65_536);
    await setTimeout(1);
  }
}

const [folder = ''] = process.argv.slice(2);
await createSpool({ folder, minimumFreeBytes: 0 }).receive(endless(), { maxBytes: Number.MAX_SAFE_INTEGER });
