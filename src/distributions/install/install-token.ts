/**
 * Signed links of a distribution page, issued to admitted visitors. The iOS installer sends no cookies, so the link itself states
 * that its holder was admitted, to which build, and until when.
 */
import { randomBytes } from 'node:crypto';
import type { App } from '../../apps/app.ts';
import type { ServerSecret } from '../../core/signature.ts';
import { createTokenCodec, type TokenCodec, timeField } from '../../core/signed-token.ts';
import type { DistributionPage } from '../distribution-page.ts';

export type InstallTokenPurpose = 'manifest' | 'file' | 'icon';

/** Lifetime of a link on a page, and of each link in its manifest. */
export const installTokenLifetimeMs = 60 * 60_000;

export interface InstallVisit {
  /** Tokens with the same number count as one install, however often they are used. */
  number: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/**
 * Earlier links become invalid when the passcode or the kind of access changes. On pages for members or groups, they also do when
 * the App's secret changes, which is rotated when someone loses access.
 */
export interface InstallTokenContext {
  purpose: InstallTokenPurpose;
  page: Pick<DistributionPage, 'id' | 'accessKey' | 'access' | 'passcodeHash'>;
  app: Pick<App, 'secret'>;
  buildId: string;
}

export type InstallTokens = TokenCodec<InstallVisit, InstallTokenContext>;

export function newInstallVisit(now: number): InstallVisit {
  return { number: randomBytes(12).toString('base64url'), expiresAt: now + installTokenLifetimeMs };
}

export function createInstallTokens(secret: ServerSecret): InstallTokens {
  return createTokenCodec(secret, 'ticket', {
    fields: [timeField.pattern, /^[\w-]{16}$/],
    write: ({ number, expiresAt }: InstallVisit) => [timeField.write(expiresAt), number],
    read: ([expires, number]) => ({ number, expiresAt: timeField.read(expires) }),
    message: ([expires, number], { purpose, page, app, buildId }: InstallTokenContext) =>
      JSON.stringify([
        purpose,
        page.id,
        page.accessKey,
        page.access,
        page.passcodeHash,
        page.access === 'members' || page.access === 'groups' ? app.secret : null,
        buildId,
        number,
        timeField.read(expires),
      ]),
    expiresAt: ({ expiresAt }) => expiresAt,
  });
}
