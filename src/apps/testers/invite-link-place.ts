import type { InviteLinkPlace } from '../../accounts/invitations/invitation.ts';
import { NotFound } from '../../core/errors.ts';
import type { App } from '../app.ts';

/**
 * Returns the place that invite links of the app lead to: a User's app. Throws `NotFound` for an app of a Project, whose teams
 * decide about access.
 */
export function inviteLinkPlaceOf(app: App): Extract<InviteLinkPlace, { kind: 'app' }> {
  if (app.owner.kind !== 'user') throw new NotFound();
  const name = `${app.packageName} (${app.platform})`;
  return { kind: 'app', id: app.id, name, ownerId: app.owner.id };
}
