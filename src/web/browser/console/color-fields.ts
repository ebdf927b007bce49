import { findElements, requireData, requireElement } from '../elements.ts';

/** Shows the picker of each color field, and keeps it and the code in sync. */
export function enhanceColorFields(): void {
  for (const picker of findElements(document, '[data-color-of]', HTMLInputElement)) {
    const code = requireElement(document, `#${CSS.escape(requireData(picker, 'colorOf'))}`, HTMLInputElement);
    picker.hidden = false;
    picker.addEventListener('input', () => {
      code.value = picker.value;
      code.dispatchEvent(new Event('input', { bubbles: true }));
    });
    code.addEventListener('input', () => {
      const color = code.value.trim();
      if (/^#[0-9a-f]{6}$/i.test(color)) picker.value = color;
    });
  }
}
