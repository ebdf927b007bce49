/** Tokens in links that work without headers. They are bound to the App's secret. */
import type { ServerSecret } from '../../core/signature.ts';
import { type CheckedToken, createTokenCodec, noFields } from '../../core/signed-token.ts';
import type { App } from '../app.ts';

export type FileTokenPurpose = 'file' | 'icon' | 'simulator' | 'manifest';
type LinkedApp = Pick<App, 'secret' | 'secretRotations'>;

export interface FileTokens {
  /** For upload results: valid until the build is deleted or the App's secret is rotated. */
  issueLasting(purpose: FileTokenPurpose, app: LinkedApp, buildId: string): string;
  /** For pages: like `issueLasting`, but expires after `pageLinkMs`, or up to one `roundingMs` later. */
  issueForPage(purpose: FileTokenPurpose, app: LinkedApp, buildId: string): string;
  check(
    purpose: FileTokenPurpose,
    app: LinkedApp,
    buildId: string,
    token: unknown,
    /** Whether lasting links count, which admit everyone who has them. */
    acceptsLasting?: boolean,
  ): CheckedToken<unknown>['kind'];
}

/** How long the links of an open page, and resumed downloads, keep working. */
export const pageLinkMs = 24 * 60 * 60_000;
/** A page keeps the same links for an hour, so that browsers can cache icons. */
const roundingMs = 60 * 60_000;

interface LinkedFile {
  purpose: FileTokenPurpose;
  app: LinkedApp;
  buildId: string;
}

export function createFileTokens({ secret, now }: { secret: ServerSecret; now: () => number }): FileTokens {
  const lasting = createTokenCodec(secret, 'link', {
    ...noFields,
    // Links signed before the secret was part of the message keep working until the first rotation.
    message: (_fields, { purpose, app, buildId }: LinkedFile) =>
      [purpose, buildId, ...(app.secretRotations > 0 ? [app.secret] : [])].join('\0'),
  });
  const forPage = createTokenCodec(secret, 'link', {
    fields: [/^[0-9a-z]{1,8}$/],
    write: ({ expiresAt }: { expiresAt: number }) => [(expiresAt / roundingMs).toString(36)],
    read: ([hours]) => ({ expiresAt: Number.parseInt(hours, 36) * roundingMs }),
    message: ([hours], { purpose, app, buildId }: LinkedFile) =>
      ['page', purpose, buildId, app.secret, hours].join('\0'),
    expiresAt: ({ expiresAt }) => expiresAt,
  });
  return {
    issueLasting: (purpose, app, buildId) => lasting.issue(true, { purpose, app, buildId }),
    issueForPage: (purpose, app, buildId) => {
      const expiresAt = Math.ceil((now() + pageLinkMs) / roundingMs) * roundingMs;
      return forPage.issue({ expiresAt }, { purpose, app, buildId });
    },
    check: (purpose, app, buildId, token, acceptsLasting = true) => {
      const file = { purpose, app, buildId };
      const { kind } = forPage.check(token, now(), file);
      return kind === 'invalid' && acceptsLasting ? lasting.check(token, now(), file).kind : kind;
    },
  };
}
