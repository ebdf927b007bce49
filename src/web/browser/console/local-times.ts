import { findElements, requireData } from '../elements.ts';

/** Shows times in the visitor's time zone. Without scripts, they are in UTC and labeled so. */
export function showLocalTimes(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  localizeTimes(document);
  for (const hint of findElements(document, '[data-time-zone]', HTMLElement)) {
    hint.textContent = requireData(hint, 'timeZone').replace('{}', timeZone);
  }
  for (const input of findElements(document, 'input[data-utc]', HTMLInputElement)) editLocally(input);
}

/** Also called for parts of a page that arrive later. */
export function localizeTimes(root: ParentNode): void {
  for (const time of findElements(root, 'time[datetime][title]', HTMLTimeElement)) {
    const local = format(new Date(time.dateTime));
    // Some also contain the exact time in their text.
    if (time.textContent?.includes(time.title)) {
      time.textContent = time.textContent.replace(time.title, local);
    }
    time.title = local;
  }
}

const format = (at: Date) =>
  new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(at);

/** The server reads and writes UTC, but the field shows the visitor's time zone. */
function editLocally(input: HTMLInputElement): void {
  const at = new Date(`${input.value}Z`);
  if (!Number.isNaN(at.getTime())) input.value = inputValue(at.getTime() - at.getTimezoneOffset() * 60_000);
  input.defaultValue = input.value;
  input.form?.addEventListener('formdata', ({ formData }) => {
    const chosen = new Date(input.value);
    if (!Number.isNaN(chosen.getTime())) formData.set(input.name, inputValue(chosen.getTime()));
  });
}

const inputValue = (epochMilliseconds: number) => new Date(epochMilliseconds).toISOString().slice(0, 16);
