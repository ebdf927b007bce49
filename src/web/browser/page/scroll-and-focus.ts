/** Scroll position and focus of a page that has just loaded. */
import { findElement } from '../elements.ts';

/** Scrolls a navigation that is wider than the window to the entry of the current page. */
export function scrollToCurrentTab(): void {
  const selector = '.tabs [aria-current], .settings-nav [aria-current]';
  const tab = findElement(document, selector, HTMLElement);
  const strip = tab?.closest('nav');
  if (!tab || !strip || strip.scrollWidth <= strip.clientWidth) return;
  strip.scrollLeft = tab.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
}

/** Focuses the first invalid field, or the only field, or the success message. */
export function focusOnResult(): void {
  if (location.hash) return;
  for (const selector of ['[aria-invalid=true]', '[data-begin]', '[data-news]']) {
    const part = findElement(document, selector, HTMLElement);
    if (!part) continue;
    part.focus();
    return;
  }
}
