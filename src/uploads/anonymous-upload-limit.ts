/**
 * Limits for uploads that send the API key as a form field after the file, so that bytes are stored before the sender is known.
 * They limit the number of concurrent uploads per network, the bytes they store, and how slowly they may arrive. All networks of
 * a site together can use half of what the others leave of each total, so none can use it up.
 */

import type { Readable } from 'node:stream';
import { AppError, TooManyRequests } from '../core/errors.ts';
import { shareOf, siteOf } from '../limits/client-network.ts';
import type { AnonymousUploadConfig } from './anonymous-upload-config.ts';
import { uploadTexts } from './upload-texts.ts';

export interface AnonymousUploadLimits extends AnonymousUploadConfig {
  anonymousMinimumBytesPerSecond: number;
}

export interface AnonymousUpload {
  /** Counts body bytes. Throws `too_slow`, and `too_many` if the network has stored too many bytes. */
  count(bytes: number): void;
  /** Resolves when bytes of the file have arrived and a slot is free, or none is needed. Throws `too_many` after a timeout. */
  enter(file: Readable): Promise<void>;
  /** Call it when the key has arrived or the request has ended. Ends waiting. */
  leave(): void;
}

export interface AnonymousUploadLimit {
  begin(network: string): AnonymousUpload;
}

/** The rate is not checked before this time, to tolerate a slow start. */
const graceMs = 10_000;
/** Per network, because each upload needs memory for its buffers. */
export const maxWaitingPerNetwork = 64;

interface Use {
  uploads: number;
  slots: number;
  bytes: number;
}

interface Network extends Use {
  site: Use;
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
  const sites = new Map<string, Use>();
  const total = { slots: 0, bytes: 0 };
  /** In the order of arrival. */
  const queue = new Set<Waiter>();
  const isWithinShare = ({ site }: Network, what: 'slots' | 'bytes', limit: number, more = 0) =>
    site[what] + more <= shareOf(limit, total[what] - site[what]);
  const hasSlot = (network: Network) =>
    network.slots < limits.anonymousUploadsPerNetwork &&
    isWithinShare(network, 'slots', limits.anonymousUploads, 1);
  const add = (network: Network, slots: number, bytes: number) => {
    for (const use of [network, network.site, total]) {
      use.slots += slots;
      use.bytes += bytes;
    }
  };
  const admitWaiting = () => {
    for (const waiter of queue) {
      if (!hasSlot(waiter.network)) continue;
      queue.delete(waiter);
      waiter.admit();
    }
  };
  const full = () => new TooManyRequests('uploadsBeforeKey', Math.max(1, limits.anonymousUploadWaitSeconds));
  return {
    begin: (name) => {
      const siteName = siteOf(name);
      const site = sites.get(siteName) ?? { uploads: 0, slots: 0, bytes: 0 };
      const network = networks.get(name) ?? { uploads: 0, slots: 0, bytes: 0, waiting: 0, site };
      sites.set(siteName, site);
      networks.set(name, network);
      network.uploads++;
      site.uploads++;
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
            if (!isWithinShare(network, 'bytes', limits.anonymousSpoolBytes)) throw full();
          }
          const elapsedMs = now() - begunAt;
          if (elapsedMs > graceMs && ownBytes < (limits.anonymousMinimumBytesPerSecond * elapsedMs) / 1000) {
            throw new AppError('too_slow', uploadTexts.form.slowWithoutKey);
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
          site.uploads--;
          if (network.uploads === 0) networks.delete(name);
          if (site.uploads === 0) sites.delete(siteName);
          admitWaiting();
        },
      };
    },
  };
}

/** Resolves when data is available or the stream ended. */
async function firstBytes(stream: Readable): Promise<void> {
  if (stream.readableLength > 0 || stream.readableEnded || stream.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once('readable', resolve);
  stream.once('close', resolve);
  await promise;
  stream.off('readable', resolve);
  stream.off('close', resolve);
}
