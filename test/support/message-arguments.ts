import { compile, isPattern } from '../../src/core/language/catalog.ts';
import type { Language } from '../../src/core/language/languages.ts';

/** The names and kinds of the arguments of a message, sorted; the error of a pattern that is not valid. */
export function argumentsOf(text: string, language: Language): string {
  if (!isPattern(text)) return '';
  try {
    const found = new Set<string>();
    collect(compile(text, language).getAst() as readonly Element[], found);
    return [...found].sort().join(' ');
  } catch (error) {
    return `invalid (${error})`;
  }
}

/** See `TYPE` of `@formatjs/icu-messageformat-parser`. */
const kinds = ['literal', 'argument', 'number', 'date', 'time', 'select', 'plural', 'pound', 'tag'];

interface Element {
  type: number;
  value?: string;
  options?: Readonly<Record<string, { value: readonly Element[] }>>;
  children?: readonly Element[];
}

function collect(elements: readonly Element[], found: Set<string>): void {
  for (const { type, value, options, children } of elements) {
    const kind = kinds[type];
    if (kind !== 'literal' && kind !== 'pound')
      // A count may be a plural in one language and just a number in another.
      found.add(kind === 'tag' ? `<${value}>` : `${value}:${kind === 'select' ? 'select' : 'value'}`);
    for (const option of Object.values(options ?? {})) collect(option.value, found);
    if (children) collect(children, found);
  }
}
