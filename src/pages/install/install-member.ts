/**
 * Names the member who opened the page in the install links of that visit, because the iOS installer sends no cookies.
 * Beside the ticket and not in it, so that a node with an earlier version accepts the ticket during an upgrade.
 */
import type { ServerSecret } from '../../core/signature.ts';
import { createTokenCodec, type TokenCodec } from '../../core/signed-token.ts';
import type { InstallVisit } from './install-token.ts';

/** The ID of the user, bound to one visit. */
export type InstallMemberTokens = TokenCodec<string, Pick<InstallVisit, 'number'>>;

export function createInstallMemberTokens(secret: ServerSecret): InstallMemberTokens {
  return createTokenCodec(secret, 'install-member', {
    fields: [/^[0-9a-z]{26}$/],
    write: (userId: string) => [userId],
    read: ([userId]) => userId,
    message: ([userId], { number }: Pick<InstallVisit, 'number'>) => JSON.stringify([userId, number]),
  });
}
