/**
 * Signed links out of a distribution page. Whoever was let in gets one when the page is shown; iOS's installer carries
 * no cookies, so the link itself says that its holder was let in, to which build, and until when.
 */
import { randomBytes } from 'node:crypto';
import type { App } from '../../apps/app.ts';
import { createSigner, type ServerSecret } from '../../core/signature.ts';
import type { DistributionPage } from '../distribution-page.ts';

export type TicketPurpose = 'manifest' | 'file' | 'icon';

/** A link on a page lives so long; the manifest hands out links that live so long again. */
export const ticketLifetimeMs = 60 * 60_000;

export interface Ticket {
  /** One a visit: what starts with the same number is one install, however often it is asked for. */
  number: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export type TicketCheck = { kind: 'valid'; ticket: Ticket } | { kind: 'late' } | { kind: 'wrong' };

export interface TicketSigner {
  sign(purpose: TicketPurpose, page: TicketedPage, buildId: string, ticket: Ticket): string;
  check(purpose: TicketPurpose, page: TicketedPage, buildId: string, text: unknown, now: number): TicketCheck;
}

/**
 * A changed passcode or kind of access voids the links that were made before. So does a new secret of the App when only members
 * have access: it is rotated when someone loses access.
 */
interface TicketedPage extends Pick<DistributionPage, 'id' | 'accessKey' | 'access' | 'passcodeHash'> {
  appSecret: string;
}

export const ticketedPage = (page: DistributionPage, { secret }: Pick<App, 'secret'>) => ({
  ...page,
  appSecret: secret,
});

export function newTicket(now: number): Ticket {
  return { number: randomBytes(12).toString('base64url'), expiresAt: now + ticketLifetimeMs };
}

export function createTicketSigner(secret: ServerSecret): TicketSigner {
  const signer = createSigner(secret, 'ticket');
  const wordsOf = (purpose: TicketPurpose, page: TicketedPage, buildId: string, ticket: Ticket) =>
    JSON.stringify([
      purpose,
      page.id,
      page.accessKey,
      page.access,
      page.passcodeHash,
      page.access === 'members' ? page.appSecret : null,
      buildId,
      ticket.number,
      ticket.expiresAt,
    ]);
  return {
    sign: (purpose, page, buildId, ticket) =>
      [
        ticket.expiresAt.toString(36),
        ticket.number,
        signer.sign(wordsOf(purpose, page, buildId, ticket)),
      ].join('.'),
    check: (purpose, page, buildId, text, now) => {
      const [, expires, number, signature] =
        typeof text === 'string' ? (/^([0-9a-z]{1,11})\.([\w-]{16})\.([\w-]{43})$/.exec(text) ?? []) : [];
      if (!expires || !number || !signature) return { kind: 'wrong' };
      const ticket = { number, expiresAt: Number.parseInt(expires, 36) };
      if (!signer.holds(wordsOf(purpose, page, buildId, ticket), signature)) return { kind: 'wrong' };
      return ticket.expiresAt > now ? { kind: 'valid', ticket } : { kind: 'late' };
    },
  };
}
