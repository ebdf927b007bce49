/** The forms of Slipway's own pages, as a browser without scripts submits them. */

interface PageForm {
  action: string;
  isMultipart: boolean;
  fields: [string, string][];
  /** Every field, also those that are not submitted unless filled in. */
  names: ReadonlySet<string>;
}

/** Returns the form whose action ends with `ending`. Throws if the page has none. */
export function findForm(html: string, ending: string): PageForm {
  for (const [text, head = ''] of html.matchAll(/<form\b([^>]*)>[\s\S]*?<\/form>/g)) {
    const action = attribute(head, 'action') ?? '';
    const isMultipart = attribute(head, 'enctype') === 'multipart/form-data';
    if (action.split('?', 1)[0]?.endsWith(ending)) {
      const names = new Set([...text.matchAll(/ name="([^"]*)"/g)].map(([, name = '']) => name));
      return { action, isMultipart, fields: readFields(text), names };
    }
  }
  throw new Error(`the page has no form for ${ending}`);
}

function readFields(form: string): [string, string][] {
  const fields: [string, string][] = [];
  const controls =
    /<input\b([^>]*)>|<textarea\b([^>]*)>([\s\S]*?)<\/textarea>|<select\b([^>]*)>([\s\S]*?)<\/select>/g;
  for (const [, input, textarea, text = '', select, options = ''] of form.matchAll(controls)) {
    const name = attribute(input ?? textarea ?? select ?? '', 'name');
    if (!name) continue;
    if (textarea !== undefined) fields.push([name, unescapeHtml(text).replace(/^\n/, '')]);
    else if (select !== undefined) fields.push([name, selectedOption(options)]);
    else if (input !== undefined) {
      const type = attribute(input, 'type') ?? '';
      if (type === 'file') continue;
      const isChoice = /^(checkbox|radio)$/.test(type);
      if (isChoice && attribute(input, 'checked') === null) continue;
      fields.push([name, attribute(input, 'value') ?? (isChoice ? 'on' : '')]);
    }
  }
  return fields;
}

function selectedOption(options: string): string {
  const heads = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, head = '']) => head);
  const selected = heads.find((head) => attribute(head, 'selected') !== null) ?? heads[0] ?? '';
  return attribute(selected, 'value') ?? '';
}

/** Null if the tag does not have the attribute. */
function attribute(tag: string, name: string): string | null {
  for (const [, one, value = ''] of tag.matchAll(/([\w-]+)(?:="([^"]*)")?/g))
    if (one === name) return unescapeHtml(value);
  return null;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

export function unescapeHtml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '');
}
