/** Opens the upload page when files are dropped on another page. */
import { requireData, requireElement } from '../elements.ts';
import { watchDrops } from './drop-overlay.ts';
import { type FoundFile, kindOf } from './selected-file.ts';
import { enhanceUploadForm } from './upload-form.ts';

const noticeMs = 1500;

export interface UploadAddresses {
  /** The address of the owner accepts every package. */
  owner: string;
  /** An address of one app only accepts packages of that app. */
  apk?: string | undefined;
  ipa?: string | undefined;
}

/** Replaces this page with the upload page, and passes the files to it. */
export function openUploadPageOnDrop(overlay: HTMLElement): void {
  const { apk, ipa } = overlay.dataset;
  const addresses: UploadAddresses = { owner: requireData(overlay, 'drop'), apk, ipa };
  watchDrops(overlay, async (found) => {
    const address = chooseAddress(
      found.map(({ file }) => file.name),
      addresses,
    );
    try {
      const add = await openUploadPage(address);
      add(found);
      scrollTo(0, 0);
    } catch {
      requireElement(overlay, 'p', HTMLElement).textContent = requireData(overlay, 'failed');
      overlay.hidden = false;
      setTimeout(() => location.assign(address), noticeMs);
    }
  });
}

/** Returns the upload page of the app if it accepts all files, otherwise that of the owner. */
export function chooseAddress(fileNames: readonly string[], { owner, apk, ipa }: UploadAddresses): string {
  const [kind, ...others] = new Set(fileNames.map(kindOf));
  if (others.length > 0) return owner;
  return (kind === 'apk' ? apk : kind === 'ipa' ? ipa : undefined) ?? owner;
}

async function openUploadPage(address: string): Promise<(found: readonly FoundFile[]) => void> {
  const answer = await fetch(address, { headers: { Accept: 'text/html' } });
  if (!answer.ok || answer.redirected) throw new Error(`the upload page answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const main = requireElement(page, 'main', HTMLElement);
  history.pushState(null, '', address);
  document.title = page.title;
  requireElement(document, 'main', HTMLElement).replaceWith(main);
  addEventListener('popstate', () => location.reload());
  return enhanceUploadForm(requireElement(document, 'form[data-upload]', HTMLFormElement));
}
