/** Adds the resource with the languages of the app, as bundletool's `SplitsXmlInjector` does; Google Play's library reads it. */
import { damagedBundle } from './protobuf.ts';
import { maxEntryId, type ResourceTableMessage } from './resource-table-message.ts';
import { newElement, type XmlAttribute, type XmlElement } from './xml-message.ts';

const xmlType = 'xml';
const appPackageId = 0x7f;
const stringType = 0x03;
/** File paths come first in the pool. */
const pathPriority = 1;

/**
 * Changes the table.
 *
 * @returns the id and the path of the resource, and its content
 * @throws UnreadablePackage when the table has no id left
 */
export function addSplitsXml(
  table: ResourceTableMessage,
  packageName: string,
  isUsed: (path: string) => boolean,
): { id: number; path: string; content: XmlElement } {
  let number = 0;
  while (isUsed(`res/xml/splits${number}.xml`)) number++;
  const path = `res/xml/splits${number}.xml`;
  if (table.packages.length === 0)
    table.packages.push({ id: appPackageId, name: packageName, types: [], overlayables: [] });
  const [first] = table.packages;
  if (!first) throw damagedBundle();
  let type = first.types.find(({ name }) => name === xmlType);
  if (!type) {
    type = { id: nextId(first.types, 1, 0xff), name: xmlType, entries: [] };
    first.types.push(type);
  }
  const entryId = nextId(type.entries, 0, maxEntryId);
  const { config } = table;
  type.entries.push({
    id: entryId,
    name: `splits${number}`,
    isPublic: false,
    isStaged: false,
    stagedId: null,
    overlayable: null,
    values: [
      {
        config,
        value: { type: stringType, data: table.pool.add(path, pathPriority, config.key) },
        isWeak: false,
      },
    ],
  });
  table.filePaths.add(path);
  const id = ((first.id << 24) | (type.id << 16) | entryId) >>> 0;
  return { id, path, content: splitsElement([...table.locales]) };
}

function nextId(list: readonly { id: number }[], first: number, max: number): number {
  const id = list.reduce((highest, one) => Math.max(highest, one.id), first - 1) + 1;
  if (id > max) throw damagedBundle();
  return id;
}

/** All languages are in the APK itself, whose split has an empty name. */
function splitsElement(locales: readonly string[]): XmlElement {
  const languages = new Set(locales.map(languageOf).filter((language) => language !== ''));
  const entries = [...languages]
    .sort()
    .map((language) => newElement('entry', [plain('key', language), plain('split', '')]));
  const modules =
    entries.length === 0
      ? []
      : [newElement('module', [plain('name', '')], [newElement('language', [], entries)])];
  return newElement('splits', [], modules);
}

const plain = (name: string, value: string): XmlAttribute => ({
  namespace: '',
  name,
  id: 0,
  value,
  compiled: null,
});

/** Java's `Locale.forLanguageTag(locale).getLanguage()`, which replaces withdrawn codes. */
function languageOf(locale: string): string {
  const [, language = '', extended] =
    /^([a-z]{2,8})(?:-([a-z]{3})(?![a-z0-9]))?(?:-|$)/.exec(locale.toLowerCase()) ?? [];
  const code = extended !== undefined && language.length < 4 ? extended : language;
  return { iw: 'he', in: 'id', ji: 'yi', und: '' }[code] ?? code;
}
