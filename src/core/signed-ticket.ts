/**
 * What a browser carries from one request to the next, so that any node can take it: base64url of JSON, a dot, and a
 * signature. Whoever has one can read it, and nobody can make one.
 */
import { createSigner, type ServerSecret } from './signature.ts';

const maxTicketLength = 2048;

export interface Tickets {
  /** `boundTo`: what the browser shows besides the ticket, a cookie or a session. */
  sign(fields: readonly string[], boundTo: string, expiresAt: number): string;
  /** The fields; null for what was not signed here or for another browser, and for what has run out. */
  read(ticket: string, boundTo: string, now: number): readonly string[] | null;
}

/** Tickets for one purpose are good for no other. */
export function createTickets(secret: ServerSecret, purpose: string): Tickets {
  const signer = createSigner(secret, purpose);
  return {
    sign: (fields, boundTo, expiresAt) => {
      const text = Buffer.from(JSON.stringify([expiresAt, ...fields])).toString('base64url');
      return `${text}.${signer.sign(`${text}\0${boundTo}`)}`;
    },
    read: (ticket, boundTo, now) => {
      if (ticket.length > maxTicketLength) return null;
      const [text = '', signature = '', ...more] = ticket.split('.');
      if (more.length > 0 || !signer.holds(`${text}\0${boundTo}`, signature)) return null;
      const [expiresAt, ...fields] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [
        number,
        ...string[],
      ];
      return expiresAt > now ? fields : null;
    },
  };
}
