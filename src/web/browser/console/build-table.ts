import { findElement, findElements, requireElement } from '../elements.ts';
import { partsChanged } from './live-parts.ts';

/** Selects rows, shows the bulk bar while any are selected, and moves through the rows by keyboard. */
export function enhanceBuildTable(): void {
  const form = findElement(document, 'form[data-bulk]', HTMLFormElement);
  if (form) enableSelection(form);
  const table = findElement(document, 'table[data-rows]', HTMLTableElement);
  if (table) enableKeys(table);
}

function enableSelection(form: HTMLFormElement): void {
  const bar = requireElement(form, '.bulk', HTMLElement);
  const counter = requireElement(bar, '[data-count]', HTMLElement);
  const all = requireElement(form, 'input[data-all]', HTMLInputElement);
  // Looked up each time, because rows are replaced and removed while the page is open.
  const boxesOf = () => findElements(form, 'input[name=revision]', HTMLInputElement);
  const words = JSON.parse(counter.dataset.count ?? '{}') as { one: string; other: string };
  let last: HTMLInputElement | null = null;
  const update = () => {
    const boxes = boxesOf();
    const count = boxes.filter(({ checked }) => checked).length;
    for (const box of boxes) box.closest('tr')?.classList.toggle('picked', box.checked);
    all.checked = count > 0 && count === boxes.length;
    all.indeterminate = count > 0 && count < boxes.length;
    counter.textContent = (count === 1 ? words.one : words.other).replace('{}', String(count));
    bar.hidden = count === 0;
  };
  all.hidden = false;
  all.addEventListener('change', () => {
    for (const box of boxesOf()) box.checked = all.checked;
    update();
  });
  form.addEventListener('click', ({ target, shiftKey }) => {
    if (!(target instanceof HTMLInputElement) || target.name !== 'revision') return;
    if (shiftKey && last) for (const box of between(boxesOf(), last, target)) box.checked = target.checked;
    last = target;
    update();
  });
  form.addEventListener('change', update);
  form.addEventListener('reset', () => setTimeout(update));
  document.addEventListener(partsChanged, update);
  // Browsers restore the checkboxes after going back.
  addEventListener('pageshow', update);
  update();
}

function between<T>(list: readonly T[], one: T, other: T): readonly T[] {
  const [first = 0, end = 0] = [list.indexOf(one), list.indexOf(other)].sort((a, b) => a - b);
  return list.slice(first, end + 1);
}

/** J and K move, X selects, P publishes, Enter opens, as in email programs. Disabled while the user is typing. */
function enableKeys(table: HTMLTableElement): void {
  const rowsOf = () => findElements(table, 'tbody tr', HTMLTableRowElement);
  let current = -1;
  const move = (step: 1 | -1) => {
    const rows = rowsOf();
    current = Math.min(Math.max(current + step, 0), rows.length - 1);
    rows[current]?.querySelector<HTMLAnchorElement>('th a')?.focus();
  };
  table.addEventListener('focusin', ({ target }) => {
    current = rowsOf().findIndex((row) => target instanceof Node && row.contains(target));
  });
  document.addEventListener('keydown', (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    const row = rowsOf()[current];
    if (event.key === 'j') move(1);
    else if (event.key === 'k') move(-1);
    else if (event.key === 'x' && row) row.querySelector<HTMLInputElement>('input[name=revision]')?.click();
    else if (event.key === 'p' && row) row.querySelector<HTMLAnchorElement>('a[data-publish]')?.click();
    else return;
    event.preventDefault();
  });
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('dialog, input:not([type=checkbox]), select, textarea') !== null);
