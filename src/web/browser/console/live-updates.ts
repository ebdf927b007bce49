import { findElement, requireData } from '../elements.ts';
import { isRecord } from '../json.ts';

const pollMs = 15_000;

/** Announces new builds in a quiet bar. Asks only while the page is visible, and stops when the viewer loses access. */
export function announceNewBuilds(): void {
  const place = findElement(document, '[data-live-news]', HTMLElement);
  if (!place) return;
  const shown = Number(requireData(place, 'revision'));
  let announced = shown;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let hasAccess = true;

  const ask = async () => {
    clearTimeout(timer);
    if (isAsking || !hasAccess || document.hidden) return;
    isAsking = true;
    const answer = await fetchLatest(requireData(place, 'liveNews'));
    isAsking = false;
    if (answer === 'no access') {
      hasAccess = false;
      return;
    }
    // Also when the announced build was deleted: the bar never names a build that the list would lack.
    if (answer !== 'unknown' && answer !== announced) {
      announced = answer;
      place.replaceChildren(...(answer > shown ? [newsOf(place, answer)] : []));
    }
    if (!document.hidden) timer = setTimeout(ask, pollMs);
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else void ask();
  });
  if (!document.hidden) timer = setTimeout(ask, pollMs);
}

async function fetchLatest(address: string): Promise<number | 'no access' | 'unknown'> {
  try {
    // An ended session redirects to sign in.
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
