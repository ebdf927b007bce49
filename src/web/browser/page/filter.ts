import { findElement, findElements, requireData, requireElement } from '../elements.ts';

/** Hides the parts of a page that do not contain every typed word, and sections in which all parts are hidden. */
export function filterParts(): void {
  const box = findElement(document, '[data-filters]', HTMLElement);
  if (!box) return;
  const field = requireElement(box, 'input', HTMLInputElement);
  const status = requireElement(box, '[role=status]', HTMLElement);
  const parts = findElements(document, requireData(box, 'filters'), HTMLElement).map((part) => ({
    part,
    text: (part.querySelector('summary')?.textContent ?? '').toLowerCase(),
  }));
  const sections = new Set(parts.flatMap(({ part }) => part.closest('section') ?? []));
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { part, text } of parts) part.hidden = !words.every((word) => text.includes(word));
    for (const section of sections)
      section.hidden = parts.every(({ part }) => part.hidden || !section.contains(part));
    status.textContent = parts.every(({ part }) => part.hidden) ? requireData(box, 'none') : '';
  });
  box.inert = false;
}
