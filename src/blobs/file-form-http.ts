/** Receives a form with one file. Unless a key authenticates it, the form token must be its first part; nothing is accepted before it. */
import type { Readable } from 'node:stream';
import { errorTexts } from '../core/error-texts.ts';
import { AppError, Forbidden, invalid } from '../core/errors.ts';
import { errorRenderingOf } from '../http/error-body.ts';
import { readMultipart } from '../http/multipart.ts';
import { type Answer, type HtmlResponse, html } from '../http/routes/answer.ts';
import type { Client, StreamedBody } from '../http/routes/client.ts';
import type { Spool, SpooledFile } from './spool/spool.ts';
import { SpoolLimitExceeded } from './spool/spool-errors.ts';

const formOverheadBytes = 64 * 1024;
const maxFieldBytes = 8 * 1024;

export interface FileForm<Field extends string, Response extends Answer = Answer> {
  client: Client;
  body: StreamedBody;
  /** Name of the part with the file. */
  fileField: string;
  maxFileBytes: number;
  /** Names of the other fields. */
  fields: readonly Field[];
  /** Full sentences. */
  errors: { missing: string; several: string; bytes: string };
  /** Thrown for a file that is too large, in place of an error about the form. */
  sizeError?: AppError;
  /** Missing fields are empty strings. The file is removed afterwards. */
  save(file: SpooledFile, fields: Record<Field, string>, fileName: string): Promise<Response>;
  /** Renders the page of the form with the error. Null for a route of programs, whose key needs no form token. */
  renderError: ((sentence: string) => Promise<string>) | null;
}

/** Rejects with `forbidden` for a wrong token, and with `invalid` or `too_large` if the client is not a browser. */
export async function receiveFileForm<Field extends string, Response extends Answer>(
  { spool }: { spool: Spool },
  form: FileForm<Field, Response>,
): Promise<Response | HtmlResponse> {
  const { body, client, maxFileBytes, errors, renderError } = form;
  const fields = Object.fromEntries(form.fields.map((name) => [name, ''])) as Record<Field, string>;
  let isProven = renderError === null;
  let file: SpooledFile | null = null;
  let fileName = '';
  let isReceiving = false;
  const expectProof = () => {
    if (!isProven) throw new Forbidden(errorTexts.formExpired);
  };
  const receive = async (name: string, givenName: string, stream: Readable) => {
    expectProof();
    // Parts are received concurrently.
    if (name !== form.fileField || isReceiving) throw invalid(errors.several);
    isReceiving = true;
    fileName = givenName;
    await body.admit();
    file = await spool.receive(stream, { maxBytes: maxFileBytes }).catch((error: unknown) => {
      throw error instanceof SpoolLimitExceeded ? (form.sizeError ?? invalid(errors.bytes)) : error;
    });
  };
  const accept = (name: string, value: string) => {
    if (name === 'csrf' && !isProven) {
      body.checkFormToken(value);
      isProven = true;
      return;
    }
    expectProof();
    const known = form.fields.find((field) => field === name);
    if (known !== undefined) fields[known] = value;
  };
  try {
    body.accept();
    await readMultipart(
      body.message,
      {
        maxBodyBytes: maxFileBytes + formOverheadBytes,
        maxFieldBytes,
        maxParts: form.fields.length + 4,
      },
      {
        isFile: (name, _type, fileName) => name === form.fileField || fileName !== undefined,
        field: accept,
        file: receive,
      },
    );
    expectProof();
    await body.admit();
    return await form.save(requireFile(file, errors.missing), fields, fileName);
  } catch (thrown) {
    const error = isTooLarge(thrown) ? (form.sizeError ?? thrown) : thrown;
    if (!(error instanceof AppError) || !isProven || !renderError || !client.wantsPage) throw error;
    if (error !== form.sizeError && !['invalid', 'too_large', 'conflict'].includes(error.kind)) throw error;
    await body.admit();
    const sentence = error.kind === 'too_large' ? errors.bytes : error.message;
    return html(await renderError(sentence), { status: errorRenderingOf(error.kind).status });
  } finally {
    await (file as SpooledFile | null)?.dispose();
  }
}

const isTooLarge = (error: unknown) => error instanceof AppError && error.kind === 'too_large';

/** Browsers send an empty file if none is chosen. */
function requireFile(file: SpooledFile | null, missing: string): SpooledFile {
  if (!file || file.sizeBytes === 0) throw invalid(missing);
  return file;
}
