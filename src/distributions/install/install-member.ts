/** Tokens in install links that name a member, because the iOS installer sends no cookies. */
import type { ServerSecret } from '../../core/signature.ts';
import { createTokenCodec, type TokenCodec, timeField } from '../../core/signed-token.ts';
import type { InstallVisit } from './install-token.ts';

/**
 * Identify the member who opened the page, in the install links of that visit. A token contains the ID of the user and is bound
 * to one visit, whose ticket is valid without it.
 */
export type InstallMemberTokens = TokenCodec<string, Pick<InstallVisit, 'number'>>;

export function createInstallMemberTokens(secret: ServerSecret): InstallMemberTokens {
  return createTokenCodec(secret, 'install-member', {
    fields: [/^[0-9a-z]{26}$/],
    write: (userId: string) => [userId],
    read: ([userId]) => userId,
    message: ([userId], { number }: Pick<InstallVisit, 'number'>) => JSON.stringify([userId, number]),
  });
}

/** A member who installs a build without a page. `openedAt`: epoch milliseconds. */
export interface DirectInstall {
  userId: string;
  openedAt: number;
}

/** Bound to the build. Expires together with the key of the file. */
export type DirectInstallTokens = TokenCodec<DirectInstall, { buildId: string }>;

export function createDirectInstallTokens(secret: ServerSecret): DirectInstallTokens {
  return createTokenCodec(secret, 'direct-install', {
    fields: [/^[0-9a-z]{26}$/, timeField.pattern],
    write: ({ userId, openedAt }: DirectInstall) => [userId, timeField.write(openedAt)],
    read: ([userId, openedAt]) => ({ userId, openedAt: timeField.read(openedAt) }),
    message: ([userId, openedAt], { buildId }: { buildId: string }) =>
      JSON.stringify([userId, openedAt, buildId]),
  });
}
