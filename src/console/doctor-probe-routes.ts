import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { bodyHeldOpen, sendContinue } from '../http/request-body.ts';
import { sendBlob } from '../http/send-blob.ts';
import {
  type ProbeKind,
  type ProbeSigner,
  probeDownload,
  probeDownloadBytes,
  probeHeader,
  probePath,
  type SeenRequest,
} from './doctor-probe.ts';

export interface DoctorProbeRouteParts {
  probes: ProbeSigner;
  now: () => number;
}

const firstPieceSeconds = 20;
const drainSeconds = 10;

/** What the doctor asks through the public address. Without a fresh token there is nothing here, and nothing is ever kept. */
export function doctorProbeRoutes({ probes, now }: DoctorProbeRouteParts): RouteModule {
  const proofFor = (kind: ProbeKind, request: FastifyRequest): string => {
    const proof = probes.prove(kind, request.headers[probeHeader], now());
    if (proof === null) throw new NotFound();
    return proof;
  };
  return (server) => {
    server.get(probePath('reach'), async (request, reply) =>
      reply
        .header('Cache-Control', 'no-store')
        .send({ proof: proofFor('reach', request), seen: seenRequest(request) }),
    );
    server.get(probePath('download'), async (request, reply) => {
      const proof = proofFor('download', request);
      return sendBlob(request, reply, {
        open: async (range) =>
          Readable.from([probeDownload(range?.first ?? 0, range?.last ?? probeDownloadBytes - 1)]),
        sizeBytes: probeDownloadBytes,
        etag: proof,
        contentType: 'application/octet-stream',
        modifiedAt: now(),
        fileName: null,
      });
    });
    for (const kind of ['head', 'body'] as const) {
      // Judged before the body, as an upload's key is.
      const onRequest = async (request: FastifyRequest) => {
        proofFor(kind, request);
      };
      server.post(probePath(kind), { config: { readsBody: true }, onRequest }, async (request, reply) => {
        if (kind === 'body') {
          sendContinue(request, reply);
          await firstPiece(request);
        }
        return answerEarly(request, reply, JSON.stringify({ proof: proofFor(kind, request) }));
      });
    }
  };
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

async function firstPiece(request: FastifyRequest): Promise<void> {
  try {
    await once(request.raw, 'data', { signal: AbortSignal.timeout(firstPieceSeconds * 1000) });
  } catch (cause) {
    throw new AppError('too_slow', 'the body did not come', { cause });
  }
}

/** The whole answer before the body's end, which is read away for a while: cut at once, the answer would be lost with it. */
function answerEarly(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  return reply
    .type('application/json; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .header('Connection', 'close')
    .header('Content-Length', Buffer.byteLength(text))
    .send(bodyHeldOpen(text, request.raw, drainSeconds));
}
