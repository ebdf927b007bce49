/**
 * Follows links `[data-swap]` without a reload: replaces the element with the id named in the link by that of the linked page. In a
 * part `[data-swap-part]`, Escape follows its link `[data-swap-up]`.
 */
export function swapParts(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-swap]') : null;
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (link && isPlain && follow(link)) event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || !(event.target instanceof Element)) return;
    const up = event.target.closest('[data-swap-part]')?.querySelector('a[data-swap-up]');
    if (up && follow(up)) event.preventDefault();
  });
  addEventListener('popstate', ({ state }) => {
    if (typeof state?.swap === 'string') swap(state.swap, location.href, true).catch(() => location.reload());
  });
}

/** Returns whether the link names a part. */
function follow(link: Element): boolean {
  const id = link.getAttribute('data-swap');
  const address = link.getAttribute('href');
  if (!id || !address) return false;
  swap(id, address).catch(() => location.assign(address));
  return true;
}

let shownAddress = location.href;
let newest = 0;

async function swap(id: string, address: string, isBack = false): Promise<void> {
  newest += 1;
  const own = newest;
  const answer = await fetch(address, { headers: { Accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  // A later link was followed in the meantime.
  if (own !== newest) return;
  const [shown, next] = [document.getElementById(id), page.getElementById(id)];
  // The session may have ended.
  if (!answer.ok || answer.redirected || !shown || !next) return location.assign(address);
  if (!isBack) {
    history.replaceState({ swap: id }, '');
    history.pushState({ swap: id }, '', address);
  }
  const left = shownAddress;
  shownAddress = location.href;
  const part = document.adoptNode(next);
  shown.replaceWith(part);
  (linkTo(left, part) ?? part).focus({ preventScroll: true });
}

/** The visible link that leads to what was shown before, if this part contains it; not the links to what contains this part. */
function linkTo(address: string, part: Element): HTMLElement | SVGElement | undefined {
  return [...part.querySelectorAll<HTMLElement | SVGElement>('a[data-swap]')].find(
    (link) =>
      new URL(link.getAttribute('href') ?? '', location.href).href === address &&
      !link.closest('nav') &&
      link.getClientRects().length > 0,
  );
}
