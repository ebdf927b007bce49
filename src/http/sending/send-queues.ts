/**
 * How much of an answer has reached the client. What the kernel has accepted says little: it takes up to some megabytes at
 * once, and then nothing until a third of them is acknowledged, which a client of 10 KiB/s needs more than a minute for. Linux
 * tells what is not acknowledged yet, by socket (proc(5), /proc/net/tcp, the column tx_queue).
 */
import { readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Bytes that are not acknowledged, by the inode of the socket. */
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

/** Null where the system does not say. */
export function inodeOf(socket: Socket): string | null {
  const { fd } = handleOf(socket);
  if (typeof fd !== 'number' || fd < 0) return null;
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Bytes of answers that the kernel has accepted, part by part of what is being written. */
export function acceptedBytes(socket: Socket): number {
  const { bytesWritten, writeQueueSize } = handleOf(socket);
  if (typeof bytesWritten !== 'number' || typeof writeQueueSize !== 'number')
    return socket.bytesWritten - socket.writableLength;
  return bytesWritten - writeQueueSize;
}

/** Node's own timeouts of sockets read the same field; there is no public one. */
function handleOf(socket: Socket): { fd?: unknown; bytesWritten?: unknown; writeQueueSize?: unknown } {
  return Reflect.get(socket, '_handle') ?? {};
}
