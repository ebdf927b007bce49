/** Fields of an upload as a JSON Schema. The form parser uses the names, OpenAPI the descriptions. */
import * as v from 'valibot';
import { buildFields, buildFieldsBy } from '../apps/build-fields.ts';
import { maxDistributionNameLength } from '../distributions/distribution-page.ts';

/** `message` and `release_note` are truncated to this size on a character boundary, with a warning in the response. */
export const maxTextBytes = 32_766;
/** Longer texts are cut when they arrive. */
export const maxFieldBytes = 64 * 1024;
/** A key has 40 characters, but may be part of a URL. */
export const maxPageKeyLength = 255;
export const maxIdempotencyKeyLength = 255;

interface FieldSchema {
  type: 'string';
  description: string;
  format?: string;
  maxLength?: number;
}

const binary = (description: string): FieldSchema => ({ type: 'string', description, format: 'binary' });
const text = (description: string, maxLength?: number): FieldSchema => ({
  type: 'string',
  description,
  ...(maxLength === undefined ? {} : { maxLength }),
});

const uploadFileSchema = {
  file: binary('App binary (IPA, APK or AAB).'),
  ios_simulator_zip: binary(
    'iOS only. Simulator build of the same app: a zip file containing the .app directory. Ignored with an APK.',
  ),
};

export const uploadTextSchema = {
  message: text(`Description of the uploaded file. Truncated to ${maxTextBytes} bytes.`),
  distribution_key: text(
    'Key of a distribution page of this app to publish the build on, or its URL. Takes precedence over distribution_name.',
  ),
  distribution_name: text(
    'Name of the distribution page to publish the build on, for example one page per branch. Created if it does not exist. Surrounding blanks are ignored, no-break spaces count as plain ones, names are compared in Unicode form NFC, and invisible characters are refused; the same applies to branch, commit and label.',
    maxDistributionNameLength,
  ),
  release_note: text(
    `Shown on the distribution page. Defaults to the message. Truncated to ${maxTextBytes} bytes.`,
  ),
  disable_notify: text('iOS only. true, yes, 1 or on (case-insensitive) turns off notification emails.'),
  ...buildFieldsBy('name', (field) => text(buildFields[field].description, buildFields[field].maxCharacters)),
  attestation: text(
    'Sigstore bundle about the file, such as that of actions/attest; several as one line each. An upload whose attestation cannot be verified is refused.',
  ),
  token: text('API key, for clients that cannot set a header.'),
};

export const uploadFormSchema = {
  type: 'object',
  required: ['file'],
  properties: { ...uploadFileSchema, ...uploadTextSchema },
};

const { token: _, ...queryNames } = uploadTextSchema;
const repeatable = v.union([v.string(), v.array(v.string())]);
/** The query of an upload may have the fields of its form except files; a key in it is not one of these fields. */
export const uploadQuery = Object.fromEntries(
  Object.entries(queryNames).map(([name, { description }]) => [
    name,
    v.optional(v.pipe(repeatable, v.description(`${description} Also a field of the form.`))),
  ]),
);
export type UploadQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

export type FileName = keyof typeof uploadFileSchema;
export type TextName = keyof typeof uploadTextSchema;

export function isFileName(name: string): name is FileName {
  return Object.hasOwn(uploadFileSchema, name);
}

export function isTextName(name: string): name is TextName {
  return Object.hasOwn(uploadTextSchema, name);
}
