/** Access rule of uploads. The key is checked before the body, or if it is a form field, when it arrives. */

import type { FastifyRequest } from 'fastify';
import type { KeyHolder } from '../accounts/authorization/authenticate.ts';
import type { Identify } from '../accounts/authorization/identify-http.ts';
import { Forbidden, invalid, NotFound, unauthenticated } from '../core/errors.ts';
import type { KeyScope } from '../core/key-scope.ts';
import { recordCaller } from '../http/request-log.ts';
import { announcedBytesOf } from '../http/routes/client.ts';
import type { Access } from '../http/routes/route-facts.ts';
import type { Owner } from '../owners/owner.ts';
import type { Platform } from '../packages/package-info.ts';
import { authorizeUpload, claimOfKey } from './authorize-upload.ts';
import type { CountRefusedUpload } from './count-upload.ts';
import {
  checkAnnouncedSize,
  checkFreeSpace,
  remainingQuotaOf,
  type UploadBodyDeps,
} from './upload-body-http.ts';
import { uploadTexts } from './upload-texts.ts';

export interface Sender {
  actor: KeyHolder;
  owner: Owner;
  /** Null if the path does not contain one. */
  platform: Platform | null;
  /** Bytes left in the owner's quota. */
  remainingBytes: number;
}

/** `known` is null while the sender is unknown, until `authorizeToken` gets the key from the form. */
export type UploadSubject = { known: Sender } | { known: null; authorizeToken: AuthorizeToken };
/** `checkScopes` throws `Forbidden` if the key may not upload. */
type AuthorizeToken = (token: string, checkScopes: (scopes: readonly KeyScope[]) => void) => Promise<Sender>;
type UploadCaller = { key: KeyHolder | null; sessionToken: null; keyScopes?: readonly KeyScope[] };
export type UploadAccess = Access<{ owner: string; platform?: string }, UploadCaller, UploadSubject>;

/** Finds the owner of an upload, and counts refusals, which reveal names. */
export function createUploadOwners(
  deps: Pick<UploadBodyDeps, 'data'> & { countRefusedUpload: CountRefusedUpload },
) {
  return async (actor: KeyHolder, name: string, request: FastifyRequest) => {
    try {
      return await authorizeUpload(deps.data, actor, name);
    } catch (error) {
      const revealsName = error instanceof NotFound || error instanceof Forbidden;
      if (revealsName) await deps.countRefusedUpload(actor, request.ip);
      throw error;
    }
  };
}

export function createUploadAccess(
  deps: UploadBodyDeps & { identify: Identify; countRefusedUpload: CountRefusedUpload },
): UploadAccess {
  const { identify } = deps;
  const ownerFor = createUploadOwners(deps);
  return {
    roles: ['developer'],
    credentials: identify.acceptsFormField ? ['key', 'key in form'] : ['key'],
    others: 'forbidden',
    identify: async (request) => {
      const key = await identify.actorByKey(request);
      if (!key && !(isForm(request) && identify.acceptsFormField)) throw unauthenticated();
      return key ? { key, sessionToken: null, keyScopes: key.scopes } : { key, sessionToken: null };
    },
    authorize: async ({ key }, params, request) => {
      const owner = key && (await ownerFor(key, params.owner, request));
      // Anonymous callers must not learn which names exist.
      const platform = key && readPlatform(params.platform);
      if (!isForm(request)) throw invalid(uploadTexts.form.multipart);
      const announcedBytes = announcedBytesOf(request);
      checkAnnouncedSize(deps, announcedBytes);
      await checkFreeSpace(deps, announcedBytes);
      const admit = async (actor: KeyHolder, to: Owner, platform: Platform | null): Promise<Sender> => {
        const remainingBytes = await remainingQuotaOf(
          deps,
          { announcedBytes, idempotencyKey: claimOfKey(actor, idempotencyKeyOf(request)) },
          to,
        );
        return { actor, owner: to, platform, remainingBytes };
      };
      if (key && owner) return { known: await admit(key, owner, platform) };
      return {
        known: null,
        authorizeToken: async (token, checkScopes) => {
          const actor = await identify.actorOfFormField(request, token);
          recordCaller(request, actor.kind);
          checkScopes(actor.scopes);
          const to = await ownerFor(actor, params.owner, request);
          return admit(actor, to, readPlatform(params.platform));
        },
      };
    },
  };
}

/** Used before the headers are validated, so a malformed key counts as absent here. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  return typeof key === 'string' && key !== '' ? key : null;
}

const isForm = ({ headers }: FastifyRequest) =>
  /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');

function readPlatform(name: string | undefined): Platform | null {
  if (name === undefined) return null;
  const platform = name.toLowerCase();
  if (platform !== 'android' && platform !== 'ios') throw new NotFound(uploadTexts.form.noPlatform({ name }));
  return platform;
}
