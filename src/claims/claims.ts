/**
 * The claims of this process on work that no other process may do in the meantime: jobs, requests with an `Idempotency-Key`,
 * conditional changes. Leases are renewed while the work runs, by the database’s clock, so that a slow process is never
 * considered dead.
 */
import type { Data } from '../db/data.ts';
import { type Claim, leaseMs } from './claim.ts';
import { claimQueries } from './claim-queries.ts';
import { adjustClock, type SharedClock } from './shared-clock.ts';

export interface Claims {
  /** The id of this process. */
  nodeId: string;
  /** Begins a claim, which is renewed until it is settled. */
  begin(): Claim;
  /** Whether this node may take over work that others did not release before their leases ended. */
  takesOver(): boolean;
  /**
   * Ends the claim with a write, such as the result of the work. If the database does not accept the write now, it is repeated in
   * the background until it does.
   */
  settle(claim: Claim, write: () => Promise<void>): Promise<void>;
  /** Ends the claim of work that did not succeed. */
  drop(claim: Claim): void;
  /** Compares the clock of this machine with that of the database; rejects when that does not answer. Must precede all other work. */
  setClock(): Promise<void>;
  /** Renews the claims, sets the clock and reports this node, now and periodically. */
  start(): Promise<void>;
  /** This machine’s clock minus that of the database; null while unknown. */
  clockOffsetMs(): number | null;
  /** Releases everything that is still held. */
  close(): Promise<void>;
}

interface ClaimsDeps {
  data: Data;
  nodeId: string;
  /** Whether no other process uses this database. */
  alone: boolean;
  host: string;
  clock: SharedClock;
  /** Milliseconds since an arbitrary moment, unaffected by changes of the clock. */
  uptimeMs?: () => number;
  log: { warn(fields: object, message: string): void };
}

/** Frequent enough for several attempts within a lease. */
const renewEveryMs = 10_000;
const settleEveryMs = 2_000;

export function createClaims(deps: ClaimsDeps): Claims {
  const { data, nodeId, alone, host, clock, log, uptimeMs = () => performance.now() } = deps;
  const held = new Set<Claim>();
  const unsettled = new Map<Claim, () => Promise<void>>();
  let last = 0;
  let offsetMs: number | null = null;
  /** Since when the database has answered without interruption. After an interruption, other nodes must also have had time to renew. */
  let steadySince = Number.POSITIVE_INFINITY;
  let renewing: NodeJS.Timeout | undefined;
  let renewed = Promise.resolve();
  let settling: NodeJS.Timeout | undefined;
  let isClosed = false;

  const setClock = async () => {
    if (!alone) offsetMs = (await adjustClock(data, clock, uptimeMs)) ?? offsetMs;
  };
  const renew = async () => {
    try {
      if (held.size > 0)
        await claimQueries(data).renew(
          nodeId,
          [...held].map(({ number }) => number),
        );
      await setClock();
      if (offsetMs !== null) await claimQueries(data).report({ id: nodeId, host, clockOffsetMs: offsetMs });
      steadySince = Math.min(steadySince, uptimeMs());
    } catch (error) {
      steadySince = Number.POSITIVE_INFINITY;
      log.warn({ err: error }, 'the claims of this node could not be renewed');
    }
    if (isClosed) return;
    renewing = setTimeout(() => {
      renewed = renew();
    }, renewEveryMs);
    renewing.unref();
  };
  const settleAll = async () => {
    for (const [claim, write] of unsettled) {
      try {
        await write();
        unsettled.delete(claim);
        held.delete(claim);
      } catch {
        // The next round repeats the write.
      }
    }
  };
  const settleLater = () => {
    if (isClosed || settling !== undefined || unsettled.size === 0) return;
    settling = setTimeout(async () => {
      await settleAll();
      settling = undefined;
      settleLater();
    }, settleEveryMs);
    settling.unref();
  };
  const takesOver = () => !alone && uptimeMs() - steadySince >= leaseMs;
  return {
    nodeId,
    takesOver,
    begin: () => {
      last += 1;
      const claim = { nodeId, number: last, takesOver: takesOver() };
      held.add(claim);
      return claim;
    },
    settle: async (claim, write) => {
      try {
        await write();
        held.delete(claim);
      } catch (error) {
        log.warn({ err: error }, 'a claim could not be settled and will be settled later');
        unsettled.set(claim, write);
        settleLater();
      }
    },
    drop: (claim) => {
      held.delete(claim);
    },
    setClock,
    start: () => {
      renewed = renew();
      return renewed;
    },
    clockOffsetMs: () => offsetMs,
    close: async () => {
      isClosed = true;
      clearTimeout(renewing);
      clearTimeout(settling);
      await renewed;
      await settleAll();
      await claimQueries(data)
        .releaseNode(nodeId)
        .catch((error) => log.warn({ err: error }, 'the claims of this node could not be released'));
    },
  };
}
