import { findElement, findElements } from '../elements.ts';

/** Makes the days of a plot a single tab stop with arrow keys, Home and End. Without scripts, each day is a tab stop. */
export function enhanceDayColumns(): void {
  const columns = findElement(document, '[data-days]', HTMLElement);
  if (!columns) return;
  const days = findElements(columns, 'a', HTMLAnchorElement);
  const last = days.length - 1;
  let current = last;
  const select = (index: number) => {
    current = index;
    for (const [at, day] of days.entries()) day.tabIndex = at === index ? 0 : -1;
  };
  select(last);
  columns.addEventListener('focusin', ({ target }) => {
    const index = days.indexOf(target as HTMLAnchorElement);
    if (index >= 0) select(index);
  });
  columns.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isRightToLeft = getComputedStyle(columns).direction === 'rtl';
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: current + (isRightToLeft ? 1 : -1),
      ArrowRight: current + (isRightToLeft ? -1 : 1),
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (event.key === 'Escape') days[current]?.blur();
    if (target === undefined) return;
    event.preventDefault();
    days[Math.min(last, Math.max(0, target))]?.focus();
  });
  // The table of numbers is collapsed.
  columns.addEventListener('click', ({ target }) => {
    const day = target instanceof Element ? target.closest('a') : null;
    const row = day && document.getElementById(day.hash.slice(1));
    row?.closest('details')?.setAttribute('open', '');
  });
}
