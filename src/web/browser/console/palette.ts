import { findElement, findElements, requireData, requireElement } from '../elements.ts';
import { type PaletteTexts, readPaletteTexts } from './palette-texts.ts';

const pauseMs = 120;
/** Below this width, the search page is used instead, because an on-screen keyboard leaves no room for a dialog. */
const wideScreen = '(min-width: 44rem)';
const searchPath = '/search';
const maxQueryLength = 200;

/** Opens the search as a dialog on `/`, Ctrl+K and ⌘K, and from the search field in the header. */
export function enablePalette(): void {
  // Only pages for signed-in people have it.
  const form = findElement(document, '.top form[role=search]', HTMLFormElement);
  if (!form || typeof HTMLDialogElement !== 'function') return;
  const field = requireElement(form, 'input', HTMLInputElement);
  const texts = readPaletteTexts(requireData(form, 'words'));
  let palette: Palette | undefined;
  const open = (text: string) => {
    palette ??= createPalette(texts);
    palette.open(text);
  };
  document.addEventListener('keydown', (event) => {
    const isShortcut =
      (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k';
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isShortcut && !(isSlash && !isEditable(event.target))) return;
    if (event.defaultPrevented || event.isComposing) return;
    if (document.querySelector('dialog[open]') && !palette?.isOpen()) return;
    event.preventDefault();
    if (!palette?.isOpen()) open('');
  });
  // Not on focus, because moving through the page with Tab must not open a dialog.
  const takeOver = () => {
    if (!matchMedia(wideScreen).matches) return;
    const { value } = field;
    field.value = '';
    open(value);
  };
  field.addEventListener('click', takeOver);
  field.addEventListener('input', () => {
    if (field.value !== '') takeOver();
  });
}

function isEditable(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

interface Palette {
  open(text: string): void;
  isOpen(): boolean;
}

function createPalette(t: PaletteTexts): Palette {
  const { dialog, form, field, list, status } = createDialog(t);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;
  /** The query that the options belong to; null while searching. */
  let shownQuery: string | null = null;
  let opener: Element | null = null;

  const options = () => findElements(list, '[role=option]', HTMLAnchorElement);
  const selected = () => findElement(list, '[aria-selected=true]', HTMLAnchorElement);
  const select = (option: HTMLAnchorElement | undefined) => {
    selected()?.setAttribute('aria-selected', 'false');
    if (!option) return field.removeAttribute('aria-activedescendant');
    option.setAttribute('aria-selected', 'true');
    field.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  };
  const move = (step: number) => {
    const all = options();
    const current = selected();
    const from = current ? all.indexOf(current) : step > 0 ? -1 : 0;
    select(all[(from + step + all.length) % all.length]);
  };
  /** A listbox without options is invalid. */
  const describeList = () => {
    const isListbox = options().length > 0;
    list.setAttribute('role', isListbox ? 'listbox' : 'group');
    field.setAttribute('aria-expanded', String(isListbox));
  };
  const show = (html: string) => {
    list.innerHTML = html;
    list.scrollTop = 0;
    select(options()[0]);
    describeList();
    status.textContent = findElement(list, '[data-found]', HTMLElement)?.dataset.found ?? '';
  };
  const showProblem = (text: string) => {
    const line = document.createElement('p');
    line.className = 'palette-nothing';
    line.textContent = text;
    list.replaceChildren(line);
    select(undefined);
    describeList();
    status.textContent = text;
  };

  const search = async () => {
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    const query = field.value;
    const address = `${searchPath}?${new URLSearchParams({ q: query })}`;
    try {
      const answer = await fetch(`${address}&part=results`, { headers: { Accept: 'text/html' }, signal });
      if (answer.status === 429) return showProblem(t.tooMany);
      // The session may have ended; the page then leads to sign-in.
      if (answer.redirected || !answer.ok) return location.assign(address);
      const html = await answer.text();
      if (signal.aborted) return;
      show(html);
      shownQuery = query;
    } catch {
      if (!signal.aborted) showProblem(t.offline);
    }
  };

  field.addEventListener('input', () => {
    shownQuery = null;
    clearTimeout(timer);
    timer = setTimeout(search, pauseMs);
  });
  field.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else return;
    event.preventDefault();
  });
  form.addEventListener('submit', (event) => {
    // If the options belong to an earlier query, they are not what was typed. The form then opens the search page.
    const option = shownQuery === field.value ? selected() : null;
    if (!option) return;
    event.preventDefault();
    option.click();
  });
  // Uses `pointermove`, because scrolling by keyboard moves the options under a resting pointer.
  list.addEventListener('pointermove', ({ target }) => {
    const option = target instanceof Element ? target.closest('[role=option]') : null;
    if (option instanceof HTMLAnchorElement && option !== selected()) select(option);
  });
  // Keeps the focus in the field.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => {
    clearTimeout(timer);
    running?.abort();
    if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
  });
  requireElement(dialog, '.palette-close', HTMLButtonElement).addEventListener('click', () => dialog.close());

  return {
    isOpen: () => dialog.open,
    open: (text) => {
      opener = document.activeElement;
      field.value = text;
      shownQuery = null;
      dialog.showModal();
      field.focus();
      search();
    },
  };
}

function createDialog(t: PaletteTexts) {
  const dialog = element('dialog', { class: 'palette-dialog', 'aria-label': t.title });
  const frame = element('div', { class: 'dialog palette' });
  const form = element('form', { method: 'get', action: searchPath, role: 'search', 'aria-label': t.title });
  const bar = element('div', { class: 'palette-field' });
  const field = element('input', {
    name: 'q',
    type: 'text',
    role: 'combobox',
    maxlength: String(maxQueryLength),
    'aria-label': t.title,
    'aria-expanded': 'false',
    'aria-haspopup': 'listbox',
    'aria-controls': 'palette-results',
    'aria-autocomplete': 'list',
    placeholder: t.hint,
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    enterkeyhint: 'go',
  });
  const close = element('button', { type: 'button', class: 'palette-close', 'aria-label': t.close });
  const key = element('kbd', {});
  key.textContent = t.closeKey;
  close.append(key);
  const glyph = document.querySelector('.top .find .glyph')?.cloneNode(true);
  bar.append(...(glyph ? [glyph] : []), field, close);
  const list = element('div', {
    class: 'palette-list',
    id: 'palette-results',
    role: 'group',
    'aria-label': t.results,
  });
  const status = element('p', { class: 'unseen', role: 'status' });
  const foot = element('div', { class: 'palette-foot', 'aria-hidden': 'true' });
  const meanings = [
    { keys: ['↑', '↓'], meaning: t.toMove },
    { keys: [t.enterKey], meaning: t.toOpen },
  ];
  for (const { keys, meaning } of meanings) {
    const line = element('span', {});
    for (const name of keys) {
      const cap = element('kbd', {});
      cap.textContent = name;
      line.append(cap);
    }
    line.append(meaning);
    foot.append(line);
  }
  form.append(bar, list, foot, status);
  frame.append(form);
  dialog.append(frame);
  document.body.append(dialog);
  return { dialog, form, field, list, status };
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, value);
  return created;
}
