import type { InviteLinkPlace } from '../../accounts/invitations/invitation.ts';
import { NotFound } from '../../core/errors.ts';
import type { App } from '../app.ts';

/** The app of a User, to which a link invites. Throws `NotFound` for the app of a Project, whose teams decide who has access. */
export function inviteLinkPlaceOf(app: App): Extract<InviteLinkPlace, { kind: 'app' }> {
  if (app.owner.kind !== 'user') throw new NotFound();
  const name = `${app.packageName} (${app.platform})`;
  return { kind: 'app', id: app.id, name, ownerId: app.owner.id };
}
