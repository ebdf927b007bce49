import { findElement, requireData, requireElement } from '../elements.ts';

const pauseMs = 150;

/**
 * Searches while the user types in the form `[data-live]`. The server renders the part of the page with the id named in the form,
 * and the number of results to announce.
 */
export function searchWhileTyping(): void {
  const form = findElement(document, 'form[data-live]', HTMLFormElement);
  if (!form) return;
  const part = requireElement(document, `#${CSS.escape(requireData(form, 'live'))}`, HTMLElement);
  const status = requireElement(form, '[role=status]', HTMLElement);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest = 0;
  const search = async () => {
    latest += 1;
    const turn = latest;
    const address = `${form.getAttribute('action')}?${queryOf(form)}`;
    const answer = await fetch(`${address}&part=${part.id}`, { headers: { Accept: 'text/html' } });
    // The session may have ended.
    if (answer.redirected || !answer.ok) return location.assign(address);
    const html = await answer.text();
    if (turn !== latest) return;
    part.innerHTML = html;
    status.textContent = findElement(part, '[data-found]', HTMLElement)?.dataset.found ?? '';
    history.replaceState(null, '', address);
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    // Without a connection, the list stays as it is. Submitting the form shows the reason.
    timer = setTimeout(() => search().catch(() => undefined), pauseMs);
  });
}

function queryOf(form: HTMLFormElement): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string') query.append(name, value);
  }
  return query;
}
