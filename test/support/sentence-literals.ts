/** Finds sentences in code, which a catalog should contain: three words in a row in a literal, or any word as text of JSX. */
import { parseSync } from 'oxc-parser';

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const nameOf = (node: unknown): string => {
  if (!isNode(node)) return '';
  if (node.type === 'MemberExpression') return nameOf(node.property);
  return String(node.name ?? node.value ?? '');
};

/** `summary` and `description`: the declaration of a route and the OpenAPI document, which are in English. */
const documentingKeys = new Set(['summary', 'description', 'csrfExempt', 'title']);
const loggers = new Set(['debug', 'info', 'warn', 'error', 'description']);
/** Bugs, which only the log contains. */
const internalErrors = new Set(['Error', 'TypeError', 'RangeError']);

/** Whether nobody reads the text of a node on a page or in an answer. */
function isUnread(node: Node): boolean {
  const { type } = node;
  if (type === 'TaggedTemplateExpression') return true;
  if (/^(Import|ExportAll|TS)/.test(type)) return !/^TS(As|Satisfies|NonNull)/.test(type);
  if (type === 'Property') return documentingKeys.has(nameOf(node.key));
  if (type === 'CallExpression') return loggers.has(nameOf(node.callee));
  if (type === 'NewExpression') return internalErrors.has(nameOf(node.callee));
  return type === 'JSXAttribute' && ['class', 'd', 'rel'].includes(nameOf(node.name));
}

const words = /\p{L}[\p{L}'’]* [\p{L}'’]+ [\p{L}'’]+/u;

function sentenceOf(node: Node): string | null {
  if (node.type === 'JSXText') return /\p{L}{2}/u.test(String(node.value)) ? String(node.value).trim() : null;
  const text =
    node.type === 'TemplateLiteral'
      ? (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…')
      : node.type === 'Literal' && typeof node.value === 'string'
        ? node.value
        : '';
  return words.test(text) ? text : null;
}

export function sentenceLiterals(file: string, source: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isNode(value) || isUnread(value)) return;
    const sentence = sentenceOf(value);
    if (sentence !== null) found.push(sentence);
    Object.values(value).forEach(visit);
  };
  visit(parseSync(file, source).program);
  return found;
}
