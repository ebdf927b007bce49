import { chooseForDevice, orderForDevice, phone } from './choose-config.ts';
import { localeTag, type ResourceConfig } from './resource-config.ts';
import type { ResourceTable, ResourceVariant } from './resource-table.ts';
import type { TypedValue } from './typed-value.ts';

/** As many references one behind the other as the platform follows. */
export const maxReferenceDepth = 20;
/** Resources looked at for one attribute of the manifest; a label refers to one other at most, an icon to a few. */
export const maxVisitedResources = 50;
/** Three times as many as Android itself is translated to. */
export const maxLocales = 300;

/** Values compared for one label; the label of a real app has some hundred, once for each locale. */
const maxComparedVariants = 500_000;

/**
 * Follows a reference to what it stands for on that device: never a reference itself, null when nothing is there, when the
 * references go round in a circle, or when there are more than 20 of them.
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

/** A dynamic reference to package 0 means the table's own package. */
function resolveReference(
  table: ResourceTable,
  reference: { id: number; dynamic: boolean },
): readonly ResourceVariant[] {
  const own = table.packages[0]?.id;
  const isOwn = reference.id >>> 24 === 0 && own !== undefined;
  return table.resolveAll(isOwn ? ((own << 24) | reference.id) >>> 0 : reference.id);
}

/**
 * What a value is in each locale that it has a text of its own for, by BCP 47 tag, the default under `""`.
 *
 * @param text the text of a value that is no reference; null when it has none
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

/** The locales of the resource and of those that it refers to. */
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

/**
 * Every file path that a reference can lead to on that device, the best first: for icons, where a candidate may turn out not to
 * be readable.
 */
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
