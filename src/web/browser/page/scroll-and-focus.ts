/** Where a page that has just loaded is scrolled to, and what has the focus. */
import { findElement } from '../elements.ts';

/** Scrolls a navigation that is wider than the window to the entry of the current page. */
export function scrollToCurrentTab(): void {
  const selector = '.tabs [aria-current], .settings-nav [aria-current]';
  const tab = findElement(document, selector, HTMLElement);
  const strip = tab?.closest('nav');
  if (!tab || !strip || strip.scrollWidth <= strip.clientWidth) return;
  strip.scrollLeft = tab.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
}

/** Focuses the field that was refused, else the only field there is, else the message about what was done. */
export function focusOnResult(): void {
  if (location.hash) return;
  for (const selector of ['[aria-invalid=true]', '[data-begin]', '[data-news]']) {
    const part = findElement(document, selector, HTMLElement);
    if (!part) continue;
    part.focus();
    return;
  }
}
