/** Adds the resource that lists the languages of the app, like bundletool's `SplitsXmlInjector`. Google Play's library reads it. */
import { type BytesPart, damagedBundle } from './protobuf.ts';
import type { ResourceTableMessage } from './resource-table-message.ts';
import { type Entry, maxEntryId, ResourceType } from './resource-type.ts';
import { stringType } from './resource-value-writer.ts';
import { createStringTable } from './string-table.ts';
import { newElement, type XmlAttribute, type XmlElement } from './xml-message.ts';

const xmlType = 'xml';
const appPackageId = 0x7f;

/**
 * Changes the table.
 * @returns the id and path of the resource, and its content
 * @throws UnreadablePackage if the table has no free id
 */
export function addSplitsXml(
  table: ResourceTableMessage,
  packageName: string,
  isUsed: (path: string) => boolean,
): { id: number; path: string; content: XmlElement } {
  let number = 0;
  while (isUsed(`res/xml/splits${number}.xml`)) number++;
  const path = `res/xml/splits${number}.xml`;
  if (table.packages.length === 0) {
    const names = createStringTable();
    table.packages.push({ id: appPackageId, name: packageName, types: [], names, overlayables: [] });
  }
  const [first] = table.packages;
  if (!first) throw damagedBundle();
  let type = first.types.find(({ name }) => name === xmlType);
  if (!type) {
    const highest = first.types.reduce((id, one) => Math.max(id, one.id), 0);
    type = new ResourceType({ id: nextId(highest, 0xff), name: xmlType }, first.names, withoutMessage);
    first.types.push(type);
  }
  const entryId = nextId(type.idCount - 1, maxEntryId);
  const config = table.configs.default;
  const [name, pathPart] = [partOf(`splits${number}`), partOf(path)];
  const entry = (): Entry => ({
    id: entryId,
    name,
    isPublic: false,
    isStaged: false,
    stagedId: null,
    overlayable: null,
    values: [
      {
        config,
        value: { type: stringType, data: table.pool.addPath(pathPart, config.index) },
        isWeak: false,
      },
    ],
  });
  type.add(entry(), entry);
  table.files.paths.add(path);
  const id = ((first.id << 24) | (type.id << 16) | entryId) >>> 0;
  return { id, path, content: splitsElement([...table.configs.locales]) };
}

const withoutMessage = () => {
  throw new Error('no message');
};

function partOf(text: string): BytesPart {
  const bytes = Buffer.from(text);
  return { bytes, start: 0, end: bytes.length };
}

function nextId(highest: number, max: number): number {
  if (highest >= max) throw damagedBundle();
  return highest + 1;
}

/** All languages are in the APK itself, which is the split with an empty name. */
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

/** Java's `Locale.forLanguageTag(locale).getLanguage()`, which replaces deprecated codes. */
function languageOf(locale: string): string {
  const [, language = '', extended] =
    /^([a-z]{2,8})(?:-([a-z]{3})(?![a-z0-9]))?(?:-|$)/.exec(locale.toLowerCase()) ?? [];
  const code = extended !== undefined && language.length < 4 ? extended : language;
  return { iw: 'he', in: 'id', ji: 'yi', und: '' }[code] ?? code;
}
