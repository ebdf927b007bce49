/** Generates examples for the OpenAPI document from schemas: by the name of a field, otherwise by its type. */

type JsonSchema = { readonly [name: string]: unknown };

const time = '2026-11-21T09:40:00.000Z';
const sha256 = '6f1e9c0ddc3e0d9b8a1f4c5b2a7e6d3f8c9b0a1d2e3f4a5b6c7d8e9f0a1b2c3d';
const key = '7a9c1d5e3b8f2a6c4d0e9f7b1a3c5d8e2f4a6b9c';
const app = 'https://apps.example.com/users/acme/platforms/android/apps/com.example.tide';

/** If a name has several meanings, the type determines which value fits. */
const values: Readonly<Record<string, readonly unknown[]>> = {
  access_key: [key],
  accessKey: [key],
  action: ['build.uploaded'],
  actor: ['mina'],
  api_key: ['slw_…'],
  at: [time],
  branch: ['main'],
  build_url: ['https://ci.example.com/runs/4412'],
  commit: ['9f31c2ab77d0'],
  created_at: [time],
  created_by: ['mina'],
  cursor: ['WzEyXQ'],
  day: ['2026-11-21'],
  description: ['Tides and sea levels'],
  detail: ['There is no such page.'],
  device: ['iPhone, iOS 18.1', '01jdf6f3x0a1b2c3d4e5f6g7h8'],
  display_name: ['Acme'],
  email: ['mina@example.com'],
  event: ['build.uploaded'],
  expires_at: ['2026-12-21T09:40:00.000Z'],
  from: ['1', time],
  group: ['01jdf6f3x0a1b2c3d4e5f6g7h8', 'QA'],
  groups: [['QA']],
  hint: ['slw_7Kq2'],
  icon_url: ['https://apps.example.com/builds/01jdf6/icon?key=…'],
  id: ['01jdf6f3x0a1b2c3d4e5f6g7h8'],
  install: [{ page_url: `https://apps.example.com/distributions/${key}` }],
  invitation: ['01jdf6f3x0a1b2c3d4e5f6g7h8'],
  invited_by: ['mina'],
  key: [key],
  label: ['candidate'],
  login: ['mina@example.com'],
  logins: [['mina@example.com', 'jo']],
  md5: ['98cca914d4c109e2f9a3b1c0d5e7f642'],
  message: ['Fixes the login'],
  minimum_os: ['26'],
  name: ['Tide'],
  next_cursor: ['WzEyXQ'],
  owner: ['acme'],
  package: ['com.example.tide'],
  package_name: ['com.example.tide'],
  page: ['nightly'],
  page_url: [`https://apps.example.com/distributions/${key}`],
  people: [3],
  person: ['mina'],
  platform: ['android'],
  product: ['iPhone14,5'],
  qr_url: [`https://apps.example.com/qr?data=https%3A%2F%2Fapps.example.com%2Fdistributions%2F${key}`],
  reason: ['newer_on_page', 'shared'],
  release_note: ['Faster charts'],
  restricted_to: [['acme/android/com.example.tide']],
  revision: [12, '12'],
  revisions: [[11, 12]],
  secret: ['whsec_…'],
  sha256: [sha256],
  signature: ['1f4c5b2a7e6d3f8c9b0a1d2e3f4a5b6c7d8e9f0a'],
  size: [18_734_112],
  subject: ['com.example.tide (android) #12'],
  system: ['Android 16'],
  text: ['It stops after the login'],
  to: ['2'],
  udid: ['00008110-001A2B3C4D5E6F70'],
  uploaded_by: ['mina'],
  url: [`${app}/binaries/12`],
  version: ['0.2.0'],
  version_code: ['400'],
  version_name: ['2.4.1'],
  webhook: ['01jdf6f3x0a1b2c3d4e5f6g7h8'],
  workspace: ['harbor'],
};

/** `schemas`: those referenced by `$ref`. */
export function exampleOf(
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
  name = '',
): unknown {
  const { $ref } = schema;
  if (typeof $ref === 'string')
    return exampleOf(schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}, schemas, name);
  if ('const' in schema) return schema.const;
  const known = (values[name] ?? []).find((value) => fits(value, schema));
  if (known !== undefined) return known;
  const [choice] = (schema.enum as unknown[] | undefined) ?? [];
  if (choice !== undefined) return choice;
  const [variant] = ((schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined) ?? [];
  if (variant) return exampleOf(variant, schemas, name);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries((schema.properties as Record<string, JsonSchema> | undefined) ?? {}).map(
          ([field, one]) => [field, exampleOf(one, schemas, field)],
        ),
      );
    case 'array':
      return [exampleOf((schema.items as JsonSchema | undefined) ?? {}, schemas, name)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema.format === 'date-time' ? time : 'text';
  }
}

/** Whether the value has a type that the schema allows. */
function fits(value: unknown, schema: JsonSchema): boolean {
  const variants = (schema.anyOf as JsonSchema[] | undefined) ?? [schema];
  return variants.some((variant) => {
    if (Array.isArray(variant.enum)) return variant.enum.includes(value);
    if (typeof variant.pattern === 'string' && typeof value === 'string')
      return new RegExp(variant.pattern, 'u').test(value);
    if (variant.type === 'array') return Array.isArray(value);
    if (variant.type === 'integer') return typeof value === 'number';
    return variant.type === typeof value && typeof value !== 'object';
  });
}
