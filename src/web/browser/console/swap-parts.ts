/** Follows links `[data-swap]` without a reload: replaces the element with the id named in the link by that of the linked page. */
export function swapParts(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-swap]') : null;
    const id = link?.getAttribute('data-swap');
    const address = link?.getAttribute('href');
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!id || !address || !isPlain) return;
    event.preventDefault();
    swap(id, address).catch(() => location.assign(address));
  });
  addEventListener('popstate', ({ state }) => {
    if (typeof state?.swap === 'string') swap(state.swap, location.href, true).catch(() => location.reload());
  });
}

async function swap(id: string, address: string, isBack = false): Promise<void> {
  const answer = await fetch(address, { headers: { Accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const [shown, next] = [document.getElementById(id), page.getElementById(id)];
  // The session may have ended.
  if (!answer.ok || answer.redirected || !shown || !next) return location.assign(address);
  if (!isBack) {
    history.replaceState({ swap: id }, '');
    history.pushState({ swap: id }, '', address);
  }
  shown.replaceWith(document.adoptNode(next));
  // Keyboards continue with the new contents.
  document.getElementById(id)?.focus({ preventScroll: true });
}
