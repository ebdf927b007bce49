import { findElement, requireData } from '../elements.ts';
import { isRecord } from '../json.ts';
import { isPending, refreshParts } from './live-parts.ts';
import { createLiveStream } from './live-stream.ts';
import { createRepeatedTask } from './repeated-task.ts';

const newsPollMs = 15_000;
const partsPollMs = 5000;
/** Polls for ten minutes. Anything pending longer is waiting for something else. */
const maxPartsPolls = 120;

/**
 * Shows changes without a reload while the page is visible: announces new builds in a bar, and updates parts of the page in
 * place. Follows the event stream of the page. If there is none, polls regularly: while something is pending, or always for lists
 * `[data-live-polled]`. Stops when the viewer loses access.
 */
export function showLiveUpdates(): void {
  const place = findElement(document, '[data-live-news]', HTMLElement);
  const news = place && createNews(place);
  const streamed = findElement(document, '[data-live-stream]', HTMLElement);
  let isPolling = streamed === null;
  let digest: string | null = null;

  const stream =
    streamed &&
    createLiveStream(requireData(streamed, 'liveStream'), {
      change: (state) => {
        isPolling = false;
        news?.announce(state.revision);
        // Pending work may have been completed before the stream was open.
        if (digest === null ? isPending() : digest !== state.digest) parts.start(0);
        digest = state.digest;
      },
      end: () => stop(),
      unavailable: () => {
        isPolling = true;
        poll(newsPollMs, partsPollMs);
      },
    });
  const parts = createRepeatedTask({ everyMs: partsPollMs, maxRuns: maxPartsPolls }, async () => {
    const refreshed = await refreshParts();
    if (refreshed === 'no access') stop();
    return refreshed === 'incomplete' || (isPolling && isPending());
  });
  const latest = createRepeatedTask({ everyMs: newsPollMs }, async () => {
    if (!news || !isPolling) return false;
    const answer = await fetchLatest(news.address);
    if (answer === 'no access') stop();
    else if (answer !== 'unknown') news.announce(answer);
    return true;
  });
  const list = createRepeatedTask({ everyMs: newsPollMs }, async () => {
    if ((await refreshParts()) === 'no access') stop();
    return isPolled();
  });
  const poll = (newsAfterMs: number, partsAfterMs: number) => {
    if (news) latest.start(newsAfterMs);
    if (isPolled()) list.start(newsAfterMs);
    if (isPending()) parts.start(partsAfterMs);
  };
  const stop = () => {
    for (const one of [stream, parts, latest, list]) one?.stop();
  };
  document.addEventListener('visibilitychange', () => {
    stream?.follow();
    if (document.hidden) for (const task of [parts, latest, list]) task.pause();
    else if (isPolling) poll(0, 0);
  });
  if (stream) stream.follow();
  else if (!document.hidden) poll(newsPollMs, partsPollMs);
}

const isPolled = () => document.querySelector('[data-live-polled]') !== null;

/** Creates the bar that announces the newest build. It never changes the list itself. */
function createNews(place: HTMLElement) {
  const shown = Number(requireData(place, 'revision'));
  let announced = shown;
  return {
    address: requireData(place, 'liveNews'),
    announce: (revision: number) => {
      // Also applies if the announced build was deleted, so that the bar never announces a build that is missing from the list.
      if (revision === announced) return;
      announced = revision;
      place.replaceChildren(...(revision > shown ? [newsOf(place, revision)] : []));
    },
  };
}

async function fetchLatest(address: string): Promise<number | 'no access' | 'unknown'> {
  try {
    // If the session has ended, the server redirects to sign-in.
    const response = await fetch(address, { redirect: 'manual', cache: 'no-store' });
    if (response.type === 'opaqueredirect' || [401, 403, 404].includes(response.status)) return 'no access';
    if (!response.ok) return 'unknown';
    const body: unknown = await response.json();
    if (!isRecord(body) || !isRecord(body.results)) return 'unknown';
    const { revision } = body.results;
    return typeof revision === 'number' ? revision : 0;
  } catch {
    return 'unknown';
  }
}

function newsOf(place: HTMLElement, revision: number): HTMLElement {
  const news = document.createElement('span');
  news.className = 'news';
  const text = document.createElement('span');
  text.textContent = requireData(place, 'text').replace('{}', String(revision));
  const show = document.createElement('a');
  show.className = 'button';
  show.href = requireData(place, 'address');
  show.textContent = requireData(place, 'show');
  news.append(text, show);
  return news;
}
