/**
 * Some uploaders send their API key as a form field after the file, so bytes are stored before the sender is known. These
 * limits bound the cost: how many uploads of one network store a file at the same time, how many bytes they hold, and how
 * slowly they can arrive. A network can use half of what the others leave of each total, so none can use it up.
 */
import type { Readable } from 'node:stream';
import { AppError, TooManyRequests } from '../core/errors.ts';
import type { AnonymousUploadConfig } from './anonymous-upload-config.ts';

export interface AnonymousUploadLimits extends AnonymousUploadConfig {
  anonymousMinimumBytesPerSecond: number;
}

export interface AnonymousUpload {
  /** Counts bytes of the body. Throws `too_slow`, and `too_many` when the network holds too many bytes. */
  count(bytes: number): void;
  /** Resolves when bytes of the file have come and there is a slot for it, or none is needed. Throws `too_many` after a while. */
  enter(file: Readable): Promise<void>;
  /** The key has come, or the request is over. Ends a wait. */
  leave(): void;
}

export interface AnonymousUploadLimit {
  begin(network: string): AnonymousUpload;
}

/** The rate is judged from here on: a slow start is no fault. */
const graceMs = 10_000;
/** Per network. Each upload needs memory for the buffers of its body. */
export const maxWaitingPerNetwork = 64;

interface Network {
  uploads: number;
  slots: number;
  bytes: number;
  waiting: number;
}

interface Waiter {
  network: Network;
  admit(): void;
}

export function createAnonymousUploadLimit(
  limits: AnonymousUploadLimits,
  now: () => number,
): AnonymousUploadLimit {
  const networks = new Map<string, Network>();
  const total = { slots: 0, bytes: 0 };
  /** In the order of their arrival. */
  const queue = new Set<Waiter>();
  const shareOf = (network: Network, what: 'slots' | 'bytes', most: number) =>
    Math.ceil((most - (total[what] - network[what])) / 2);
  const hasSlot = (network: Network) =>
    network.slots < limits.anonymousUploadsPerNetwork &&
    network.slots < shareOf(network, 'slots', limits.anonymousUploads);
  const add = (network: Network, slots: number, bytes: number) => {
    network.slots += slots;
    network.bytes += bytes;
    total.slots += slots;
    total.bytes += bytes;
  };
  const admitWaiting = () => {
    for (const waiter of queue) {
      if (!hasSlot(waiter.network)) continue;
      queue.delete(waiter);
      waiter.admit();
    }
  };
  const full = () =>
    new TooManyRequests(
      'too many uploads from your network send the file before the API key: send the key in the Authorization header, or try again later',
      Math.max(1, limits.anonymousUploadWaitSeconds),
    );
  return {
    begin: (name) => {
      const network = networks.get(name) ?? { uploads: 0, slots: 0, bytes: 0, waiting: 0 };
      networks.set(name, network);
      network.uploads++;
      let state: 'begun' | 'storing' | 'left' = 'begun';
      let begunAt = now();
      let ownBytes = 0;
      let endWait = () => {};
      const store = () => {
        state = 'storing';
        add(network, 1, ownBytes);
      };
      const waitForSlot = async (file: Readable) => {
        if (network.waiting >= maxWaitingPerNetwork) throw full();
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const waiter = { network, admit: () => resolve(store()) };
        const timer = setTimeout(() => reject(full()), limits.anonymousUploadWaitSeconds * 1000);
        const waitedFrom = now();
        endWait = resolve;
        file.once('close', resolve);
        queue.add(waiter);
        network.waiting++;
        try {
          await promise;
        } finally {
          clearTimeout(timer);
          file.off('close', resolve);
          queue.delete(waiter);
          network.waiting--;
          begunAt += now() - waitedFrom;
        }
      };
      return {
        count: (bytes) => {
          if (state === 'left') return;
          ownBytes += bytes;
          if (state === 'storing') {
            add(network, 0, bytes);
            if (network.bytes > shareOf(network, 'bytes', limits.anonymousSpoolBytes)) throw full();
          }
          const elapsedMs = now() - begunAt;
          if (elapsedMs > graceMs && ownBytes < (limits.anonymousMinimumBytesPerSecond * elapsedMs) / 1000) {
            throw new AppError(
              'too_slow',
              'the body comes too slowly for an upload without a key in its header',
            );
          }
        },
        enter: async (file) => {
          await firstBytes(file);
          if (state !== 'begun' || file.readableLength === 0) return;
          if (hasSlot(network)) store();
          else await waitForSlot(file);
        },
        leave: () => {
          if (state === 'left') return;
          if (state === 'storing') add(network, -1, -ownBytes);
          state = 'left';
          endWait();
          network.uploads--;
          if (network.uploads === 0) networks.delete(name);
          admitWaiting();
        },
      };
    },
  };
}

/** Resolves when there is something to read, or never will be. */
async function firstBytes(stream: Readable): Promise<void> {
  if (stream.readableLength > 0 || stream.readableEnded || stream.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once('readable', resolve);
  stream.once('close', resolve);
  await promise;
  stream.off('readable', resolve);
  stream.off('close', resolve);
}
