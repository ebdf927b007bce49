/** Tokens in emails that confirm an address. A token works once, because it contains the address to replace. */
import type { ServerSecret } from '../../core/signature.ts';
import { createTokenCodec, jsonField, type TokenCodec } from '../../core/signed-token.ts';

export interface EmailChange {
  userId: string;
  /** The current address of the account; null for none. */
  from: string | null;
  to: string;
}

export type EmailChangeTokens = TokenCodec<EmailChange & { expiresAt: number }>;

export function createEmailChangeTokens(secret: ServerSecret): EmailChangeTokens {
  return createTokenCodec(secret, 'e-mail change', {
    fields: [jsonField.pattern],
    write: ({ userId, from, to, expiresAt }: EmailChange & { expiresAt: number }) => [
      jsonField.write([userId, from, to, expiresAt]),
    ],
    read: ([json]) => {
      const [userId, from, to, expiresAt] = jsonField.read(json) as [string, string | null, string, number];
      return { userId, from, to, expiresAt };
    },
    message: ([json]) => json,
    expiresAt: ({ expiresAt }) => expiresAt,
  });
}
