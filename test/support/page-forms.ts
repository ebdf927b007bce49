/** The forms of a page as a browser without JavaScript submits them. */
import { readElements } from '../web/elements.ts';

export interface PageForm {
  action: string;
  /** As on the page; unchecked boxes are missing. */
  fields: Record<string, string>;
}

/** Every form with method POST, in page order. */
export function postedForms(html: string): PageForm[] {
  return [...html.matchAll(/<form [^>]*method="post"[\s\S]*?<\/form>/g)].map(([text]) => readForm(text));
}

/** Removes form tokens, which differ in each response, so that pages can be compared. */
export const withoutFormTokens = (html: string) => html.replace(/(name="csrf" value=)"[^"]*"/g, '$1""');

/** The form whose path ends with the name of the action; throws if there is none. */
export function formOf(html: string, action: string, fields: Record<string, string> = {}): PageForm {
  const found = postedForms(html).find(
    (form) =>
      form.action.replace(/\?.*/, '').endsWith(`/${action}`) &&
      Object.entries(fields).every(([name, value]) => form.fields[name] === value),
  );
  if (!found) throw new Error(`the page has no form for ${action}`);
  return found;
}

function readForm(text: string): PageForm {
  const [form, ...elements] = readElements(text);
  const fields: Record<string, string> = {};
  let select = '';
  for (const { tag, attributes, text: content } of elements) {
    const name = attributes.get('name') ?? '';
    const isChoice = ['checkbox', 'radio'].includes(attributes.get('type') ?? '');
    if (tag === 'select') select = name;
    if (tag === 'option' && (attributes.has('selected') || !(select in fields))) {
      fields[select] = attributes.get('value') ?? '';
    }
    if (tag === 'textarea')
      fields[name] = content.replace(/\r\n?/g, '\n').replace(/^\n/, '').replaceAll('\n', '\r\n');
    if (tag !== 'input' || name === '' || (isChoice && !attributes.has('checked'))) continue;
    fields[name] = attributes.get('value') ?? (isChoice ? 'on' : '');
  }
  return { action: form?.attributes.get('action') ?? '', fields };
}
