/** The texts and controls of a page, in lines of text without markup. */
import { readElements } from './elements.ts';

const blocks =
  'address|article|dd|details|div|dl|dt|fieldset|figure|form|header|legend|li|nav|ol|option|p|pre|section|summary|table|tr|ul';

/**
 * Returns the title and the main part of a page, a line for each block: `#` before headings, `[text](address)` for links,
 * `{text}` for buttons, and fields with what they hold.
 */
export function pageOutlineOf(html: string): string {
  const title = readElements(html).find(({ tag }) => tag === 'title')?.text ?? '';
  const [main = ''] = /<main[\s\S]*<\/main>/.exec(html) ?? [];
  const text = main
    .replace(/<svg[\s\S]*?<\/svg>|<input[^>]* name="csrf"[^>]*>/g, '')
    .replace(/<time[^>]*>[\s\S]*?<\/time>/g, '‹time›')
    .replace(/<h([1-6])[^>]*>/g, (_, level) => `\n${'#'.repeat(Number(level))} `)
    .replace(/<\/h[1-6]>/g, '\n')
    .replace(/<a [^>]*?href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g, '[$2]($1)')
    .replace(/<button([^>]*)>/g, (_, button) => `{${factsOf(button, ['name', 'value', 'formaction'])}`)
    .replaceAll('</button>', '}')
    .replace(/<form([^>]*)>/g, (_, form) => `\n‹form ${factsOf(form, ['method', 'action'])}›\n`)
    .replace(/<(input|select|textarea)([^>]*)>/g, (_, tag, field) => `‹${tag} ${factsOf(field, fieldFacts)}›`)
    .replace(/<option([^>]*)>/g, (_, option) => `\n‹${factsOf(option, ['value', 'selected'])}› `)
    .replace(/<(td|th)[^>]*>/g, ' | ')
    .replace(new RegExp(`</?(${blocks})( [^>]*)?>`, 'g'), '\n')
    .replace(/<[^>]*>/g, '');
  const lines = [title, ...text.split('\n')].map((line) => line.replace(/\s+/g, ' ').trim());
  return lines.filter((line) => line !== '').join('\n');
}

const fieldFacts = ['type', 'name', 'value', 'checked', 'disabled', 'required', 'aria-invalid'];

function factsOf(attributes: string, names: readonly string[]): string {
  const facts = names.flatMap((name) => {
    const found = new RegExp(` ${name}(?:="([^"]*)")?(?=[\\s/]|$)`).exec(attributes);
    if (!found) return [];
    return found[1] ? `${name}=${found[1]}` : name;
  });
  return facts.join(' ');
}
