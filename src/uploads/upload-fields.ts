/** The parts of an upload, as one JSON Schema: the form reader takes its names from here, OpenAPI its descriptions. */
import { maxDistributionNameLength } from '../pages/distribution-page.ts';

/** `message` and `release_note` are cut here, on a character boundary, and the answer says so. */
export const maxTextBytes = 32_766;
export const maxTagLength = 255;
export const maxBuildUrlLength = 2048;
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
  file: binary('App binary (IPA or APK).'),
  ios_simulator_zip: binary(
    'iOS only. Simulator build of the same app: a zip file containing the .app directory. Ignored with an APK.',
  ),
};

export const uploadTextSchema = {
  message: text(`Description of the uploaded file. Cut at ${maxTextBytes} bytes.`),
  distribution_key: text(
    'Hash of a distribution page of this app, which is updated at the same time. Beats distribution_name.',
  ),
  distribution_name: text(
    'Name of the distribution page to update; made when the app has none of that name (for example one page for each branch). Blanks around it are removed, and it is compared in Unicode form NFC.',
    maxDistributionNameLength,
  ),
  release_note: text(
    `Shown on the distribution page. The message when absent. Cut at ${maxTextBytes} bytes.`,
  ),
  disable_notify: text('iOS only. true, yes, 1 or on, in any case, turns the notification emails off.'),
  branch: text('Branch that the build was made from.', maxTagLength),
  commit: text('Commit that the build was made from.', maxTagLength),
  build_url: text('Address of the CI run, http or https.', maxBuildUrlLength),
  label: text('A word of your own to tell builds apart.', maxTagLength),
  token: text('API key, for uploaders that cannot set a header.'),
};

export const uploadFormSchema = {
  type: 'object',
  required: ['file'],
  properties: { ...uploadFileSchema, ...uploadTextSchema },
};

export type FileName = keyof typeof uploadFileSchema;
export type TextName = keyof typeof uploadTextSchema;

export function isFileName(name: string): name is FileName {
  return Object.hasOwn(uploadFileSchema, name);
}

export function isTextName(name: string): name is TextName {
  return Object.hasOwn(uploadTextSchema, name);
}
