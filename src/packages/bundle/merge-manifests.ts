/** Merges the manifests of fused modules: bundletool's `FusingAndroidManifestMerger`. */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { type BundleConfig, isAtLeast } from './bundle-config.ts';
import { applicationOf } from './bundle-modules.ts';
import { childrenOf, isElement, newElement, type XmlAttribute, type XmlElement } from './xml-message.ts';

const androidNamespace = 'http://schemas.android.com/apk/res/android';
const nameId = 0x01010003;
const valueId = 0x01010024;
const resourceId = 0x01010025;
const splitNameId = 0x01010549;
const referenceType = 0x01;
/** Not merged, because each module may have its own. */
const unmergedMetaData = 'com.google.android.gms.version';

/** Returns the child elements of `application` that are merged; none in bundles from old versions. */
function mergedElements(config: BundleConfig): ReadonlySet<string> {
  if (isAtLeast(config, 1, 8, 0))
    return new Set(['activity', 'activity-alias', 'meta-data', 'provider', 'receiver', 'service']);
  return new Set(isAtLeast(config, 0, 13, 4) ? ['activity'] : []);
}

/**
 * Changes the base manifest.
 * @param features by name
 * @throws UnreadablePackage if two modules contradict each other
 */
export function mergeManifests(
  base: XmlElement,
  features: readonly XmlElement[],
  config: BundleConfig,
): void {
  for (const manifest of [base, ...features]) removeSplitNames(manifest);
  const names = mergedElements(config);
  const byKey = new Map<string, XmlElement[]>();
  let count = 0;
  for (const manifest of [...features, base]) {
    for (const element of applicationOf(manifest)?.children.filter(isElement) ?? []) {
      const key = keyOf(element);
      if (!names.has(element.name) || key === null || nameOf(element) === unmergedMetaData) continue;
      count++;
      const same = byKey.get(key);
      if (same) same.push(element);
      else byKey.set(key, [element]);
    }
  }
  const inBase = childrenOf(base, 'application').flatMap(({ children }) =>
    children.filter((child) => isElement(child) && names.has(child.name)),
  );
  if (features.length === 0 || inBase.length === count) return;
  const mergesChildren = isAtLeast(config, 1, 8, 0);
  const merged = new Map(
    [...byKey].map(([key, elements]) => [key, { ...mergeElements(elements, mergesChildren), line: 0 }]),
  );
  const application = createApplication(base);
  const replaced = new Set<XmlElement>();
  application.children = application.children.map((child) => {
    const replacement = isElement(child) ? merged.get(keyOf(child) ?? '') : undefined;
    if (replacement) replaced.add(replacement);
    return replacement ?? child;
  });
  for (const element of merged.values()) if (!replaced.has(element)) application.children.push(element);
}

const nameOf = ({ attributes }: XmlElement) => attributes.find(({ id }) => id === nameId)?.value ?? null;

function keyOf(element: XmlElement): string | null {
  const name = nameOf(element);
  return name === null ? null : `${element.name} ${name}`;
}

/** Returns the first element, with the intent filters and metadata of all of them. */
function mergeElements(elements: readonly XmlElement[], mergesChildren: boolean): XmlElement {
  const [first] = elements;
  if (!first) throw new Error('no element');
  if (!mergesChildren || elements.length === 1) return first;
  const [declaration, ...others] = elements.map(withoutLines);
  if (!declaration) throw new Error('no element');
  const filters = new Map<string, XmlElement>();
  const metaData = new Map<string, XmlElement>();
  for (const element of [declaration, ...others]) {
    for (const filter of childrenOf(element, 'intent-filter')) filters.set(JSON.stringify(filter), filter);
    for (const one of childrenOf(element, 'meta-data')) {
      const name = nameOf(one);
      if (name === null) continue;
      const known = metaData.get(name);
      if (known && JSON.stringify(known) !== JSON.stringify(one))
        throw new UnreadablePackage(
          say('bundle-manifests-differ', { name, element: keyOf(declaration) ?? '' }),
        );
      metaData.set(name, known ?? one);
    }
  }
  const own = declaration.children.filter(
    (child) =>
      !isElement(child) ||
      !(child.name === 'intent-filter' || (child.name === 'meta-data' && nameOf(child) !== null)),
  );
  return { ...declaration, children: [...own, ...filters.values(), ...metaData.values()] };
}

/** Removes line numbers, which would make equal elements differ. */
function withoutLines(element: XmlElement): XmlElement {
  return {
    ...element,
    line: 0,
    namespaces: element.namespaces.map((one) => ({ ...one, line: 0 })),
    children: element.children.map((child) =>
      isElement(child) ? withoutLines(child) : { ...child, line: 0 },
    ),
  };
}

/** A universal APK has no splits to which its elements could belong. */
function removeSplitNames(manifest: XmlElement): void {
  for (const child of applicationOf(manifest)?.children.filter(isElement) ?? [])
    child.attributes = child.attributes.filter(({ id }) => id !== splitNameId);
}

function createApplication(manifest: XmlElement): XmlElement {
  const known = applicationOf(manifest);
  if (known) return known;
  const created = newElement('application', []);
  manifest.children.push(created);
  return created;
}

/** @param value a text, or the id of a resource */
export function addMetaData(manifest: XmlElement, name: string, value: string | number): void {
  const attribute = (id: number, attributeName: string, text: string): XmlAttribute => ({
    namespace: androidNamespace,
    name: attributeName,
    id,
    value: text,
    compiled: null,
  });
  const application = createApplication(manifest);
  const isSame = (child: XmlElement['children'][number]) =>
    isElement(child) && child.name === 'meta-data' && nameOf(child) === name;
  application.children = application.children.filter((child) => !isSame(child));
  application.children.push(
    newElement('meta-data', [
      attribute(nameId, 'name', name),
      typeof value === 'string'
        ? attribute(valueId, 'value', value)
        : { ...attribute(resourceId, 'resource', ''), compiled: { type: referenceType, data: value } },
    ]),
  );
}
