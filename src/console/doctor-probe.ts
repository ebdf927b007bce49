/**
 * How the doctor and the server behind the public address know each other: both hold the server's secret. A token is
 * good for one kind of probe and for a minute; the answer's proof is an HMAC over the token's nonce.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Static, Type } from 'typebox';

/** `reach`: who asks, as the server sees it. `head`: answered before the body. `body`: answered at its first piece. */
export type ProbeKind = 'reach' | 'head' | 'body' | 'download';

export const probeHeader = 'slipway-probe';
export const probePath = (kind: ProbeKind) => `/doctor/probe/${kind}`;
const tokenLifetimeMs = 60_000;

/** A header as it came; null when it did not. */
const rawHeader = Type.Union([Type.String(), Type.Null()]);

/** How a request looked to the server. `peer`: the other end of the connection, the proxy's where there is one between. */
const seenRequestSchema = Type.Object({
  scheme: Type.String(),
  host: Type.String(),
  client: Type.String(),
  peer: Type.Object({ address: Type.String(), port: Type.Number() }),
  forwarded: Type.Object({ for: rawHeader, proto: rawHeader, host: rawHeader }),
});
export type SeenRequest = Static<typeof seenRequestSchema>;

/** The answer to `reach`; the others answer the proof alone. */
export const reachAnswerSchema = Type.Object({ proof: Type.String(), seen: seenRequestSchema });

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

export function createProbeSigner(secret: string): ProbeSigner {
  const digest = (words: string) =>
    createHmac('sha256', secret).update(`slipway doctor\0${words}`).digest('base64url');
  const proofOf = (kind: ProbeKind, nonce: string) => digest(`answer\0${kind}\0${nonce}`);
  const marked = (kind: ProbeKind, head: string) => `${head}.${digest(`ask\0${kind}\0${head}`)}`;
  return {
    token: (kind, now) => {
      const nonce = randomBytes(16).toString('base64url');
      return {
        text: marked(kind, `${now}.${nonce}`),
        isProvedBy: (proof) => typeof proof === 'string' && same(proof, proofOf(kind, nonce)),
      };
    },
    prove: (kind, token, now) => {
      if (typeof token !== 'string') return null;
      const [matched, madeAt, nonce = ''] = /^(\d{1,15})\.([\w-]{22})\.[\w-]{43}$/.exec(token) ?? [];
      if (matched === undefined || !same(token, marked(kind, `${madeAt}.${nonce}`))) return null;
      return Math.abs(now - Number(madeAt)) <= tokenLifetimeMs ? proofOf(kind, nonce) : null;
    },
  };
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** What a `download` probe sends: bytes that tell their position, so that a wrong range shows. */
export const probeDownloadBytes = 64 * 1024;
export function probeDownload(first: number, last: number): Buffer {
  return Buffer.from(Array.from({ length: last - first + 1 }, (_, index) => ((first + index) * 31) % 251));
}
