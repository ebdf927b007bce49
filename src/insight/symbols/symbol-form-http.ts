/** Receives a symbol file, for people and programs with the same limits. */
import type { BuildChange } from '../../apps/builds/build-changes.ts';
import { type FileForm, receiveFileForm } from '../../blobs/file-form-http.ts';
import type { Spool } from '../../blobs/spool/spool.ts';
import { formatBytes } from '../../core/byte-size.ts';
import { tooLarge, toSentence } from '../../core/errors.ts';
import type { Answer } from '../../http/routes/answer.ts';
import type { Client, StreamedBody } from '../../http/routes/client.ts';
import { quotaReached } from '../../owners/quota.ts';
import {
  maxSymbolFileBytes,
  type SymbolFiles,
  type SymbolFileWithMatch,
  symbolField,
} from './symbol-files.ts';
import { symbolTexts } from './symbol-texts.ts';

/** The same for the form and the API. */
export const symbolRateLimit = {
  name: 'symbol-files',
  limit: 300,
  windowMs: 60 * 60_000,
  per: 'caller',
  refusal: 'symbolFiles',
} as const;

/** How much longer than its file a body may be. */
const formOverheadBytes = 64 * 1024;

interface SymbolForm<Response extends Answer> {
  change: BuildChange;
  client: Client;
  body: StreamedBody;
  /** Checks access again when the file has arrived. */
  reauthorize(): Promise<void>;
  saved(file: SymbolFileWithMatch): Response;
  renderError: FileForm<never>['renderError'];
}

/** Size, count and quota are checked before the body is read, and again when the file is stored. */
export async function receiveSymbolFile<Response extends Answer>(
  {
    spool,
    symbolFiles,
    limits,
  }: { spool: Spool; symbolFiles: SymbolFiles; limits: { maxUploadBytes: number } },
  { change, client, body, reauthorize, saved, renderError }: SymbolForm<Response>,
) {
  const t = symbolTexts.errors;
  const limit = Math.min(maxSymbolFileBytes, limits.maxUploadBytes);
  const sizeError = tooLarge(t.tooLarge({ limit: formatBytes(limit) }));
  const announcedBytes = Math.max(0, body.announcedBytes - formOverheadBytes);
  if (announcedBytes > limit) throw sizeError;
  const maxFileBytes = await symbolFiles.maxBytesFor(change, announcedBytes);
  return receiveFileForm(
    { spool },
    {
      client,
      body,
      fileField: symbolField,
      maxFileBytes,
      fields: [],
      errors: { missing: t.missing, several: t.several, bytes: toSentence(sizeError.message) },
      sizeError: maxFileBytes < limit ? quotaReached() : sizeError,
      save: async (file, _fields, fileName) => {
        await reauthorize();
        return saved(await symbolFiles.add(change, file, fileName));
      },
      renderError,
    },
  );
}
