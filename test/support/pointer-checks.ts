/** Checks that a person with a pointer can read and use a page in its current state. */
import type { Page } from 'playwright-core';

/**
 * Returns each visible text and control that something else covers in its middle or at an end, each text that is cut off without a way to
 * read it, each number that breaks in two, each list of the console without a box, code that scrolls sideways on a phone, and each control
 * that is much higher than what it contains. Scrolls through the page and back.
 */
export function pointerFaultsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    interface Target {
      element: Element;
      /** A point in it, in coordinates of the document. */
      x: number;
      y: number;
      pinned: boolean;
    }
    const faults = new Set<string>();
    const nameOf = (element: Element) => {
      const classes = element.getAttribute('class');
      const text = (element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 40);
      return `${element.localName}${classes ? `.${classes.split(' ').join('.')}` : ''} “${text}”`;
    };
    const controls = 'a[href], button, input:not([type=hidden]), select, textarea, summary';
    const overflows = new Map<Element, readonly [x: string, y: string]>();
    const overflowOf = (element: Element) => {
      const known = overflows.get(element);
      if (known) return known;
      const { overflowX, overflowY } = getComputedStyle(element);
      overflows.set(element, [overflowX, overflowY]);
      return [overflowX, overflowY] as const;
    };
    /** Whether it or anything around it matches; asked once for each element. */
    const isAnyAround = (matches: (style: CSSStyleDeclaration) => boolean) => {
      const known = new Map<Element, boolean>();
      const ask = (element: Element | null): boolean => {
        if (element === null) return false;
        const answer =
          known.get(element) ?? (ask(element.parentElement) || matches(getComputedStyle(element)));
        known.set(element, answer);
        return answer;
      };
      return ask;
    };
    /** Only for screen readers. */
    const isForReaders = isAnyAround(({ clipPath }) => clipPath === 'inset(50%)');
    /** Stays in the window while the page scrolls. */
    const isPinned = isAnyAround(({ position }) => position === 'sticky' || position === 'fixed');
    const isShown = (element: Element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      getComputedStyle(element).pointerEvents !== 'none' &&
      !element.closest('.skip, svg, [inert]') &&
      !isForReaders(element);

    /** The part of a box that the boxes around it show; null if nothing. */
    const visiblePart = (box: DOMRect, element: Element): DOMRect | null => {
      let { left, top, right, bottom } = box;
      for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) {
        const [x, y] = overflowOf(at);
        if (x === 'visible' && y === 'visible') continue;
        const around = at.getBoundingClientRect();
        if (x !== 'visible') [left, right] = [Math.max(left, around.left), Math.min(right, around.right)];
        if (y !== 'visible') [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
      }
      return right - left < 1 || bottom - top < 1 ? null : new DOMRect(left, top, right - left, bottom - top);
    };
    const isScrollable = (element: Element) => {
      for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement)
        if (overflowOf(at).some((one) => one === 'auto' || one === 'scroll')) return true;
      return false;
    };
    /** A link leads to the whole text, a title shows it, a menu or details unfold it. */
    const hasWayToRead = (element: Element) =>
      element.closest('[title], a, summary, button, select, option') !== null ||
      element.querySelector('[title], a[href]') !== null ||
      element.closest('tr, li, article')?.querySelector('a[href], summary') != null;

    const targets: Target[] = [];
    const addTarget = (element: Element, boxes: readonly DOMRect[]) => {
      const parts = boxes.flatMap((box) => visiblePart(box, element) ?? []);
      const [largest] = parts.sort((one, other) => other.width * other.height - one.width * one.height);
      if (!largest) {
        const isSomewhere = boxes.some(({ width, height }) => width >= 1 && height >= 1);
        if (isSomewhere && !isScrollable(element) && !hasWayToRead(element))
          faults.add(`is cut off completely: ${nameOf(element)}`);
        return;
      }
      const y = largest.top + largest.height / 2 + scrollY;
      // A button over the end of a line hides as much as one over its middle.
      const ends = largest.width < 4 ? [] : [largest.left + 2, largest.right - 2];
      for (const x of [largest.left + largest.width / 2, ...ends])
        targets.push({ element, x: x + scrollX, y, pinned: isPinned(element) });
    };

    const range = document.createRange();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!parent || node.nodeValue?.trim() === '' || !isShown(parent)) continue;
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()];
      if (/^\s*[\d.,]+\s*$/.test(node.nodeValue ?? '') && new Set(boxes.map(({ top }) => top)).size > 1)
        faults.add(`breaks a number: ${nameOf(parent)}`);
      addTarget(parent, boxes);
    }
    for (const list of document.querySelectorAll('.console main .link-list:not(.aside .link-list)')) {
      if (!isShown(list)) continue;
      let box: Element | null = list;
      const hasBorder = (element: Element) => {
        const style = getComputedStyle(element);
        return Number.parseFloat(style.borderLeftWidth) > 0 && Number.parseFloat(style.borderTopWidth) > 0;
      };
      while (box && box.localName !== 'main' && !hasBorder(box)) box = box.parentElement;
      if (box?.localName === 'main') faults.add(`has no box: ${nameOf(list)}`);
    }
    for (const code of document.querySelectorAll('.scroll'))
      if (innerWidth < 704 && code.scrollWidth > code.clientWidth && isShown(code))
        faults.add(`scrolls sideways: ${nameOf(code)}`);
    for (const element of document.querySelectorAll(controls)) {
      if (!isShown(element)) continue;
      const box = element.getBoundingClientRect();
      // The drawing of a check box covers the check box itself.
      if (box.width >= 1 && box.height >= 1) addTarget(element, [...element.getClientRects()]);
      range.selectNodeContents(element);
      const contents = range.getBoundingClientRect();
      const isButton = element.matches('button, .button, summary');
      if (isButton && contents.height > 0 && box.height > contents.height * 2.5 + 24)
        faults.add(
          `is ${Math.round(box.height)} px high around ${Math.round(contents.height)}: ${nameOf(element)}`,
        );
    }
    for (const [element, [x, y]] of overflows) {
      const hides = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
      const isCut =
        (hides(x) && element.scrollWidth > element.clientWidth + 1) ||
        (hides(y) && element.scrollHeight > element.clientHeight + 1);
      if (
        isCut &&
        element !== document.documentElement &&
        isShown(element) &&
        element.textContent?.trim() &&
        // No link leads to more of a badge that holds words of Slipway, not a name.
        (element.matches('.badge:not(:has(bdi))') || !hasWayToRead(element))
      )
        faults.add(`is cut off: ${nameOf(element)}`);
    }

    const start = scrollY;
    const end = document.documentElement.scrollHeight - innerHeight;
    const left = new Set(targets);
    for (let y = 0; ; y = Math.min(y + innerHeight / 2, end)) {
      scrollTo({ top: y, behavior: 'instant' });
      for (const target of left) {
        if (target.pinned && y > 0) continue;
        const at = target.y - y;
        // In the middle of the window, below whatever stays at its top, except where the page begins and ends.
        if (at < (y <= 0 ? 0 : innerHeight * 0.2) || at > (y >= end ? innerHeight : innerHeight * 0.8))
          continue;
        left.delete(target);
        const { element } = target;
        const hit = document.elementFromPoint(target.x, at);
        if (!hit || hit.contains(element) || element.contains(hit)) continue;
        // Further scrolling uncovers it.
        if (isPinned(hit) && !target.pinned && y < end) continue;
        // Lies over the page on purpose.
        if (hit.closest('dialog, [role=dialog], [role=listbox], .palette, .menu-list, .drop-overlay'))
          continue;
        // A link that is stretched over its row shows what is below it.
        const link = hit.closest('a');
        const row =
          link && getComputedStyle(link, '::after').position === 'absolute' ? link.closest('tr, li') : null;
        if (row?.contains(element) && !element.matches(controls)) continue;
        const label = hit.closest('label');
        if (label && (label.contains(element) || label.control === element)) continue;
        faults.add(`${nameOf(element)} is covered by ${nameOf(hit)}`);
      }
      if (y >= end) break;
    }
    scrollTo({ top: start, behavior: 'instant' });
    return [...faults];
  });
}
