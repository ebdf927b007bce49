import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { AppError, NotFound } from '../errors.ts';
import { blob, json } from '../http/routes/answer.ts';
import { type Access, defineRoute, type Route } from '../http/routes/route.ts';
import {
  type ProbeKind,
  type ProbeSigner,
  probeDownload,
  probeDownloadBytes,
  probeHeader,
  type SeenRequest,
} from './doctor-probe.ts';

export interface DoctorProbeRouteParts {
  probes: ProbeSigner;
  now: () => number;
}

interface Probe {
  /** For the answer. */
  proof: string;
  seen: SeenRequest;
}

const firstPieceSeconds = 20;

/** What the doctor asks through the public address. Without a fresh token there is nothing here, and nothing is ever kept. */
export function doctorProbeRoutes({ probes, now }: DoctorProbeRouteParts): Route[] {
  const probe = (kind: ProbeKind): Access<unknown, null, Probe> => ({
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
  const upload = {
    method: 'POST',
    csrfExempt: 'the doctor is no browser: its token is signed',
    streamedBody: { describes: { type: 'string', format: 'binary' } },
  } as const;
  const headers = { 'Cache-Control': 'no-store' };
  const early = { headers: { ...headers, Connection: 'close' } };
  return [
    defineRoute({
      method: 'GET',
      path: '/doctor/probe/reach',
      summary: 'Answer the doctor how a request looked',
      access: probe('reach'),
      handle: async ({ subject }) => json(subject, { headers }),
    }),
    defineRoute({
      method: 'GET',
      path: '/doctor/probe/download',
      summary: 'Answer the doctor with a file',
      access: probe('download'),
      handle: async ({ subject }) =>
        blob({
          open: async (range) =>
            Readable.from([probeDownload(range?.first ?? 0, range?.last ?? probeDownloadBytes - 1)]),
          sizeBytes: probeDownloadBytes,
          etag: subject.proof,
          contentType: 'application/octet-stream',
          modifiedAt: now(),
          fileName: null,
        }),
    }),
    defineRoute({
      ...upload,
      path: '/doctor/probe/head',
      summary: 'Answer the doctor before the body',
      access: probe('head'),
      handle: async ({ subject: { proof } }) => json({ proof }, early),
    }),
    defineRoute({
      ...upload,
      path: '/doctor/probe/body',
      summary: 'Answer the doctor at the first piece of the body',
      access: probe('body'),
      handle: async ({ subject: { proof }, body }) => {
        body.accept();
        await firstPiece(body.message);
        return json({ proof }, early);
      },
    }),
  ];
}

function seenRequest(request: FastifyRequest): SeenRequest {
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

async function firstPiece(message: IncomingMessage): Promise<void> {
  try {
    await once(message, 'data', { signal: AbortSignal.timeout(firstPieceSeconds * 1000) });
  } catch (cause) {
    throw new AppError('too_slow', 'the body did not come', { cause });
  }
}
