import { localizeTimes } from './local-times.ts';

/** Replaces parts of the page with newer ones: elements with `data-live-part` and an id. */

/** Dispatched on the document after parts were replaced or removed. */
export const partsChanged = 'slipway:parts';

export type Refreshed = 'complete' | 'incomplete' | 'no access';

/** Whether the page shows anything that will soon change without user action. */
export function isPending(): boolean {
  return document.querySelector('[data-live-pending]') !== null;
}

/**
 * Fetches the page again and replaces its parts, except parts in use: with the focus, selected text or an open menu.
 * `incomplete`: some parts were in use, so try again later.
 */
export async function refreshParts(): Promise<Refreshed> {
  const parts = [...document.querySelectorAll<HTMLElement>('[data-live-part]')];
  if (parts.length === 0) return 'complete';
  const page = await fetchPage();
  if (page === 'no access' || page === null) return page ?? 'incomplete';
  const removed = findRemovedRows(page);
  const kept = parts.map((part) => {
    const found = page.getElementById(part.id);
    if (!found && !removed.has(part)) return true;
    const newer = found && document.adoptNode(found);
    if (newer) {
      localizeTimes(newer);
      keepChoice(part, newer);
      if (newer.isEqualNode(part)) return true;
    }
    if (isInUse(part)) return false;
    if (newer) part.replaceWith(newer);
    else part.remove();
    return true;
  });
  document.dispatchEvent(new Event(partsChanged));
  return kept.includes(false) ? 'incomplete' : 'complete';
}

/**
 * Returns the rows of a list `[data-live-rows]`, newest first, that are missing from the newer page. New rows on it are not
 * shown: each one at the start may have moved a row from the end to the next page.
 */
function findRemovedRows(page: Document): Set<Element> {
  const list = document.querySelector('[data-live-rows]');
  const newer = page.querySelector('[data-live-rows]');
  if (!list || !newer) return new Set();
  const isShown = ({ id }: Element) => document.getElementById(id) !== null;
  const firstShown = [...newer.children].findIndex(isShown);
  const added = firstShown === -1 ? newer.children.length : firstShown;
  const rows = [...list.children];
  const missing = rows.filter(({ id }) => !page.getElementById(id));
  const movedTo = rows.length - added;
  return new Set(missing.filter((row) => rows.indexOf(row) < movedTo));
}

/** Keeps a selected row selected and a cleared one cleared, even if the page selects all rows. */
function keepChoice(part: HTMLElement, newer: HTMLElement): void {
  const box = part.querySelector<HTMLInputElement>('input[type=checkbox]');
  const newBox = newer.querySelector<HTMLInputElement>('input[type=checkbox]');
  if (!box || !newBox) return;
  newBox.checked = box.checked;
  if (box.checked) newer.className = part.className;
}

async function fetchPage(): Promise<Document | 'no access' | null> {
  try {
    const headers = { Accept: 'text/html' };
    // The address of a page that answered a form leads back to the page of the form.
    const address = document.querySelector<HTMLElement>('[data-live-page]')?.dataset.livePage;
    const response = await fetch(address ?? location.href, {
      redirect: 'manual',
      cache: 'no-store',
      headers,
    });
    if (response.type === 'opaqueredirect' || [401, 403, 404].includes(response.status)) return 'no access';
    return response.ok ? new DOMParser().parseFromString(await response.text(), 'text/html') : null;
  } catch {
    return null;
  }
}

function isInUse(part: HTMLElement): boolean {
  const selection = getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && selection.containsNode(part, true);
  return part.contains(document.activeElement) || isSelected || part.querySelector('details[open]') !== null;
}
