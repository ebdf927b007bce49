/** The upload form as a list of files that are sent one after another. */
import { formatBytes } from '../../../core/byte-size.ts';
import { enhanceCombobox } from '../console/combobox.ts';
import { findElement, findElements, requireData, requireElement } from '../elements.ts';
import { createAnnouncer } from './announcer.ts';
import { watchDrops } from './drop-overlay.ts';
import { createProgressText } from './progress-text.ts';
import { type FileRules, type FoundFile, problemOf } from './selected-file.ts';
import { requestFields } from './transfer.ts';
import { findUnfinished, markOf, unfinishedAt } from './unfinished-uploads.ts';
import { createUploadEntry, type EntryContext, type UploadEntry } from './upload-entry.ts';
import { createUploadQueue } from './upload-queue.ts';
import { fillIn, readUploadTexts } from './upload-texts.ts';

/** Accepts files chosen in the form or dropped on the page. Returns a function that adds files to the list. */
export function enhanceUploadForm(form: HTMLFormElement): (found: readonly FoundFile[]) => void {
  const texts = readUploadTexts(requireData(form, 'words'));
  const input = requireElement(form, 'input[type=file]', HTMLInputElement);
  const list = requireElement(form, '.upload-list', HTMLElement);
  const unfinished = requireElement(form, '[data-unfinished]', HTMLElement);
  const submit = requireElement(form, '[type=submit]', HTMLElement);
  const status = requireElement(form, '[role=status]', HTMLElement);
  const rules: FileRules = {
    endings: requireData(form, 'upload').split(','),
    maxBytes: Number(requireData(form, 'maxBytes')),
    limit: requireData(form, 'limit'),
  };
  const place = { viewer: requireData(form, 'viewer'), address: form.action };
  const pageField = findElement(form, '[data-combobox]', HTMLInputElement);
  const pages = pageField && enhanceCombobox(pageField);
  const entries = new Set<UploadEntry>();
  const queue = createUploadQueue((entry: UploadEntry) => entry.send());

  let sentFields = '';
  const enqueue = (entry: UploadEntry) => {
    const fields = fieldsOf(form);
    sentFields = JSON.stringify(fields);
    entry.wait({ ...place, fields });

    queue.add(entry);
  };
  /** Clears the fields for the next file, unless a file failed or the user has already typed something for the next one. */
  const resetFields = () => {
    if ([...entries].some((entry) => !entry.isSettled())) return;
    if (JSON.stringify(fieldsOf(form)) === sentFields) form.reset();
  };
  const showList = () => {
    list.hidden = entries.size === 0;
    const [latest] = entries.size === 0 ? unfinishedAt(place) : [];
    unfinished.hidden = latest === undefined;
    if (!latest) return;
    const { sent, size } = latest;
    unfinished.textContent = fillIn(texts.unfinished, {
      sent: formatBytes(sent),
      size: formatBytes(size),
    });
  };
  const readyEntries = () => [...entries].filter((entry) => entry.isReady());
  const context: EntryContext = {
    texts,
    announcer: createAnnouncer(status, () => performance.now()),
    describeProgress: createProgressText(document.documentElement.lang, texts),
    on: {
      cancel(entry) {
        if (queue.withdraw(entry)) entry.markReady();
        else entry.abort();
      },
      retry: enqueue,
      remove(entry) {
        entries.delete(entry);
        entry.row.remove();
        showList();
        input.focus();
      },
      done({ pageName }) {
        if (pageName !== null) pages?.add(pageName);
        resetFields();
      },
    },
  };
  /** Enters what was entered before the upload of this file was interrupted. */
  const restoreFields = async (file: File) => {
    const known = findUnfinished({ ...place, file });
    if (!known || (await markOf(file)) !== known.content) return;
    const fields = await requestFields(place.address, known.idempotencyKey);
    if (fieldsOf(form).length > 0) return;
    for (const [name, value] of Object.entries(fields)) {
      const control = form.elements.namedItem(name);
      if (control instanceof HTMLInputElement && control.type === 'checkbox') control.checked = true;
      else if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)
        control.value = value;
    }
  };
  const add = (found: readonly FoundFile[]) => {
    for (const one of found) {
      const entry = createUploadEntry(one.file, problemOf(one, rules, texts), context);
      entries.add(entry);
      void restoreFields(one.file).catch(() => undefined);
      list.append(entry.row);
    }
    showList();
    if (readyEntries().length > 0) submit.focus();
  };

  showList();
  input.multiple = true;
  input.required = false;
  for (const part of findElements(form, '[data-scripted]', HTMLElement)) part.hidden = false;
  input.addEventListener('change', () => {
    add(Array.from(input.files ?? [], (file) => ({ file, folder: false })));
    input.value = '';
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const ready = readyEntries();
    // The button is below the list that shows the rest.
    (ready[0]?.row ?? input).focus();
    for (const entry of ready) enqueue(entry);
  });
  addEventListener('beforeunload', (event) => {
    if (queue.busy()) event.preventDefault();
  });
  const overlay = findElement(document, '[data-drop]', HTMLElement);
  if (overlay) watchDrops(overlay, add);
  return add;
}

/** Returns the submitted fields without the token and the file. */
function fieldsOf(form: HTMLFormElement): [string, string][] {
  const fields: [string, string][] = [];
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string' && value !== '' && name !== 'csrf') fields.push([name, value]);
  }
  return fields;
}
