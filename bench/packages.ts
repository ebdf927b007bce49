/** Packages of a given size: a small valid APK followed by a stored entry of random bytes. */
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { apkEntries } from '../test/support/build-apk.ts';
import { buildZip } from '../test/support/build-zip.ts';

const mebibyte = 1024 * 1024;

/** Writes a valid APK of about `fillerBytes` to `path`, without holding it in memory. */
export async function writeLargeApk(path: string, fillerBytes: number): Promise<void> {
  const block = randomBytes(mebibyte);
  const small = buildZip(apkEntries({ packageName: 'com.example.large' }));
  const directory = small.readUInt32LE(small.length - 6);
  const filler = fillerEntry('assets/filler.bin', block, fillerBytes / mebibyte);
  const file = await open(path, 'w');
  try {
    await file.write(small.subarray(0, directory));
    await file.write(filler.localHeader);
    for (let written = 0; written < fillerBytes; written += block.length) await file.write(block);
    const records = small.subarray(directory, small.length - 22);
    const end = Buffer.from(small.subarray(small.length - 22));
    const centralHeader = filler.centralHeader(directory);
    end.writeUInt16LE(end.readUInt16LE(8) + 1, 8);
    end.writeUInt16LE(end.readUInt16LE(10) + 1, 10);
    end.writeUInt32LE(records.length + centralHeader.length, 12);
    end.writeUInt32LE(directory + filler.localHeader.length + fillerBytes, 16);
    await file.write(Buffer.concat([records, centralHeader, end]));
    // Later measurements must not wait for these bytes to be written.
    await file.sync();
  } finally {
    await file.close();
  }
}

/** APPNOTE 4.3.7 and 4.3.12: a stored entry that repeats the block `blocks` times. */
function fillerEntry(name: string, block: Buffer, blocks: number) {
  let checksum = 0;
  for (let index = 0; index < blocks; index++) checksum = crc32(block, checksum);
  const sizeBytes = block.length * blocks;
  const common = (header: Buffer, offset: number) => {
    header.writeUInt16LE(10, offset);
    header.writeUInt32LE(checksum, offset + 10);
    header.writeUInt32LE(sizeBytes, offset + 14);
    header.writeUInt32LE(sizeBytes, offset + 18);
    header.writeUInt16LE(name.length, offset + 22);
  };
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  common(local, 4);
  return {
    localHeader: Buffer.concat([local, Buffer.from(name)]),
    centralHeader: (position: number) => {
      const central = Buffer.alloc(46);
      central.writeUInt32LE(0x02014b50, 0);
      central.writeUInt16LE(10, 4);
      common(central, 6);
      central.writeUInt32LE(position, 42);
      return Buffer.concat([central, Buffer.from(name)]);
    },
  };
}
