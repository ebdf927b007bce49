import { chooseForDevice, orderForDevice, phone } from './choose-config.ts';
import { localeTag, type ResourceConfig } from './resource-config.ts';
import type { ResourceTable, ResourceVariant } from './resource-table.ts';
import type { TypedValue } from './typed-value.ts';

/** The number of chained references that the platform follows. */
export const maxReferenceDepth = 20;
/** How many resources are visited for one manifest attribute. A label refers to at most one other, an icon to a few. */
export const maxVisitedResources = 50;
/** Three times as many as Android itself is translated to. */
export const maxLocales = 300;

/** How many values are compared for one label. Real labels have about a hundred, one per locale. */
const maxComparedVariants = 500_000;

/**
 * Resolves a reference for a device. The result is never a reference; it is null if nothing is found, or if the references are
 * circular or more than 20.
 */
export function resolveValue(
  table: ResourceTable,
  value: TypedValue,
  device: ResourceConfig,
  effort = { variantsLeft: maxComparedVariants },
): TypedValue | null {
  let current = value;
  for (let depth = 0; depth <= maxReferenceDepth; depth++) {
    if (current.kind !== 'reference') return current;
    const variants = resolveReference(table, current);
    effort.variantsLeft -= variants.length;
    const best = effort.variantsLeft < 0 ? null : chooseForDevice(variants, device);
    if (!best?.value) return null;
    current = best.value;
  }
  return null;
}

/** A dynamic reference to package 0 refers to the table's own package. */
function resolveReference(
  table: ResourceTable,
  reference: { id: number; dynamic: boolean },
): readonly ResourceVariant[] {
  const own = table.packages[0]?.id;
  const isOwn = reference.id >>> 24 === 0 && own !== undefined;
  return table.resolveAll(isOwn ? ((own << 24) | reference.id) >>> 0 : reference.id);
}

/**
 * Returns the texts of a value by BCP 47 tag, with the default under `""`.
 * @param text returns the text of a value that is not a reference; null if it has none
 */
export function resolveInLocales(
  table: ResourceTable,
  value: TypedValue,
  text: (value: TypedValue) => string | null,
): Map<string, string> {
  const found = new Map<string, string>();
  const effort = { variantsLeft: maxComparedVariants };
  for (const locale of [null, ...collectLocales(table, value)]) {
    const resolved = resolveValue(table, value, phone(160, locale), effort);
    const own = resolved && text(resolved);
    if (own !== null) found.set(locale ? localeTag(locale) : '', own);
  }
  return found;
}

/** Collects the locales of the resource and of those that it refers to. */
function collectLocales(table: ResourceTable, value: TypedValue): ResourceConfig[] {
  const locales = new Map<string, ResourceConfig>();
  const visited = new Set<number>();
  const waiting: TypedValue[] = [value];
  while (waiting.length > 0 && visited.size < maxVisitedResources) {
    const next = waiting.pop();
    if (next?.kind !== 'reference' || visited.has(next.id)) continue;
    visited.add(next.id);
    for (const variant of resolveReference(table, next)) {
      const tag = localeTag(variant.config);
      if (tag !== '' && locales.size < maxLocales) locales.set(tag, variant.config);
      if (variant.value) waiting.push(variant.value);
    }
  }
  return [...locales.values()];
}

/** Returns every file path that a reference can resolve to on a device, best first, for icons, because a candidate may be unreadable. */
export function resolveCandidates(table: ResourceTable, value: TypedValue, device: ResourceConfig): string[] {
  const paths = new Set<string>();
  const visited = new Set<number>();
  const visit = (current: TypedValue, depth: number) => {
    if (current.kind === 'string') paths.add(current.text);
    if (current.kind !== 'reference' || visited.has(current.id) || depth > maxReferenceDepth) return;
    if (visited.size >= maxVisitedResources) return;
    visited.add(current.id);
    for (const variant of orderForDevice(resolveReference(table, current), device)) {
      if (variant.value) visit(variant.value, depth + 1);
    }
  };
  visit(value, 0);
  return [...paths];
}
