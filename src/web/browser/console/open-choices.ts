import { findElements, requireElement } from '../elements.ts';

/** Selects a choice when its fields are edited, for choices that show their fields before they are selected. */
export function enhanceOpenChoices(): void {
  for (const choice of findElements(document, '.choice:has(> .reveal-open)', HTMLElement)) {
    const control = requireElement(choice, 'input', HTMLInputElement);
    choice.addEventListener('input', ({ target }) => {
      const isCleared = target instanceof HTMLInputElement && target.type === 'checkbox' && !target.checked;
      if (!isCleared) control.checked = true;
    });
  }
}
