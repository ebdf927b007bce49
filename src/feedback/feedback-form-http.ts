/** Receives the feedback form. The form token must be its first part; nothing is accepted before it. */
import type { Readable } from 'node:stream';
import type { Spool, SpooledFile } from '../blobs/spool/spool.ts';
import { SpoolLimitExceeded } from '../blobs/spool/spool-errors.ts';
import { formatBytes } from '../core/byte-size.ts';
import { errorTexts } from '../core/error-texts.ts';
import { Forbidden, FormInvalid, invalid } from '../core/errors.ts';
import { normalizeLineEndings } from '../core/line-endings.ts';
import { httpTexts } from '../http/http-texts.ts';
import { readMultipart } from '../http/multipart.ts';
import type { StreamedBody } from '../http/routes/client.ts';
import { checkEmail } from '../owners/create-owners.ts';
import { formatCount } from '../web/components/formats.ts';
import { maxEmailLength, maxFeedbackCharacters, maxScreenshotBytes, maxScreenshots } from './feedback.ts';
import { feedbackTexts } from './feedback-texts.ts';
import type { ScreenshotFile } from './send-feedback.ts';

/** The fields of the form, for the OpenAPI document. */
export const feedbackFormSchema = {
  type: 'object',
  required: ['csrf', 'text', 'revision'],
  properties: {
    csrf: { type: 'string' },
    text: { type: 'string', maxLength: maxFeedbackCharacters },
    email: { type: 'string', maxLength: maxEmailLength },
    revision: { type: 'string' },
    screenshots: { type: 'array', maxItems: maxScreenshots, items: { type: 'string', format: 'binary' } },
  },
};

/** The raw input; empty strings for missing fields. */
export interface FeedbackValues {
  text: string;
  email: string;
  revision: string;
  /** Hidden from people, but filled in by programs that fill in every field. */
  website: string;
}

export interface FeedbackForm {
  text: string;
  email: string | null;
  revision: number;
  isSpam: boolean;
}

const t = feedbackTexts.errors;
const fieldNames = ['text', 'email', 'revision', 'website'] as const;
/** A character takes up to four bytes in UTF-8, and browsers submit CRLF. */
const maxFieldBytes = maxFeedbackCharacters * 5;
const formOverheadBytes = 256 * 1024;
const maxParts = 16;

export interface FeedbackReader {
  /** Rejects with `forbidden` for a wrong token, with `FormInvalid` for files over the limits, and with `invalid`. */
  read(): Promise<void>;
  /** Whether the form token was valid. */
  proven(): boolean;
  submitted(): FeedbackValues;
  files(): readonly ScreenshotFile[];
  dispose(): Promise<void>;
}

export function createFeedbackReader(deps: { spool: Spool; body: StreamedBody }): FeedbackReader {
  const { body } = deps;
  const values: FeedbackValues = { text: '', email: '', revision: '', website: '' };
  /** In the order of their parts, which are received concurrently. */
  const slots: ({ file: SpooledFile; name: string } | null)[] = [];
  const received = () => slots.filter((slot) => slot !== null);
  let isProven = false;
  const expectProof = () => {
    if (!isProven) throw new Forbidden(errorTexts.formExpired);
  };
  const receive = async (name: string, stream: Readable) => {
    expectProof();
    const index = slots.push(null) - 1;
    await body.admit();
    try {
      const file = await deps.spool.receive(stream, { maxBytes: maxScreenshotBytes });
      // Browsers send an empty file if none is chosen.
      if (file.sizeBytes === 0) return await file.dispose();
      slots[index] = { file, name };
    } catch (error) {
      if (!(error instanceof SpoolLimitExceeded)) throw error;
      throw new FormInvalid({ screenshots: [t.fileLarge({ limit: formatBytes(maxScreenshotBytes) })] });
    }
    if (received().length > maxScreenshots)
      throw new FormInvalid({ screenshots: [t.tooManyFiles({ limit: maxScreenshots })] });
  };
  return {
    read: async () => {
      const maxBodyBytes = maxScreenshots * maxScreenshotBytes + formOverheadBytes;
      await readMultipart(
        body.message,
        { maxBodyBytes, maxFieldBytes, maxParts },
        {
          isFile: (name, _type, fileName) => name === 'screenshots' || fileName !== undefined,
          isField: (name) => name === 'csrf' || fieldNames.some((known) => known === name),
          field: (name, value, truncated) => {
            if (name === 'csrf' && !isProven) {
              body.checkFormToken(value);
              isProven = true;
              return;
            }
            expectProof();
            const field = fieldNames.find((known) => known === name);
            if (field === undefined) return;
            if (value.includes('\0')) throw invalid(httpTexts.form.nul({ name: field }));
            if (truncated)
              throw new FormInvalid({ [field]: [t.textLong({ limit: formatCount(maxFeedbackCharacters) })] });
            values[field] = value;
          },
          file: (_name, fileName, stream) => receive(fileName, stream),
        },
      );
      expectProof();
      await body.admit();
    },
    proven: () => isProven,
    submitted: () => values,
    files: () => received().map(({ file, name }) => ({ path: file.path, name })),
    dispose: async () => {
      await Promise.all(received().map(({ file }) => file.dispose()));
    },
  };
}

/** Throws `FormInvalid` with all errors. `knownEmail`: the address of the sender's account, which takes precedence. */
export function readFeedback(values: FeedbackValues, knownEmail: string | null): FeedbackForm {
  const errors: Record<string, string[]> = {};
  const text = normalizeLineEndings(values.text).trim();
  if (text === '') errors.text = [t.textMissing];
  if ([...text].length > maxFeedbackCharacters)
    errors.text = [t.textLong({ limit: formatCount(maxFeedbackCharacters) })];
  const typed = values.email.trim();
  const email = knownEmail ?? (typed === '' ? null : typed);
  if (knownEmail === null && typed !== '' && !isAddress(typed)) errors.email = [t.email];
  if (!/^[1-9]\d{0,14}$/.test(values.revision)) errors.revision = [t.build];
  if (Object.keys(errors).length > 0) throw new FormInvalid(errors);
  return { text, email, revision: Number(values.revision), isSpam: values.website !== '' };
}

function isAddress(text: string): boolean {
  try {
    return text.length <= maxEmailLength && checkEmail(text) !== '';
  } catch {
    return false;
  }
}
