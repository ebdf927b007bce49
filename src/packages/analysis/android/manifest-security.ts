/** What a manifest opens to other apps and the network, by the rules of the platform. */
import type { Resolve } from '../../apk/android-manifest.ts';
import {
  manifestAttributes,
  mapValue,
  maxNameLength,
  maxNames,
  readManifest,
} from '../../apk/android-manifest.ts';
import { apiLevelOfCodename } from '../../apk/android-releases.ts';
import { attributeById, type XmlElement } from '../../apk/binary-xml.ts';
import { booleanOf, integerOf, type TypedValue, textOf } from '../../apk/typed-value.ts';
import type { AndroidAnalysis } from '../analysis.ts';

type Manifest = AndroidAnalysis['manifest'];
type Exported = Manifest['exported'][number];

/** Real apps have some hundreds of components. */
export const maxExported = 2_000;
export const maxDeepLinks = 500;

const kinds: Readonly<Record<string, Exported['kind']>> = {
  activity: 'activity',
  'activity-alias': 'activity',
  service: 'service',
  receiver: 'receiver',
  provider: 'provider',
};

/** Ids in `android.R.attr`. */
const attributes = {
  permission: 0x01010006,
  readPermission: 0x01010007,
  writePermission: 0x01010008,
  exported: 0x01010010,
  scheme: 0x01010027,
  host: 0x01010028,
  port: 0x01010029,
  path: 0x0101002a,
  pathPrefix: 0x0101002b,
  pathPattern: 0x0101002c,
  isGame: 0x010103f4,
  appCategory: 0x01010545,
  allowBackup: 0x01010280,
  usesCleartextTraffic: 0x010104ec,
} as const;

/** Providers were exported by default before this version (`ParsedProviderUtils` of the platform). */
const privateProvidersSdk = 17;

/** `ApplicationInfo.CATEGORY_GAME`. */
const gameCategory = 0;

/** @throws UnreadablePackage like `readManifest` */
export function readManifestSecurity(root: XmlElement, resolve: Resolve): Manifest {
  const facts = readManifest(root, resolve);
  const application = root.children.find(({ name }) => name === 'application');
  const truth = (id: number) => mapValue(application, id, resolve, booleanOf);
  const minSdk = levelOf(facts.minSdk);
  const targetSdk = levelOf(facts.targetSdk) ?? minSdk;
  return {
    debuggable: facts.debuggable,
    testOnly: facts.testOnly,
    allowBackup: truth(attributes.allowBackup),
    usesCleartextTraffic: truth(attributes.usesCleartextTraffic),
    extractNativeLibs: truth(manifestAttributes.extractNativeLibs),
    isGame:
      mapValue(application, attributes.appCategory, resolve, integerOf) === gameCategory ||
      truth(attributes.isGame) === true,
    targetSdk,
    minSdk,
    permissions: facts.permissions,
    features: facts.features.map(({ name }) => name),
    exported: application ? exportedComponents(application, facts.packageName, targetSdk ?? 1, resolve) : [],
    deepLinks: application ? collectDeepLinks(application, resolve) : [],
  };
}

/** Attributes of the application that refer to files. */
const fileAttributes = {
  fullBackupContent: 0x010104eb,
  networkSecurityConfig: 0x01010527,
  dataExtractionRules: 0x0101063e,
} as const;

/** Returns the unresolved attribute; null without one. */
export const fileAttribute = (root: XmlElement, name: keyof typeof fileAttributes): TypedValue | null => {
  const application = root.children.find((child) => child.name === 'application');
  return application ? attributeById(application, fileAttributes[name]) : null;
};

/** No platform has a level below 1, so that a negative one means the same as 0. */
const levelOf = ({ level, codename }: { level: number | null; codename: string | null }) =>
  level === null ? (codename === null ? null : apiLevelOfCodename(codename)) : Math.max(0, level);

/** Without the attribute, a component is exported if it has a filter. Android 12 refuses such an app, but tests can still install it. */
function exportedComponents(
  application: XmlElement,
  packageName: string,
  targetSdk: number,
  resolve: Resolve,
): Exported[] {
  const text = (element: XmlElement, id: number) =>
    mapValue(element, id, resolve, textOf)?.slice(0, maxNameLength) || null;
  const inherited = text(application, attributes.permission);
  const found: Exported[] = [];
  for (const element of application.children) {
    const kind = kinds[element.name];
    const name = kind && text(element, manifestAttributes.name);
    if (!kind || !name) continue;
    const isImplied =
      kind === 'provider'
        ? targetSdk < privateProvidersSdk
        : element.children.some((child) => child.name === 'intent-filter');
    const isExported = mapValue(element, attributes.exported, resolve, booleanOf) ?? isImplied;
    if (!isExported || found.length === maxExported) continue;
    const own = text(element, attributes.permission);
    // An alias has the permission that it states, not that of the application.
    const permission = own ?? (element.name === 'activity-alias' ? null : inherited);
    found.push({
      kind,
      name: fullName(name, packageName),
      permission: kind === 'provider' ? providerPermission(element, permission, text) : permission,
    });
  }
  return found;
}

/** A provider is protected only if both reading and writing are. */
function providerPermission(
  element: XmlElement,
  permission: string | null,
  text: (element: XmlElement, id: number) => string | null,
): string | null {
  const read = text(element, attributes.readPermission) ?? permission;
  const write = text(element, attributes.writePermission) ?? permission;
  return read === null || write === null ? null : read === write ? read : `${read}, ${write}`;
}

/** @see `ParsingUtils.buildClassName` of the platform */
const fullName = (name: string, packageName: string) =>
  name.startsWith('.') ? packageName + name : name.includes('.') ? name : `${packageName}.${name}`;

/** Addresses that the system opens with the app: every combination of the data of a filter with the action VIEW. */
function collectDeepLinks(application: XmlElement, resolve: Resolve): string[] {
  const links = new Set<string>();
  const text = (element: XmlElement, id: number) =>
    mapValue(element, id, resolve, textOf)?.slice(0, maxNameLength);
  for (const component of application.children) {
    if (kinds[component.name] !== 'activity') continue;
    for (const filter of component.children.filter(({ name }) => name === 'intent-filter')) {
      const isView = filter.children.some(
        (child) =>
          child.name === 'action' && text(child, manifestAttributes.name) === 'android.intent.action.VIEW',
      );
      if (isView) for (const link of linksOf(filter, text)) if (links.size < maxDeepLinks) links.add(link);
    }
  }
  return [...links];
}

function* linksOf(
  filter: XmlElement,
  text: (element: XmlElement, id: number) => string | undefined,
): Generator<string> {
  const data = filter.children.filter(({ name }) => name === 'data').slice(0, maxNames);
  const texts = (id: number) => [...new Set(data.map((one) => text(one, id)).filter((one) => one))];
  const port = (one: XmlElement) => text(one, attributes.port);
  const hosts = data.flatMap((one) => {
    const host = text(one, attributes.host);
    return host ? [port(one) ? `${host}:${port(one)}` : host] : [];
  });
  const paths = [
    ...texts(attributes.path),
    ...texts(attributes.pathPrefix).map((prefix) => `${prefix}*`),
    ...texts(attributes.pathPattern),
  ];
  let left = maxDeepLinks;
  for (const scheme of texts(attributes.scheme))
    for (const host of hosts.length === 0 ? [''] : new Set(hosts))
      for (const path of paths.length === 0 || host === '' ? [''] : paths) {
        if (--left < 0) return;
        yield `${scheme}://${host}${path}`;
      }
}
