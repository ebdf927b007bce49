/** Resumable uploads: tus 1.0 (https://tus.io/protocols/resumable-upload). */
import * as v from 'valibot';
import type { KeyHolder } from '../../accounts/authorization/authenticate.ts';
import { AppError, invalid } from '../../core/errors.ts';
import { httpTexts } from '../../http/http-texts.ts';
import { type EmptyResponse, empty, type JsonResponse, json } from '../../http/routes/answer.ts';
import type { StreamedBody } from '../../http/routes/client.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { Owner } from '../../owners/owner.ts';
import { keyCredential } from '../authorize-upload.ts';
import { refundRefused } from '../count-upload.ts';
import { maxIdempotencyKeyLength } from '../upload-fields.ts';
import { loadUploadedJson, uploadedShape } from '../upload-routes.ts';
import { uploadTexts } from '../upload-texts.ts';
import {
  createResumableUploadAccess,
  type ResumableUploadAccessDeps,
} from './resumable-upload-access-http.ts';
import type { UploadSender, UploadState } from './resumable-uploads.ts';
import {
  chunkType,
  isChunk,
  readChecksum,
  readOffset,
  tusChecksum,
  tusExtensions,
  tusHeaders,
  tusVersion,
} from './tus-headers.ts';
import type { Chunk } from './upload-writer.ts';

const uploadsPath = '/api/v1/uploads';

const uploadShape = v.pipe(
  v.object({
    id: v.string(),
    length: v.pipe(v.number(), v.integer(), v.description('Bytes of the file.')),
    offset: v.pipe(v.number(), v.integer(), v.description('Bytes received so far.')),
    expires_at: v.pipe(v.string(), v.isoTimestamp()),
    result: v.pipe(v.nullable(uploadedShape), v.description('The build. Null until all bytes are received.')),
  }),
  v.title('Upload'),
);

const description = (text: string) => v.optional(v.pipe(v.string(), v.description(text)));
const version = { 'tus-resumable': description(`Must be ${tusVersion}.`) };
const checksum = {
  'upload-checksum': description(`\`${tusChecksum}\`, a space and the digest of the body in Base64.`),
};
const body = { describes: { type: 'string', format: 'binary' }, mediaType: chunkType };

export function resumableUploadRoutes(deps: ResumableUploadAccessDeps): Route[] {
  const { resumableUploads } = deps;
  const { creation, known, options } = createResumableUploadAccess(deps);
  const senderOf = (
    { subject, client }: RouteContext<unknown, { actor: KeyHolder; owner: Owner }>,
    answered = Promise.resolve(),
  ): UploadSender => ({
    ...subject,
    credential: keyCredential(subject.actor, deps.now),
    app: null,
    origin: client.origin,
    answered,
  });
  const headersOf = ({ upload }: UploadState) => ({
    'Upload-Offset': String(upload.receivedBytes),
    'Upload-Expires': new Date(upload.expiresAt).toUTCString(),
    'Cache-Control': 'no-store',
  });
  const uploadJson = async ({ upload, published }: UploadState, origin: string) => ({
    id: upload.id,
    length: upload.sizeBytes,
    offset: upload.receivedBytes,
    expires_at: new Date(upload.expiresAt).toISOString(),
    result: published && (await loadUploadedJson(deps, published, origin)),
  });
  const shared = { tag: 'Builds', keyScope: 'upload', answerHeaders: tusHeaders } as const;
  const one = { ...shared, path: `${uploadsPath}/:upload`, access: known } as const;

  return [
    defineRoute({
      ...shared,
      method: 'OPTIONS',
      path: uploadsPath,
      operationId: 'getUploadOptions',
      summary: 'Get the supported version and extensions of tus',
      access: options,
      handle: async () =>
        empty(204, {
          headers: {
            'Tus-Extension': tusExtensions,
            'Tus-Max-Size': String(deps.limits.maxUploadBytes),
            'Tus-Checksum-Algorithm': tusChecksum,
          },
        }),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: uploadsPath,
      operationId: 'createUpload',
      summary: 'Begin a resumable upload',
      description:
        'tus 1.0. The body is empty, or the first part of the file. The answer has the address of the upload in Location.',
      status: 201,
      access: creation,
      streamedBody: body,
      headers: {
        ...version,
        ...checksum,
        'upload-length': description('Bytes of the file.'),
        'upload-metadata': description('filename, owner and fields of the upload form.'),
        'idempotency-key': v.optional(
          v.pipe(
            v.string(),
            v.maxLength(maxIdempotencyKeyLength),
            v.description('A repetition within 24 hours gets the same upload, and the same build.'),
          ),
        ),
      },
      answer: uploadShape,
      handle: async (context) => {
        const { subject, headers, client, body } = context;
        const isFirstChunk = isChunk(headersIn(body));
        if (!isFirstChunk && body.announcedBytes > 0) throw wrongType();
        const chunk = isFirstChunk ? chunkOf(body, headers, 0) : null;
        const refund = await deps.countUpload(subject.actor, subject.owner);
        const sender = senderOf(context, body.answered);
        const state = await refundRefused(
          () => refund,
          async () => {
            const upload = await resumableUploads.create(sender, subject);
            if (!chunk || upload.receivedBytes > 0) return resumableUploads.read(upload, sender);
            return resumableUploads.write(upload, chunk, sender).catch(async (error: unknown) => {
              // The client does not know the address. It can only begin again, unless it repeats the request with the same key.
              if (subject.idempotencyKey === null && error instanceof AppError)
                await resumableUploads.terminate(upload).catch(() => undefined);
              throw error;
            });
          },
        );
        const location = { Location: `${uploadsPath}/${state.upload.id}` };
        const value = await uploadJson(state, client.origin);
        return json(value, { headers: { ...headersOf(state), ...location } });
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      operationId: 'getUpload',
      summary: 'Get the state of a resumable upload',
      description:
        'HEAD answers with the offset alone. When all bytes are received, both answer as the last PATCH would have.',
      answer: uploadShape,
      handle: async (context) => {
        const state = await resumableUploads.read(context.subject.upload, senderOf(context));
        const headers = { ...headersOf(state), 'Upload-Length': String(state.upload.sizeBytes) };
        return json(await uploadJson(state, context.client.origin), { headers });
      },
    }),
    defineRoute({
      ...one,
      method: 'PATCH',
      operationId: 'continueUpload',
      summary: 'Send a part of a resumable upload',
      description:
        'Answers 204 with Upload-Offset. The request that completes the upload answers like the upload in one request.',
      streamedBody: body,
      headers: { ...version, ...checksum, 'upload-offset': description('Where the body continues.') },
      answer: uploadedShape,
      handle: async (context): Promise<JsonResponse<v.InferOutput<typeof uploadedShape>>> => {
        const { subject, headers, body, client } = context;
        if (!isChunk(headersIn(body))) throw wrongType();
        const chunk = chunkOf(body, headers, readOffset(headers));
        const state = await resumableUploads.write(subject.upload, chunk, senderOf(context, body.answered));
        const { published } = state;
        const head = { headers: headersOf(state) };
        if (!published) return empty(204, head) as EmptyResponse & JsonResponse<never>;
        return json(await loadUploadedJson(deps, published, client.origin), head);
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      operationId: 'terminateUpload',
      summary: 'Terminate a resumable upload',
      description: 'Removes everything received.',
      headers: version,
      handle: async ({ subject }) => {
        await resumableUploads.terminate(subject.upload);
        return empty(204);
      },
    }),
  ];
}

export const chunkOf = (stream: StreamedBody, headers: Headers, offset: number): Chunk => ({
  offset,
  checksum: readChecksum(headers),
  stream: stream.message,
  announcedBytes: stream.announcedBytes,
  accept: stream.accept,
  cut: () => invalid(httpTexts.body.cut),
});

type Headers = Parameters<typeof readOffset>[0];
const headersIn = ({ message }: StreamedBody): Headers => message.headers;
const wrongType = () =>
  new AppError('unsupported_media_type', uploadTexts.resumable.contentType({ type: chunkType }));
