/**
 * Determines how much of a response has reached the client. The amount accepted by the kernel is not enough: it accepts up to
 * several megabytes at once and then nothing until a third of them is acknowledged, which takes a client at 10 KiB/s more than a
 * minute. Linux reports the unacknowledged bytes of each socket (proc(5), /proc/net/tcp, column tx_queue).
 */
import { readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Unacknowledged bytes, by the inode of the socket. */
export type SendQueues = ReadonlyMap<string, number>;

export async function readSendQueues(): Promise<SendQueues> {
  const tables = await Promise.all(
    ['/proc/self/net/tcp', '/proc/self/net/tcp6'].map((path) => readFile(path, 'latin1').catch(() => '')),
  );
  const queues = new Map<string, number>();
  for (const line of tables.join('\n').split('\n')) {
    const [, , , , queued = '', , , , , inode] = line.trim().split(/ +/);
    if (inode !== undefined && queued.includes(':'))
      queues.set(inode, Number.parseInt(queued.split(':', 1)[0] ?? '', 16));
  }
  return queues;
}

/** Null if the system does not provide it. */
export function socketInode(socket: Socket): string | null {
  const { fd } = handleOf(socket);
  if (typeof fd !== 'number' || fd < 0) return null;
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Returns the response bytes that the kernel has accepted, including parts of writes in progress. */
export function acceptedBytes(socket: Socket): number {
  const { bytesWritten, writeQueueSize } = handleOf(socket);
  if (typeof bytesWritten !== 'number' || typeof writeQueueSize !== 'number')
    return socket.bytesWritten - socket.writableLength;
  return bytesWritten - writeQueueSize;
}

/** There is no public API for this. Node’s own socket timeouts read the same field. */
function handleOf(socket: Socket): { fd?: unknown; bytesWritten?: unknown; writeQueueSize?: unknown } {
  return Reflect.get(socket, '_handle') ?? {};
}
