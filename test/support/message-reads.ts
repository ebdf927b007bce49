/** Finds the messages of catalogs that code reads: `texts.group.key`, also through constants and destructuring. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

export interface CatalogSource {
  /** Absolute path of the file that exports it. */
  file: string;
  /** The name of its export. */
  name: string;
}

type Path = readonly string[];
interface Node {
  type: string;
  [key: string]: unknown;
}

const keyOf = ({ file, name }: CatalogSource) => `${file}#${name}`;

/**
 * Returns the paths that files read, by catalog: `['group', 'key']`. A group that is passed on or accessed by a computed
 * key is one path, which stands for everything in it.
 */
export function readPaths(files: readonly string[], catalogs: readonly CatalogSource[]): Map<string, Path[]> {
  const reads = new Map<string, Path[]>(catalogs.map((source) => [keyOf(source), []]));
  for (const file of files) {
    const { program } = parseSync(file, readFileSync(file, 'utf8'));
    const names = new Map<string, { catalog: string; path: Path }[]>();
    const bind = (name: string, catalog: string, path: Path) =>
      names.set(name, [...(names.get(name) ?? []), { catalog, path }]);
    const own = catalogs.filter((source) => source.file === file);
    for (const source of own) bind(source.name, keyOf(source), []);
    for (const statement of program.body as unknown as Node[]) bindImports(file, statement, reads, bind);
    if (names.size > 0)
      visit(program as unknown as Node, { names, reads, bind, own: own.map(({ name }) => name) });
  }
  return reads;
}

export const readsOf = (reads: ReadonlyMap<string, Path[]>, source: CatalogSource) =>
  reads.get(keyOf(source)) ?? [];

function bindImports(
  file: string,
  statement: Node,
  reads: ReadonlyMap<string, unknown>,
  bind: (name: string, catalog: string, path: Path) => void,
): void {
  if (statement.type !== 'ImportDeclaration') return;
  const { value } = statement.source as { value: string };
  for (const specifier of statement.specifiers as Node[]) {
    if (specifier.type !== 'ImportSpecifier') continue;
    const catalog = keyOf({ file: join(dirname(file), value), name: nameOf(specifier.imported) });
    if (reads.has(catalog)) bind(nameOf(specifier.local), catalog, []);
  }
}

const nameOf = (node: unknown) => (node as { name: string }).name;

interface Scope {
  names: Map<string, { catalog: string; path: Path }[]>;
  reads: Map<string, Path[]>;
  bind: (name: string, catalog: string, path: Path) => void;
  /** Catalogs that the file itself exports: their declaration is no read. */
  own: readonly string[];
}

/** Parents of names that are neither reads nor values. */
const isName = (node: Node, key: string) =>
  (node.type === 'Property' && key === 'key' && node.computed !== true) ||
  (node.type === 'MemberExpression' && key === 'property' && node.computed !== true) ||
  node.type === 'ImportSpecifier' ||
  node.type === 'ExportSpecifier' ||
  (node.type === 'JSXAttribute' && key === 'name') ||
  node.type.startsWith('TS');

function visit(node: Node, scope: Scope, exported = false): void {
  if (node.type === 'VariableDeclarator' && bindDeclaration(node, scope, exported)) return;
  const chain = chainOf(node);
  if (chain && scope.names.has(chain.name)) {
    for (const { catalog, path } of scope.names.get(chain.name) ?? [])
      scope.reads.get(catalog)?.push([...path, ...chain.path]);
    for (const computed of chain.computed) visit(computed, scope);
    return;
  }
  for (const [key, child] of Object.entries(node)) {
    if (key === 'type' || (isName(node, key) && !isValueOfType(node, key))) continue;
    const isExported =
      node.type === 'ExportNamedDeclaration' || (exported && node.type === 'VariableDeclaration');
    for (const one of [child].flat()) if (isNode(one)) visit(one, scope, isExported);
  }
}

/** `x as T` and `x satisfies T` contain a value. */
const isValueOfType = (node: Node, key: string) =>
  ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(node.type) &&
  key === 'expression';

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** `const t = texts.group` and `const { a, b } = texts.group`. Returns whether the declaration needs no further work. */
function bindDeclaration({ id, init }: Node, { names, bind, own }: Scope, exported: boolean): boolean {
  const target = id as Node;
  if (target.type === 'Identifier' && own.includes(nameOf(target))) return true;
  // What other files do with an exported constant is unknown: everything in it counts as read.
  const chain = isNode(init) && !exported ? chainOf(init) : null;
  const known = chain && chain.computed.length === 0 ? names.get(chain.name) : undefined;
  if (!chain || !known) return false;
  if (target.type === 'Identifier') {
    // A message itself, or a group: reads of the constant decide.
    for (const { catalog, path } of [...known]) bind(nameOf(target), catalog, [...path, ...chain.path]);
    return true;
  }
  const properties = target.type === 'ObjectPattern' ? (target.properties as Node[]) : [];
  const isPlain = properties.every(
    ({ type, computed, value }) =>
      type === 'Property' && computed !== true && (value as Node).type === 'Identifier',
  );
  if (properties.length === 0 || !isPlain) return false;
  for (const { key, value } of properties)
    for (const { catalog, path } of [...known])
      bind(nameOf(value), catalog, [...path, ...chain.path, nameOf(key)]);
  return true;
}

/** `a.b['c'].d` as a name and a path, up to the first computed key. */
function chainOf(node: Node): { name: string; path: string[]; computed: Node[] } | null {
  if (node.type === 'Identifier' || node.type === 'JSXIdentifier')
    return { name: nameOf(node), path: [], computed: [] };
  if (node.type === 'ChainExpression') return chainOf(node.expression as Node);
  if (node.type !== 'MemberExpression') return null;
  const chain = chainOf(node.object as Node);
  if (!chain || chain.computed.length > 0)
    return chain && { ...chain, computed: [...chain.computed, ...keyNodes(node)] };
  const property = node.property as Node;
  if (node.computed !== true) return { ...chain, path: [...chain.path, nameOf(property)] };
  if (property.type === 'Literal') return { ...chain, path: [...chain.path, String(property.value)] };
  return { ...chain, computed: [property] };
}

const keyNodes = (node: Node): Node[] => (node.computed === true ? [node.property as Node] : []);
