/** Scroll position and focus of a page that has just loaded. */
import { findElement, findElements } from '../elements.ts';

/** Scrolls each navigation that is wider than the window to the entry of the current page. */
export function scrollToCurrentTab(): void {
  for (const tab of findElements(document, ':is(.tabs, .settings-nav) [aria-current]', HTMLElement)) {
    const strip = tab.closest('nav');
    if (!strip || strip.scrollWidth <= strip.clientWidth) continue;
    strip.scrollLeft = tab.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
  }
}

/** Focuses the first invalid field; otherwise the only field, or the success message. */
export function focusOnResult(): void {
  if (location.hash) return;
  for (const selector of ['[autofocus], [aria-invalid=true]', '[data-begin]', '[data-news]']) {
    const part = findElement(document, selector, HTMLElement);
    if (!part) continue;
    part.focus();
    return;
  }
}
