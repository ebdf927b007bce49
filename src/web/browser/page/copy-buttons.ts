import { copyOnClick } from '../copy-text.ts';
import { findElements, requireData, requireElement } from '../elements.ts';

/** Adds a button to every `[data-copy]` block that copies the text of the block's `code`. */
export function addCopyButtons(): void {
  for (const block of findElements(document, '[data-copy]', HTMLElement)) {
    const source = requireElement(block, 'code', HTMLElement);
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = requireData(block, 'copy');
    button.ariaLive = 'polite';
    copyOnClick(button, source, requireData(block, 'copied'));
    block.append(button);
  }
}
