/** Tokens for the steps of a device registration. */
import type { ServerSecret } from '../../core/signature.ts';
import { createTokenCodec, type TokenCodec, timeField } from '../../core/signed-token.ts';
import type { DistributionPage } from '../distribution-page.ts';

/** Lifetime from the tap to the response of the device, and from there to the result page. */
export const deviceStepLifetimeMs = 15 * 60_000;

export const deviceCookie = {
  name: 'slipway_device',
  path: '/distributions',
  sameSite: 'lax',
  lifetimeMs: 365 * 24 * 60 * 60_000,
} as const;

/** A change of the passcode or kind of access invalidates registrations in progress. */
type AdmittedPage = Pick<DistributionPage, 'id' | 'access' | 'passcodeHash'>;

/** The person and browser that register a device. */
export interface Registrant {
  /** ID of the browser. */
  browser: string;
  /** The person who was signed in; null for an anonymous visitor. */
  userId: string | null;
}

type Expiring<Payload> = Payload & { expiresAt: number };

export interface DeviceTokens {
  /** Proves that its holder was admitted to the page, and contains the browser and the signed-in person. */
  challenge: TokenCodec<Expiring<Registrant>, AdmittedPage>;
  /** Identifies the device that was just registered. */
  outcome: TokenCodec<Expiring<{ deviceId: string }>, AdmittedPage>;
  /** Value of `deviceCookie`. */
  browser: TokenCodec<{ browser: string }>;
}

const identifier = /^[0-9a-z]{1,26}$/;

export function createDeviceTokens(secret: ServerSecret): DeviceTokens {
  const pageMessage = (step: string, page: AdmittedPage, fields: readonly string[]) =>
    JSON.stringify([step, page.id, page.access, page.passcodeHash, ...fields]);
  return {
    challenge: createTokenCodec(secret, 'device', {
      fields: [/^[0-9a-z]{1,26}-[0-9a-z]{0,26}$/, timeField.pattern],
      write: ({ browser, userId, expiresAt }: Expiring<Registrant>) => [
        `${browser}-${userId ?? ''}`,
        timeField.write(expiresAt),
      ],
      read: ([registrant, expires]) => {
        const [browser = '', userId = ''] = registrant.split('-');
        return { browser, userId: userId || null, expiresAt: timeField.read(expires) };
      },
      message: (fields, page: AdmittedPage) => pageMessage('challenge', page, fields),
      expiresAt: ({ expiresAt }) => expiresAt,
    }),
    outcome: createTokenCodec(secret, 'device', {
      fields: [identifier, timeField.pattern],
      write: ({ deviceId, expiresAt }: Expiring<{ deviceId: string }>) => [
        deviceId,
        timeField.write(expiresAt),
      ],
      read: ([deviceId, expires]) => ({ deviceId, expiresAt: timeField.read(expires) }),
      message: (fields, page: AdmittedPage) => pageMessage('outcome', page, fields),
      expiresAt: ({ expiresAt }) => expiresAt,
    }),
    browser: createTokenCodec(secret, 'device', {
      // The other tokens have their expiry in the second field; this one has none.
      fields: [identifier, /^$/],
      write: ({ browser }: { browser: string }) => [browser, ''],
      read: ([browser]) => ({ browser }),
      message: (fields) => JSON.stringify(['cookie', ...fields]),
    }),
  };
}
