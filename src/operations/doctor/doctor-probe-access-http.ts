/** Access rule of the doctor’s probes, which need a token signed by the doctor. */
import type { FastifyRequest } from 'fastify';
import { NotFound } from '../../core/errors.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { type ObservedRequest, type ProbeKind, type ProbeTokens, probeHeader } from './doctor-probe.ts';

export interface ProbeAccessDeps {
  probes: ProbeTokens;
  now: () => number;
}

interface Probe {
  /** The proof for the response. */
  proof: string;
  seen: ObservedRequest;
}

export function createProbeAccess({ probes, now }: ProbeAccessDeps) {
  return (kind: ProbeKind): Access<unknown, null, Probe> => ({
    roles: ['link holder'],
    credentials: ['link'],
    others: 'missing',
    identify: async () => null,
    authorize: async (_caller, _params, request) => {
      const proof = probes.prove(kind, request.headers[probeHeader], now());
      if (proof === null) throw new NotFound();
      return { proof, seen: seenRequest(request) };
    },
  });
}

function seenRequest(request: FastifyRequest): ObservedRequest {
  const header = (name: string) => request.headers[name]?.toString() ?? null;
  return {
    scheme: request.protocol,
    host: request.host,
    client: request.ip,
    peer: { address: request.socket.remoteAddress ?? '', port: request.socket.remotePort ?? 0 },
    forwarded: {
      for: header('x-forwarded-for'),
      proto: header('x-forwarded-proto'),
      host: header('x-forwarded-host'),
    },
  };
}
