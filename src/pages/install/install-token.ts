/**
 * Signed links out of a distribution page. A visitor who was let in gets one when the page is shown; iOS's installer carries
 * no cookies, so the link itself says that its holder was let in, to which build, and until when.
 */
import { randomBytes } from 'node:crypto';
import type { App } from '../../apps/app.ts';
import type { ServerSecret } from '../../core/signature.ts';
import { createTokenCodec, type TokenCodec, timeField } from '../../core/signed-token.ts';
import type { DistributionPage } from '../distribution-page.ts';

export type InstallTokenPurpose = 'manifest' | 'file' | 'icon';

/** A link on a page lives so long; the links in a manifest live so long again. */
export const installTokenLifetimeMs = 60 * 60_000;

export interface InstallVisit {
  /** Tokens with the same number are one install, however often they are used. */
  number: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/**
 * A changed passcode or kind of access voids the links that were made before. So does a new secret of the App when only members
 * have access: it is rotated when someone loses access.
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
        page.access === 'members' ? app.secret : null,
        buildId,
        number,
        timeField.read(expires),
      ]),
    expiresAt: ({ expiresAt }) => expiresAt,
  });
}
