import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { AppError } from '../../core/errors.ts';
import { blob, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { probeDownload, probeDownloadBytes } from './doctor-probe.ts';
import { createProbeAccess, type ProbeAccessDeps } from './doctor-probe-access-http.ts';

const firstChunkTimeoutSeconds = 20;

/** Routes for the doctor’s probes through the public address. Without a fresh token they are not found, and they store nothing. */
export function doctorProbeRoutes(deps: ProbeAccessDeps): Route[] {
  const probe = createProbeAccess(deps);
  const upload = {
    method: 'POST',
    csrfExempt: 'the doctor is not a browser, and its token is signed',
    streamedBody: { describes: { type: 'string', format: 'binary' } },
  } as const;
  const headers = { 'Cache-Control': 'no-store' };
  const early = { headers: { ...headers, Connection: 'close' } };
  return [
    defineRoute({
      method: 'GET',
      path: '/doctor/probe/reach',
      summary: 'Show the doctor how its request arrived',
      access: probe('reach'),
      handle: async ({ subject }) => json(subject, { headers }),
    }),
    defineRoute({
      method: 'GET',
      path: '/doctor/probe/download',
      summary: 'Send the doctor a test file',
      access: probe('download'),
      handle: async ({ subject }) =>
        blob({
          open: async (range) =>
            Readable.from([probeDownload(range?.first ?? 0, range?.last ?? probeDownloadBytes - 1)]),
          sizeBytes: probeDownloadBytes,
          etag: subject.proof,
          contentType: 'application/octet-stream',
          modifiedAt: deps.now(),
          fileName: null,
        }),
    }),
    defineRoute({
      ...upload,
      path: '/doctor/probe/head',
      summary: 'Answer the doctor before reading the body',
      access: probe('head'),
      handle: async ({ subject: { proof } }) => json({ proof }, early),
    }),
    defineRoute({
      ...upload,
      path: '/doctor/probe/body',
      summary: 'Answer the doctor after the first bytes of the body',
      access: probe('body'),
      handle: async ({ subject: { proof }, body }) => {
        body.accept();
        await waitForFirstChunk(body.message);
        return json({ proof }, early);
      },
    }),
  ];
}

async function waitForFirstChunk(message: IncomingMessage): Promise<void> {
  try {
    await once(message, 'data', { signal: AbortSignal.timeout(firstChunkTimeoutSeconds * 1000) });
  } catch (cause) {
    throw new AppError('too_slow', 'the body did not arrive', { cause });
  }
}
