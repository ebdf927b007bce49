import { findElement, findElements } from '../elements.ts';

/** Shows when a form `[data-guard]` has unsaved changes, and warns before they are lost. */
export function guardForms(): void {
  for (const form of findElements(document, 'form[data-guard]', HTMLFormElement)) guard(form);
  for (const form of findElements(document, 'form', HTMLFormElement)) showInvalidInline(form);
}

function guard(form: HTMLFormElement): void {
  const note = findElement(form, '[data-unsaved]', HTMLElement);
  // A rejected form contains what the user entered.
  const wasRejected = form.dataset.guard === 'changed';
  const initial = fieldsOf(form);
  const hasChanged = () => wasRejected || fieldsOf(form) !== initial;
  const warn = (event: BeforeUnloadEvent) => {
    if (hasChanged()) event.preventDefault();
  };
  const update = () => {
    if (note) note.hidden = !hasChanged();
  };
  form.addEventListener('input', update);
  form.addEventListener('submit', () => removeEventListener('beforeunload', warn));
  addEventListener('beforeunload', warn);
  update();
}

function fieldsOf(form: HTMLFormElement): string {
  const fields: string[] = [];
  new FormData(form).forEach((value, name) => {
    fields.push(`${name}=${typeof value === 'string' ? value : value.name}`);
  });
  return fields.join('\n');
}

/** Shows why a field is invalid below the field, where the server would show it, instead of in a bubble of the browser. */
function showInvalidInline(form: HTMLFormElement): void {
  form.addEventListener(
    'invalid',
    (event) => {
      const field = event.target;
      if (!isField(field) || !field.closest('.field')) return;
      event.preventDefault();
      if (form.querySelector(':invalid:not(fieldset)') === field) field.focus();
      showError(field);
    },
    true,
  );
  let isPressed = false;
  form.addEventListener('pointerdown', ({ target }) => {
    isPressed = target instanceof Element && target.closest('button') !== null;
  });
  document.addEventListener('pointerup', () => {
    isPressed = false;
  });
  form.addEventListener('change', ({ target }) => {
    // Showing an error would move the pressed button away from the pointer, and the click would be lost. Submitting shows the
    // error.
    if (!isPressed && isField(target) && target.closest('.field')) showError(target);
  });
}

/** Returns the error message of the server; if the page does not contain it, that of the browser. */
function sentenceFor({ validity, dataset, validationMessage }: FormField): string {
  const sentence = validity.valueMissing ? dataset.missing : dataset.mismatch;
  return sentence ?? validationMessage;
}

type FormField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
const isField = (target: EventTarget | null): target is FormField =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement;

function showError(field: FormField): void {
  const place = field.closest('.field');
  if (!place) return;
  const id = `${field.id}-invalid`;
  const described = (field.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .filter((one) => one && one !== id);
  place.querySelector(`#${CSS.escape(id)}`)?.remove();
  if (field.validity.valid) {
    if (!place.querySelector('.field-errors')) field.removeAttribute('aria-invalid');
  } else {
    const error = document.createElement('p');
    error.id = id;
    error.className = 'field-errors';
    error.textContent = sentenceFor(field);
    place.append(error);
    described.push(id);
    field.setAttribute('aria-invalid', 'true');
  }
  if (described.length > 0) field.setAttribute('aria-describedby', described.join(' '));
  else field.removeAttribute('aria-describedby');
}
