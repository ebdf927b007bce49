/**
 * How the doctor and the server behind the public address know each other: both hold the server's secret. A token is
 * good for one kind of probe and for a minute; the answer's proof is an HMAC over the token's nonce.
 */
import { randomBytes } from 'node:crypto';
import { createSigner, type ServerSecret } from '../../core/signature.ts';

/** `reach`: who asks, as the server sees it. `head`: answered before the body. `body`: answered at its first piece. */
export type ProbeKind = 'reach' | 'head' | 'body' | 'download';

export const probeHeader = 'slipway-probe';
export const probePath = (kind: ProbeKind) => `/doctor/probe/${kind}`;
const tokenLifetimeMs = 60_000;

/** How a request looked to the server. `peer`: the other end of the connection, the proxy's where there is one between. */
export interface SeenRequest {
  scheme: string;
  host: string;
  client: string;
  peer: { address: string; port: number };
  /** Headers as they came; null when they did not. */
  forwarded: { for: string | null; proto: string | null; host: string | null };
}

export interface ProbeToken {
  text: string;
  /** Whether the answer comes from a server with the same secret. */
  isProvedBy(proof: unknown): boolean;
}

export interface ProbeSigner {
  token(kind: ProbeKind, now: number): ProbeToken;
  /** The proof for the answer; null unless the token is good for this kind and fresh. */
  prove(kind: ProbeKind, token: unknown, now: number): string | null;
}

export function createProbeSigner(secret: ServerSecret): ProbeSigner {
  const signer = createSigner(secret, 'doctor');
  const answerOf = (kind: ProbeKind, nonce: string) => `answer\0${kind}\0${nonce}`;
  const askOf = (kind: ProbeKind, head: string) => `ask\0${kind}\0${head}`;
  return {
    token: (kind, now) => {
      const nonce = randomBytes(16).toString('base64url');
      return {
        text: `${now}.${nonce}.${signer.sign(askOf(kind, `${now}.${nonce}`))}`,
        isProvedBy: (proof) => typeof proof === 'string' && signer.holds(answerOf(kind, nonce), proof),
      };
    },
    prove: (kind, token, now) => {
      if (typeof token !== 'string') return null;
      const [, madeAt, nonce = '', signature = ''] =
        /^(\d{1,15})\.([\w-]{22})\.([\w-]{43})$/.exec(token) ?? [];
      if (!signer.holds(askOf(kind, `${madeAt}.${nonce}`), signature)) return null;
      return Math.abs(now - Number(madeAt)) <= tokenLifetimeMs ? signer.sign(answerOf(kind, nonce)) : null;
    },
  };
}

/** What a `download` probe sends: bytes that tell their position, so that a wrong range shows. */
export const probeDownloadBytes = 64 * 1024;
export function probeDownload(first: number, last: number): Buffer {
  return Buffer.from(Array.from({ length: last - first + 1 }, (_, index) => ((first + index) * 31) % 251));
}
