import { localizeTimes } from './local-times.ts';

/** Parts of the page that are replaced by newer ones: elements with `data-live-part` and an id. */

export type Refreshed = 'complete' | 'incomplete' | 'no access';

/** Whether the page shows something that will soon change by itself. */
export function isPending(): boolean {
  return document.querySelector('[data-live-pending]') !== null;
}

/**
 * Fetches the page again and replaces its parts, except those in use: with the focus, selected text or an open menu.
 * `incomplete`: try again later.
 */
export async function refreshParts(): Promise<Refreshed> {
  const parts = [...document.querySelectorAll<HTMLElement>('[data-live-part]')];
  if (parts.length === 0) return 'complete';
  const page = await fetchPage();
  if (page === 'no access' || page === null) return page ?? 'incomplete';
  let result: Refreshed = 'complete';
  for (const part of parts) {
    const found = page.getElementById(part.id);
    if (!found) continue;
    const newer = document.adoptNode(found);
    localizeTimes(newer);
    if (newer.isEqualNode(part)) continue;
    if (isInUse(part)) result = 'incomplete';
    else part.replaceWith(newer);
  }
  return result;
}

async function fetchPage(): Promise<Document | 'no access' | null> {
  try {
    const headers = { Accept: 'text/html' };
    const response = await fetch(location.href, { redirect: 'manual', cache: 'no-store', headers });
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
