/** Replaces the package reader process: the given package determines its answers. In JavaScript, which starts sooner. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const packagePath = process.argv[2] ?? '';

function frame(id, json, picture = Buffer.alloc(0)) {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(id, 0);
  head.writeUInt32LE(Buffer.byteLength(json), 4);
  head.writeUInt32LE(picture.length, 8);
  return Buffer.concat([head, Buffer.from(json), picture]);
}

process.stdout.write(frame(0, 'null'));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line);
  const { behavior, answer } = JSON.parse(readFileSync(packagePath, 'utf8'));
  const good = frame(id, JSON.stringify(answer));
  const act = {
    answer: () => process.stdout.write(good),
    'answer in pieces': () => {
      for (const [index] of good.entries())
        setTimeout(() => process.stdout.write(good.subarray(index, index + 1)), index);
    },
    'answer to nothing': () => process.stdout.write(frame(id + 1, JSON.stringify(answer))),
    'answer twice': () => process.stdout.write(Buffer.concat([good, good])),
    'start twice': () => process.stdout.write(frame(0, 'null')),
    'no JSON': () => process.stdout.write(frame(id, '{')),
    'a picture in place of facts': () =>
      process.stdout.write(frame(id, '{"ok":true,"value":null}', Buffer.alloc(9))),
    'announce 4 GiB': () => {
      const head = Buffer.alloc(12);
      head.writeUInt32LE(id, 0);
      head.writeUInt32LE(0xffffffff, 4);
      head.writeUInt32LE(0xffffffff, 8);
      process.stdout.write(head);
    },
    'a flood': () => {
      const flood = Buffer.alloc(1024 * 1024);
      const write = () => process.stdout.write(flood, write);
      write();
    },
    'a flood of errors': () => {
      const flood = 'e'.repeat(1024 * 1024);
      for (let count = 0; count < 64; count++) process.stderr.write(flood);
      process.stdout.write(good);
    },
    SIGKILL: () => process.kill(process.pid, 'SIGKILL'),
    SIGSEGV: () => process.kill(process.pid, 'SIGSEGV'),
    SIGABRT: () => process.abort(),
    exit: () => process.exit(0),
  };
  act[behavior]?.();
});
