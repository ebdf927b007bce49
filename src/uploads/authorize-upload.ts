/** Finds the owner of an upload and checks permission, before any byte of the body is read. */

import { actorOfKey, actorOfSession, type KeyHolder } from '../accounts/authorization/authenticate.ts';
import { isUsable } from '../accounts/keys/api-key.ts';
import { keyQueries } from '../accounts/keys/key-queries.ts';
import { hashSessionToken } from '../accounts/sessions/session.ts';
import { sessionQueries } from '../accounts/sessions/session-queries.ts';
import { requireTrusted } from '../accounts/trusted-publishing/trusted-only.ts';
import { Forbidden, NotFound, unauthenticated } from '../core/errors.ts';
import type { Connection } from '../db/data.ts';
import { type Actor, type Credential, coversApp, type RestrictedApp } from '../owners/actor.ts';
import type { Owner, User } from '../owners/owner.ts';
import { loadPermissions } from '../owners/owner-permissions.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import type { UploadClaim } from './idempotency-queries.ts';
import { uploadTexts } from './upload-texts.ts';

export const claimOfKey = ({ keyId }: Pick<KeyHolder, 'keyId'>, key: string | null): UploadClaim | null =>
  key === null ? null : { credential: `key:${keyId}`, key };

export const claimOfSession = (
  { sessionToken }: { sessionToken: string },
  key: string | null,
): UploadClaim | null =>
  key === null ? null : { credential: `session:${hashSessionToken(sessionToken)}`, key };

const notPermitted = () => new Forbidden(uploadTexts.form.permit);

/** Throws `not_found` for an unknown owner, and `forbidden` without permission to upload, or if only trusted publishers may. */
export async function authorizeUpload(data: Connection, actor: Actor, ownerName: string): Promise<Owner> {
  const owner = await ownerQueries(data).findOwner(ownerName);
  if (!owner) throw new NotFound(uploadTexts.form.ownerUnknown({ owner: ownerName }));
  if (!(await loadPermissions(data, actor, owner)).uploads) throw notPermitted();
  await requireTrusted(data, actor, owner, null);
  return owner;
}

/**
 * Checks permission again when the build is published, possibly hours later, because the key may have been revoked or the person
 * removed. Throws `unauthenticated`, `NotFound` or `Forbidden`.
 */
export type RecheckPermission = (tx: Connection, app: RestrictedApp) => Promise<void>;

export function recheckKey(
  { keyHash, credential }: KeyHolder,
  owner: Owner,
  now: () => number,
): RecheckPermission {
  return async (tx, app) => {
    const known = await keyQueries(tx).lockKey(keyHash, now());
    if (!known || !isUsable(known, now())) throw unauthenticated();
    await authorizeUpload(tx, actorOfKey(known, credential?.address ?? '', now()), owner.name);
    if (!coversApp(known.actor, app)) throw notPermitted();
  };
}

/** A person with a session. */
interface SessionHolder {
  actor: { user: User; credential?: Credential };
  sessionToken: string;
}

/** What sends an upload in several requests. */
export interface UploadCredential {
  /** ID of the key, or of the person with a session. */
  id: string;
  /** `begunBy`: the credential that began the upload. */
  claim(idempotencyKey: string | null, begunBy: string): UploadClaim | null;
  recheck(owner: Owner): RecheckPermission;
}

export const keyCredential = (key: KeyHolder, now: () => number): UploadCredential => ({
  id: key.keyId,
  claim: (idempotencyKey, keyId) => claimOfKey({ keyId }, idempotencyKey),
  recheck: (owner) => recheckKey(key, owner, now),
});

export const sessionCredential = (person: SessionHolder, now: () => number): UploadCredential => ({
  id: person.actor.user.id,
  claim: (idempotencyKey) => claimOfSession(person, idempotencyKey),
  recheck: (owner) => recheckSession(person, owner, now),
});

export function recheckSession(
  { actor: { credential }, sessionToken }: SessionHolder,
  owner: Owner,
  now: () => number,
): RecheckPermission {
  return async (tx) => {
    const session = await sessionQueries(tx).findSession(hashSessionToken(sessionToken), now());
    if (!session) throw unauthenticated();
    const actor = actorOfSession(session, credential?.address ?? '', now());
    await authorizeUpload(tx, actor, owner.name).catch((error: unknown) => {
      // This message is shown to a person.
      if (error instanceof Forbidden) throw new Forbidden(uploadTexts.form.noLonger({ owner: owner.name }));
      throw error;
    });
  };
}
