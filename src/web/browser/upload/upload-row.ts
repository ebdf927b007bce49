/** The row of a file on the upload page, copied from the template `upload-row`. */
import { enableSharing } from '../console/share.ts';
import { copyOnClick } from '../copy-text.ts';
import { requireData, requireElement } from '../elements.ts';
import { type Control, controls, type StateView } from './upload-state.ts';
import { fillIn, type UploadTexts } from './upload-texts.ts';
import type { UploadedBuild } from './uploaded-build.ts';

export interface UploadRow {
  element: HTMLElement;
  /** Shows the text and controls of a state. `state`: its name. */
  show(state: string, view: StateView): void;
  /** `share`: from 0 to 1. */
  showProgress(share: number, text: string): void;
  /** Shows what the user should know besides the progress; null for nothing. */
  showNotice(text: string | null): void;
  /** Shows indeterminate progress. */
  showUnknownProgress(): void;
  showBuild(build: UploadedBuild): void;
}

export type RowActions = Readonly<Record<Exclude<Control, 'progress'>, () => void>>;

export function createUploadRow(fileName: string, texts: UploadTexts, actions: RowActions): UploadRow {
  const template = requireElement(document, '#upload-row', HTMLTemplateElement);
  const element = requireElement(document.importNode(template.content, true), '.upload-row', HTMLElement);
  const part = <E extends HTMLElement>(name: string, type: new () => E) =>
    requireElement(element, `[data-part=${name}]`, type);
  const name = part('name', HTMLElement);
  const state = part('state', HTMLElement);
  const notice = part('notice', HTMLElement);
  const icon = part('icon', HTMLElement);
  const progress = part('progress', HTMLProgressElement);
  const buttons = {
    cancel: part('cancel', HTMLButtonElement),
    retry: part('retry', HTMLButtonElement),
    remove: part('remove', HTMLButtonElement),
  };
  const controlElements: Readonly<Record<Control, HTMLElement>> = { progress, ...buttons };
  const links = part('links', HTMLElement);
  const buildLink = part('build', HTMLAnchorElement);
  const pageLink = part('page', HTMLAnchorElement);
  const address = part('address', HTMLElement);
  const addressText = part('link', HTMLElement);
  const copy = part('copy', HTMLButtonElement);
  const share = part('share', HTMLElement);

  element.tabIndex = -1;
  name.textContent = fileName;
  progress.setAttribute('aria-label', fileName);
  for (const action of ['cancel', 'retry', 'remove'] as const) {
    const button = buttons[action];
    const label = fillIn(texts.actionOf, { what: button.textContent.trim(), name: fileName });
    button.setAttribute('aria-label', label);
    button.addEventListener('click', actions[action]);
  }
  copyOnClick(copy, addressText, requireData(copy, 'copied'));

  return {
    element,
    show(stateName, view) {
      const focused = element.contains(document.activeElement);
      element.dataset.state = stateName;
      state.textContent = view.text;
      for (const control of controls) controlElements[control].hidden = !view.shown.includes(control);
      // A focused button that disappears would lose the focus.
      if (focused && !isShown(document.activeElement)) element.focus();
    },
    showProgress(share, text) {
      progress.value = share;
      state.textContent = text;
    },
    showNotice(text) {
      notice.textContent = text;
      notice.hidden = text === null;
    },
    showUnknownProgress() {
      progress.removeAttribute('value');
    },
    showBuild(build) {
      name.textContent = build.name;
      const image = new Image(40, 40);
      image.alt = '';
      image.className = 'icon icon-small';
      image.src = toLocalAddress(build.iconAddress);
      icon.replaceChildren(image);
      icon.hidden = false;
      buildLink.href = toLocalAddress(build.revisionAddress);
      links.hidden = false;
      void showShare(share, buildLink.href).then((isShown) => {
        if (isShown) address.remove();
      });
      if (build.pageAddress === null) return;
      pageLink.href = toLocalAddress(build.pageAddress);
      addressText.textContent = build.pageAddress;
      pageLink.hidden = false;
      address.hidden = false;
    },
  };
}

/** Shows the QR code and the link of the build, rendered by the server. Resolves to false if that fails. */
async function showShare(place: HTMLElement, buildAddress: string): Promise<boolean> {
  try {
    const answer = await fetch(`${buildAddress}/uploaded?part=share`, { headers: { Accept: 'text/html' } });
    if (!answer.ok || answer.redirected) return false;
    const parsed = new DOMParser().parseFromString(await answer.text(), 'text/html');
    place.replaceChildren(...parsed.body.children);
  } catch {
    return false;
  }
  enableSharing(place);
  place.hidden = false;
  return true;
}

function isShown(element: Element | null): boolean {
  return element instanceof HTMLElement && !element.hidden;
}

/** Converts an address with the server's own host name, because this page may be open under another one. */
function toLocalAddress(address: string): string {
  const { pathname, search } = new URL(address, location.href);
  return pathname + search;
}
