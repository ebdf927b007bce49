/** Actions on a person's invitations page. */
import { createPersonalInvitations } from '../../src/accounts/invitations/invite-user.ts';
import type { TestService } from './test-service.ts';

/** Accepts everything that the user, by name or email address, is invited to; returns the number. */
export async function acceptInvitations(slipway: TestService, login: string, now: () => number) {
  const user = (await slipway.data.owners.findUserForSignIn(login.trim()))?.user;
  if (!user) return 0;
  const open = await slipway.data.invitations.listOfUser(user.id, now(), 100);
  const { accept } = createPersonalInvitations({ data: slipway.data, now });
  for (const { id } of open) await accept(user, id);
  return open.length;
}
