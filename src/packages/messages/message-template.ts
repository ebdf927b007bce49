/** Messages with placeholders such as `{name}`, which can be filled in and parsed again. */
import { readable } from '../sentence.ts';

type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

/** The values of a text as an argument list, which is empty for a text without placeholders. */
export type TemplateValues<Text extends string> = [Names<Text>] extends [never]
  ? []
  : [values: Readonly<Record<Names<Text>, string | number>>];

export interface Template {
  /** The text around the placeholders; one element more than there are names. */
  literals: readonly string[];
  names: readonly string[];
  literalLength: number;
}

const placeholder = /\{(\w+)\}/;

export function templateOf(text: string): Template {
  const parts = text.split(placeholder);
  const literals = parts.filter((_, index) => index % 2 === 0);
  const names = parts.filter((_, index) => index % 2 === 1);
  return { literals, names, literalLength: literals.join('').length };
}

/** Values come from packages: each stays on the line, in its place and within this length. */
const maxQuotedLength = 300;

export function fillTemplate(text: string, values: Readonly<Record<string, string | number>>): string {
  return text
    .split(placeholder)
    .map((part, index) => (index % 2 === 0 ? part : readable(String(values[part]), maxQuotedLength)))
    .join('');
}

/** Returns the values with which the template produces the sentence; null if there are none. Takes linear time. */
export function matchTemplate(
  { literals, names }: Template,
  sentence: string,
): Readonly<Record<string, string>> | null {
  const [first = '', ...others] = literals;
  const last = others.pop();
  if (last === undefined) return sentence === first ? {} : null;
  const end = sentence.length - last.length;
  if (!sentence.startsWith(first) || !sentence.endsWith(last) || end <= first.length) return null;
  const values: Record<string, string> = {};
  let from = first.length;
  for (const [index, name] of names.entries()) {
    const next = others[index];
    const to = next === undefined ? end : sentence.indexOf(next, from + 1);
    if (to <= from || to > end) return null;
    values[name] = sentence.slice(from, to);
    from = to + (next?.length ?? 0);
  }
  return values;
}
