/** Follows the event stream of an app. Reports when it is unavailable, so that the page polls instead. */
import { isRecord } from '../json.ts';

export interface LiveState {
  /** Revision of the newest build; 0 without builds. */
  revision: number;
  /** Changes with everything that the page shows. */
  digest: string;
}

export interface LiveStream {
  /** Opens the stream if the page is visible; closes it otherwise. */
  follow(): void;
  /** Closes the stream permanently. */
  stop(): void;
}

/** The stream is also silent if a proxy buffers the response. */
const silenceMs = 10_000;
const maxFailures = 2;
const reopenAfterPollingMs = 5 * 60_000;
const minRetryMs = 1000;
const retrySpreadMs = 4000;

export function createLiveStream(
  address: string,
  on: {
    change(state: LiveState): void;
    /** Called when the viewer has lost access. */
    end(): void;
    unavailable(): void;
  },
): LiveStream {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let isStopped = false;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const wait = (ms: number, next: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(next, ms);
  };
  const giveUp = () => {
    close();
    on.unavailable();
    wait(reopenAfterPollingMs, open);
  };
  const open = () => {
    close();
    if (isStopped || document.hidden) return;
    const opened = new EventSource(address);
    source = opened;
    wait(silenceMs, giveUp);
    opened.addEventListener('change', ({ data }) => {
      clearTimeout(timer);
      failures = 0;
      const state = readState(data);
      if (state) on.change(state);
    });
    opened.addEventListener('end', () => {
      isStopped = true;
      close();
      on.end();
    });
    opened.addEventListener('error', () => {
      failures++;
      if (failures >= maxFailures) giveUp();
      // The browser reconnects automatically, but not after an error response.
      else if (opened.readyState === EventSource.CLOSED)
        wait(minRetryMs + Math.random() * retrySpreadMs, open);
      else wait(silenceMs, giveUp);
    });
  };
  return {
    follow: () => {
      if (document.hidden) close();
      else if (!source) open();
    },
    stop: () => {
      isStopped = true;
      close();
    },
  };
}

function readState(data: unknown): LiveState | null {
  const state: unknown = typeof data === 'string' ? JSON.parse(data) : null;
  if (!isRecord(state) || typeof state.digest !== 'string') return null;
  return { revision: typeof state.revision === 'number' ? state.revision : 0, digest: state.digest };
}
