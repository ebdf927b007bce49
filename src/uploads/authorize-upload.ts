/** Who an upload goes to, and whether the caller may. Decided before one byte of the body is read. */
import type { Data } from '../data.ts';
import { Forbidden, NotFound } from '../errors.ts';
import type { Actor } from '../owners/actor.ts';
import type { Owner } from '../owners/owner.ts';
import { canUpload } from '../owners/permissions.ts';

/** Throws `not_found` when nobody has the name, `forbidden` when the caller may not upload there. */
export async function authorizeUpload(data: Data, actor: Actor, ownerName: string): Promise<Owner> {
  const owner = await data.owners.findOwner(ownerName);
  if (!owner) throw new NotFound(`${ownerName} is not found`);
  const teams =
    owner.kind === 'project' && actor.kind === 'user'
      ? await data.owners.teamsOf(owner.id, actor.user.id)
      : [];
  if (!canUpload(actor, owner, teams)) throw new Forbidden('application create error: permit');
  return owner;
}
