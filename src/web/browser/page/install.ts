/** The page on which testers install a build. */
import { findElement, findElements, requireData } from '../elements.ts';

/** Swaps the `[data-touch]` parts on an iPad, which identifies as a Macintosh but has a touch screen. */
export function showTouchScreenParts(): void {
  if (navigator.maxTouchPoints < 2) return;
  for (const part of findElements(document, '[data-touch]', HTMLElement)) part.hidden = !part.hidden;
}

/** Shows what happens next after a tap, because the page itself does not change. */
export function showInstallSteps(): void {
  for (const link of findElements(document, '[data-install]', HTMLElement)) {
    link.addEventListener('click', () => {
      const explanation = link.nextElementSibling?.firstElementChild;
      if (explanation instanceof HTMLElement) explanation.hidden = false;
    });
  }
}

/** Reloads a page that becomes visible after `data-fresh-for` seconds, when its links to the package have expired. */
export function renewExpiredLinks(): void {
  const page = findElement(document, '[data-fresh-for]', HTMLElement);
  if (!page) return;
  // Going back may show a stored page of any age.
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const freshMs = Number(requireData(page, 'freshFor')) * 1000;
  const expiresAt = navigation?.type === 'back_forward' ? 0 : Date.now() + freshMs;
  const renew = () => {
    const expired = Date.now() > expiresAt && navigator.onLine;
    if (expired && document.visibilityState === 'visible') location.reload();
    return expired;
  };
  addEventListener('pageshow', renew);
  document.addEventListener('visibilitychange', renew);
  page.addEventListener('click', (event) => {
    const { target } = event;
    if (target instanceof Element && target.closest('[data-install]') && renew()) event.preventDefault();
  });
}
