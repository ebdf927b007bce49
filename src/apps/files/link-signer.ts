/** Keys in links that work without headers: HMAC-SHA-256 with the server's secret, bound to the App's secret. */
import { createSigner, type ServerSecret } from '../../core/signature.ts';
import type { App } from '../app.ts';

export type LinkPurpose = 'file' | 'icon' | 'simulator';
export type LinkCheck = 'valid' | 'expired' | 'wrong';
type LinkedApp = Pick<App, 'secret' | 'secretRotations'>;

export interface LinkSigner {
  /** For answers of uploads: lasts until the build is deleted or the App's secret rotated. */
  signLasting(purpose: LinkPurpose, app: LinkedApp, buildId: string): string;
  /** For pages: voided by the same, and expires after `pageLinkMs`, at most one `roundingMs` later. */
  signForPage(purpose: LinkPurpose, app: LinkedApp, buildId: string): string;
  check(purpose: LinkPurpose, app: LinkedApp, buildId: string, key: unknown): LinkCheck;
}

/** How long a page may stay open, and a download be resumed. */
export const pageLinkMs = 24 * 60 * 60_000;
/** A page has the same links for an hour, so that browsers find icons in their cache. */
const roundingMs = 60 * 60_000;

export function createLinkSigner({ secret, now }: { secret: ServerSecret; now: () => number }): LinkSigner {
  const signer = createSigner(secret, 'link');
  // Links signed before secrets were part of them keep working until the first rotation.
  const lasting = (purpose: LinkPurpose, app: LinkedApp, buildId: string) =>
    [purpose, buildId, ...(app.secretRotations > 0 ? [app.secret] : [])].join('\0');
  const forPage = (purpose: LinkPurpose, app: LinkedApp, buildId: string, expires: string) =>
    ['page', purpose, buildId, app.secret, expires].join('\0');
  return {
    signLasting: (purpose, app, buildId) => signer.sign(lasting(purpose, app, buildId)),
    signForPage: (purpose, app, buildId) => {
      const expires = Math.ceil((now() + pageLinkMs) / roundingMs).toString(36);
      return `${expires}.${signer.sign(forPage(purpose, app, buildId, expires))}`;
    },
    check: (purpose, app, buildId, key) => {
      const [, expires, signature] =
        typeof key === 'string' ? (/^(?:([0-9a-z]{1,8})\.)?([\w-]{43})$/.exec(key) ?? []) : [];
      if (signature === undefined) return 'wrong';
      if (expires === undefined)
        return signer.holds(lasting(purpose, app, buildId), signature) ? 'valid' : 'wrong';
      if (!signer.holds(forPage(purpose, app, buildId, expires), signature)) return 'wrong';
      return Number.parseInt(expires, 36) * roundingMs > now() ? 'valid' : 'expired';
    },
  };
}
