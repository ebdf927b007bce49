import { copyText } from '../copy-text.ts';
import { findElements, requireData } from '../elements.ts';

const confirmationMs = 1600;

/** Shows the buttons that need scripts: copying a link, printing, and the share sheet if the device has one. */
export function enableSharing(root: ParentNode): void {
  for (const button of findElements(root, '[data-copy-link]', HTMLButtonElement)) {
    button.hidden = false;
    button.addEventListener('click', () => copy(button));
  }
  for (const button of findElements(root, '[data-print]', HTMLButtonElement)) {
    button.hidden = false;
    button.addEventListener('click', () => print());
  }
  for (const button of findElements(root, '[data-share]', HTMLButtonElement)) {
    if (typeof navigator.share !== 'function') continue;
    button.hidden = false;
    button.addEventListener('click', () => {
      // Rejects if the person closes the share sheet.
      navigator
        .share({ title: requireData(button, 'name'), url: requireData(button, 'share') })
        .catch(() => {});
    });
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const link = document.createElement('span');
  link.textContent = requireData(button, 'copyLink');
  button.append(link);
  const isCopied = await copyText(link);
  link.remove();
  if (!isCopied) return;
  const note = document.createElement('span');
  note.className = 'copied-note';
  note.role = 'status';
  button.append(note);
  // Set in a second step, so that screen readers announce the change.
  note.textContent = requireData(button, 'copied');
  setTimeout(() => note.remove(), confirmationMs);
}
