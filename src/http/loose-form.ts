/**
 * Forms as clients of DeployGate send them, with any method: in the query, or in a body that is urlencoded, multipart or JSON. An
 * empty body is accepted with any Content-Type.
 */
import type { IncomingMessage } from 'node:http';
import { AppError, invalid, tooLarge } from '../core/errors.ts';
import { parseJson } from './api/input.ts';
import { httpTexts } from './http-texts.ts';
import { readMultipart } from './multipart.ts';
import { readShortBody } from './request-body.ts';
import { decodeBody } from './routes/decode-text.ts';

export type LooseFields = Record<string, string[]>;

export const maxLooseFormBytes = 64 * 1024;
const maxLooseFormParts = 100;

/** Reads a body that is not urlencoded. The content of files is discarded. */
export async function readLooseForm(request: IncomingMessage): Promise<LooseFields> {
  const type = request.headers['content-type'] ?? '';
  if (/^multipart\/form-data\s*;/i.test(type)) return readParts(request);
  const text = decodeBody(await readShortBody(request, maxLooseFormBytes));
  if (text === '') return {};
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new AppError('unsupported_media_type', 'the body must be a form or JSON');
  const fields: LooseFields = Object.create(null);
  for (const [name, value] of Object.entries(parseJson(text) as object)) addValues(fields, name, value);
  return fields;
}

/** A value that was sent several times counts once. The API key is not a field. */
export function mergeForms(...forms: unknown[]): LooseFields {
  const fields: LooseFields = Object.create(null);
  for (const form of forms) {
    for (const [name, value] of Object.entries(form ?? {}))
      if (name !== 'token') addValues(fields, name, value);
  }
  return fields;
}

function addValues(fields: LooseFields, name: string, value: unknown): void {
  const known = fields[name] ?? [];
  for (const one of [value].flat()) {
    if (one === null) continue;
    if (typeof one === 'object') throw invalid(httpTexts.form.text({ name }));
    if (!known.includes(String(one))) known.push(String(one));
  }
  if (known.length > 0) fields[name] = known;
}

async function readParts(request: IncomingMessage): Promise<LooseFields> {
  const fields: LooseFields = Object.create(null);
  const limits = {
    maxBodyBytes: maxLooseFormBytes,
    maxFieldBytes: maxLooseFormBytes,
    maxParts: maxLooseFormParts,
    mayBeEmpty: true,
  };
  await readMultipart(request, limits, {
    isFile: (_name, _type, fileName) => fileName !== undefined,
    field: (name, value, truncated) => {
      if (truncated) throw tooLarge(httpTexts.body.long({ limit: maxLooseFormBytes }));
      addValues(fields, name, value);
    },
    file: async (_name, _fileName, stream) => {
      for await (const _ of stream);
    },
  });
  return fields;
}
