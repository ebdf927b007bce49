import { findElement, findElements, requireData, requireElement } from '../elements.ts';

/** A suggested value, and a detail to show next to it. */
interface Suggestion {
  value: string;
  detail: string;
}

export interface Combobox {
  /** Also suggests this value from now on. */
  add(value: string): void;
}

/** Except in the upload form, which has its own script. */
export function enhanceComboboxes(): void {
  for (const input of findElements(document, 'form:not([data-upload]) [data-combobox]', HTMLInputElement)) {
    enhanceCombobox(input);
  }
}

/**
 * Turns a text field `[data-combobox]` into an editable combobox (ARIA 1.2). It suggests the options of its `datalist`, or those
 * of the select list `[data-combobox-of]` with the id of the field, which it replaces. A value that is not among them is offered
 * as the last option, with the text in `data-combobox`, where `{}` is replaced by the value.
 */
export function enhanceCombobox(input: HTMLInputElement): Combobox {
  const suggestions = takeSuggestions(input);
  const list = createList(input);
  const options = () => Array.from(list.children).filter((child) => child instanceof HTMLElement);
  const active = () => findElement(list, '[aria-selected=true]', HTMLElement);

  const activate = (option: HTMLElement | undefined) => {
    active()?.setAttribute('aria-selected', 'false');
    if (!option) return input.removeAttribute('aria-activedescendant');
    option.setAttribute('aria-selected', 'true');
    input.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  };
  const close = () => {
    activate(undefined);
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
  };
  const open = (query: string) => {
    list.replaceChildren(...createOptions(input, suggestions, query));
    activate(undefined);
    list.hidden = list.childElementCount === 0;
    list.scrollTop = 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
  };
  const choose = (option: HTMLElement) => {
    input.value = requireData(option, 'value');
    close();
    // Notifies code that watches the form for unsaved changes and errors.
    for (const type of ['input', 'change']) {
      input.dispatchEvent(new CustomEvent(type, { bubbles: true, detail: 'chosen' }));
    }
  };
  const move = (step: number) => {
    // Shows all suggestions, because the user wants to replace the value of a filled field.
    if (list.hidden) open('');
    const all = options();
    const current = active();
    const from = current ? all.indexOf(current) : step > 0 ? -1 : 0;
    activate(all[(from + step + all.length) % all.length]);
  };

  input.addEventListener('input', (event) => {
    if (!(event instanceof CustomEvent)) open(input.value);
  });
  input.addEventListener('click', () => {
    if (list.hidden) open('');
    else close();
  });
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    const chosen = active();
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && chosen) choose(chosen);
    else if (event.key === 'Escape' && !list.hidden) close();
    else return;
    event.preventDefault();
  });
  // Keeps the focus in the field.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target }) => {
    const option = target instanceof Element ? target.closest('[role=option]') : null;
    if (option instanceof HTMLElement) choose(option);
  });
  return {
    add(value) {
      if (!suggestions.some((one) => isSame(one.value, value))) suggestions.push({ value, detail: '' });
    },
  };
}

/** Reads the suggestions, and removes the element that contains them. */
function takeSuggestions(input: HTMLInputElement): Suggestion[] {
  const select = findElement(document, `select[data-combobox-of="${input.id}"]`, HTMLSelectElement);
  if (!select) {
    const found = Array.from(input.list?.children ?? []).filter(
      (child) => child instanceof HTMLOptionElement,
    );
    input.removeAttribute('list');
    return found.map(({ value, textContent }) => ({ value, detail: textContent ?? '' }));
  }
  const field = requireElement(document, `.field:has(#${CSS.escape(select.id)})`, HTMLElement);
  const named = Array.from(select.options).filter((option) => option.value !== '');
  const chosen = named.find((option) => option.selected);
  if (chosen && input.value === '') input.defaultValue = chosen.text;
  const label = findElement(document, `label[for="${input.id}"]`, HTMLElement);
  if (label) label.textContent = requireElement(field, 'label', HTMLElement).textContent;
  const hint = findElement(document, `#${CSS.escape(input.id)}-hint`, HTMLElement);
  if (hint) hint.textContent = requireData(input, 'comboboxHint');
  field.remove();
  return named.map(({ text }) => ({ value: text, detail: '' }));
}

function createList(input: HTMLInputElement): HTMLElement {
  const list = document.createElement('ul');
  list.id = `${input.id}-options`;
  list.className = 'combobox-list';
  list.role = 'listbox';
  list.ariaLabel = findElement(document, `label[for="${input.id}"]`, HTMLElement)?.textContent ?? '';
  list.hidden = true;
  const place = document.createElement('div');
  place.className = 'combobox';
  input.replaceWith(place);
  place.append(input, list);
  input.role = 'combobox';
  input.autocomplete = 'off';
  input.setAttribute('aria-autocomplete', 'list');
  input.setAttribute('aria-controls', list.id);
  input.setAttribute('aria-expanded', 'false');
  return list;
}

function createOptions(
  input: HTMLInputElement,
  suggestions: readonly Suggestion[],
  query: string,
): HTMLElement[] {
  const wanted = fold(query);
  const options = suggestions
    .filter(({ value }) => fold(value).includes(wanted))
    .map(({ value, detail }) => createOption(value, value, detail));
  const name = query.trim();
  if (name !== '' && !suggestions.some(({ value }) => isSame(value, name))) {
    const option = createOption(
      name,
      requireData(input, 'combobox').replace('{}', () => name),
      '',
    );
    option.classList.add('combobox-create');
    options.push(option);
  }
  for (const [index, option] of options.entries()) option.id = `${input.id}-option-${index}`;
  return options;
}

function createOption(value: string, text: string, detail: string): HTMLElement {
  const option = document.createElement('li');
  option.role = 'option';
  option.dataset.value = value;
  option.setAttribute('aria-selected', 'false');
  const name = document.createElement('bdi');
  name.textContent = text;
  option.append(name);
  if (detail !== '') {
    const line = document.createElement('span');
    line.className = 'soft fine';
    line.textContent = detail;
    option.append(' ', line);
  }
  return option;
}

/** Page names are case-sensitive. */
const isSame = (one: string, other: string) => one.normalize() === other.trim().normalize();
const fold = (text: string) => text.trim().normalize().toLocaleLowerCase();
