/** Tokens that browsers keep after entering the correct passcode. They are bound to one page, and invalid when the passcode changes. */
import type { ServerSecret } from '../../core/signature.ts';
import { createTokenCodec, type TokenCodec, timeField } from '../../core/signed-token.ts';
import type { DistributionPage } from '../distribution-page.ts';

const dayMs = 24 * 60 * 60_000;
export const passcodeTokenLifetimeMs = 7 * dayMs;
/** Limited to the path of its page. Outlives its token, to recognize browsers that were admitted before. */
export const passcodeCookie = {
  name: 'slipway_passcode',
  sameSite: 'lax',
  lifetimeMs: 365 * dayMs,
} as const;

export type PasscodeTokens = TokenCodec<{ expiresAt: number }, Pick<DistributionPage, 'id' | 'passcodeHash'>>;

export function createPasscodeTokens(secret: ServerSecret): PasscodeTokens {
  return createTokenCodec(secret, 'passcode', {
    fields: [timeField.pattern],
    write: ({ expiresAt }: { expiresAt: number }) => [timeField.write(expiresAt)],
    read: ([expires]) => ({ expiresAt: timeField.read(expires) }),
    message: ([expires], page: Pick<DistributionPage, 'id' | 'passcodeHash'>) =>
      JSON.stringify([page.id, page.passcodeHash, timeField.read(expires)]),
    expiresAt: ({ expiresAt }) => expiresAt,
  });
}
