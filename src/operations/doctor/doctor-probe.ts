/**
 * Proves to the doctor and to the server at the public address that the other one has the same secret. A token is valid for one
 * kind of probe and for a minute; the proof in the answer is a token bound to its nonce.
 */
import { randomBytes } from 'node:crypto';
import type { ServerSecret } from '../../core/signature.ts';
import { createTokenCodec, noFields } from '../../core/signed-token.ts';

/** `reach`: returns the sender as the server sees it. `head`: answered before the body. `body`: answered at its first chunk. */
export type ProbeKind = 'reach' | 'head' | 'body' | 'download';

export const probeHeader = 'slipway-probe';
export const probePath = (kind: ProbeKind) => `/doctor/probe/${kind}`;
const tokenLifetimeMs = 60_000;

/** A request as seen by the server. `peer`: the other end of the connection, which is the proxy if there is one. */
export interface ObservedRequest {
  scheme: string;
  host: string;
  client: string;
  peer: { address: string; port: number };
  /** Headers as received; null for missing ones. */
  forwarded: { for: string | null; proto: string | null; host: string | null };
}

export interface ProbeToken {
  text: string;
  /** Whether the answer comes from a server with the same secret. */
  isProvedBy(proof: unknown): boolean;
}

export interface ProbeTokens {
  issue(kind: ProbeKind, now: number): ProbeToken;
  /** Returns the proof for the answer; null unless the token is fresh and for this kind of probe. */
  prove(kind: ProbeKind, token: unknown, now: number): string | null;
}

interface Question {
  issuedAt: number;
  nonce: string;
}

export function createProbeTokens(secret: ServerSecret): ProbeTokens {
  const questions = createTokenCodec(secret, 'doctor', {
    fields: [/^\d{1,15}$/, /^[\w-]{22}$/],
    write: ({ issuedAt, nonce }: Question) => [String(issuedAt), nonce],
    read: ([issuedAt, nonce]) => ({ issuedAt: Number(issuedAt), nonce }),
    message: (fields, kind: ProbeKind) => `ask\0${kind}\0${fields.join('.')}`,
    // Still valid in its last millisecond.
    expiresAt: ({ issuedAt }) => issuedAt + tokenLifetimeMs + 1,
  });
  const answers = createTokenCodec(secret, 'doctor', {
    ...noFields,
    message: (_fields, { kind, nonce }: { kind: ProbeKind; nonce: string }) => `answer\0${kind}\0${nonce}`,
  });
  return {
    issue: (kind, now) => {
      const nonce = randomBytes(16).toString('base64url');
      return {
        text: questions.issue({ issuedAt: now, nonce }, kind),
        isProvedBy: (proof) => answers.read(proof, now, { kind, nonce }) !== null,
      };
    },
    prove: (kind, token, now) => {
      const question = questions.read(token, now, kind);
      // The clocks of two machines may differ by up to the lifetime of a token.
      if (question === null || question.issuedAt - now > tokenLifetimeMs) return null;
      return answers.issue(true, { kind, nonce: question.nonce });
    },
  };
}

/** Size of the response to a `download` probe: bytes that depend on their position, so that a wrong range is detected. */
export const probeDownloadBytes = 64 * 1024;
export function probeDownload(first: number, last: number): Buffer {
  return Buffer.from(Array.from({ length: last - first + 1 }, (_, index) => ((first + index) * 31) % 251));
}
