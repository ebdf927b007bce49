import { findElements, requireElement } from '../elements.ts';

/** Chooses what is edited: a choice that shows its fields before it is chosen. */
export function enhanceOpenChoices(): void {
  for (const choice of findElements(document, '.choice:has(> .reveal-open)', HTMLElement)) {
    const control = requireElement(choice, 'input', HTMLInputElement);
    choice.addEventListener('input', ({ target }) => {
      const isCleared = target instanceof HTMLInputElement && target.type === 'checkbox' && !target.checked;
      if (!isCleared) control.checked = true;
    });
  }
}
