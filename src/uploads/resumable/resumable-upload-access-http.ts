/** Access rules of resumable uploads. Everything is checked before a byte of the file is received. */
import type { FastifyRequest } from 'fastify';
import type { KeyHolder } from '../../accounts/authorization/authenticate.ts';
import type { Identify } from '../../accounts/authorization/identify-http.ts';
import type { RouteCaller } from '../../http/routes/client.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import type { Owner } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { authorizeUpload } from '../authorize-upload.ts';
import type { CountRefusedUpload } from '../count-upload.ts';
import { createUploadOwners, idempotencyKeyOf } from '../upload-access-http.ts';
import { checkFreeSpace, type UploadBodyDeps, uploadTooLarge } from '../upload-body-http.ts';
import type { ResumableUpload } from './resumable-upload.ts';
import type { ResumableUploads } from './resumable-uploads.ts';
import { checkTusVersion, readLength, readMetadata } from './tus-headers.ts';

export interface ResumableUploadAccessDeps extends UploadBodyDeps {
  identify: Identify;
  countRefusedUpload: CountRefusedUpload;
  resumableUploads: ResumableUploads;
}

type KeyCaller = { key: KeyHolder; sessionToken: null; keyScopes: KeyHolder['scopes'] };
export interface NewUpload extends Pick<ResumableUpload, 'fields' | 'sizeBytes' | 'idempotencyKey'> {
  actor: KeyHolder;
  owner: Owner;
}
export interface KnownUpload {
  actor: KeyHolder;
  owner: Owner;
  upload: ResumableUpload;
}

export function createResumableUploadAccess(deps: ResumableUploadAccessDeps) {
  const { resumableUploads, data } = deps;
  const ownerFor = createUploadOwners(deps);
  const keyed = {
    credentials: ['key'],
    identify: async (request: FastifyRequest): Promise<KeyCaller> => {
      const key = await deps.identify.requireActor(request);
      return { key, sessionToken: null, keyScopes: key.scopes };
    },
  } as const;
  const creation: Access<unknown, KeyCaller, NewUpload> = {
    ...keyed,
    roles: ['key holder'],
    others: 'forbidden',
    authorize: async ({ key }, _, request) => {
      checkTusVersion(request.headers);
      const sizeBytes = readLength(request.headers);
      const fields = readMetadata(request.headers);
      const owner = await ownerFor(key, fields.owner ?? '', request);
      if (sizeBytes > deps.limits.maxUploadBytes) throw uploadTooLarge(deps.limits);
      await checkFreeSpace(deps, sizeBytes);
      return { actor: key, owner, fields, sizeBytes, idempotencyKey: idempotencyKeyOf(request) };
    },
  };
  const known: Access<{ upload: string }, KeyCaller, KnownUpload> = {
    ...keyed,
    roles: ['developer'],
    others: 'missing',
    authorize: async ({ key }, params, request) => {
      const upload = await resumableUploads.find(key, params.upload);
      const found = await ownerQueries(data).findOwnerById(upload.ownerId);
      const owner = await authorizeUpload(data, key, found?.name ?? upload.fields.owner ?? '');
      if (request.method !== 'GET') checkTusVersion(request.headers);
      return { actor: key, owner, upload };
    },
  };
  const options: Access<unknown, RouteCaller, null> = {
    roles: ['public'],
    credentials: ['key'],
    others: 'missing',
    identify: async (request) => {
      const key = await deps.identify.actorByKey(request);
      return key && { sessionToken: null, keyScopes: key.scopes };
    },
    authorize: async () => null,
  };
  return { creation, known, options };
}
