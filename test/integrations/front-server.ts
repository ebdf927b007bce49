/** A proxy before a server of Slipway that loses connections and answers like an overloaded one, and exchanges ID tokens. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * `confused`: `Retry-After` is no time. `hostile`: an answer with commands to CI systems. `none` leaves a request alone, before one
 * that fails.
 */
export type Fault = 'cut' | 'busy' | 'confused' | 'hostile' | 'none';

export interface FrontServer {
  origin: string;
  /** One for each of the next requests. */
  faults: Fault[];
  /** Forms of `/oauth/token`, in order. */
  exchanges: Record<string, string>[];
  /** `Idempotency-Key` and framing of each upload. */
  uploads: { key: string; length: string | undefined }[];
  close(): Promise<void>;
}

const command = 'http://a/##[set-output name=a]b\n::error::c';
const hostileAnswer = {
  error: false,
  results: {
    revision: 1,
    revision_url: command,
    distribution: { url: command, qr_url: command },
    warnings: [command],
    install_problems: [command],
  },
};
/** What a log must not contain: a runner would execute it. */
export const commandInLog = /##\[|^\s*::/m;

/** Any ID token but `refused.id.token` is exchanged for `key`; that is refused with commands to CI systems. */
export async function startFrontServer(target: string, key: string): Promise<FrontServer> {
  const front: Omit<FrontServer, 'origin' | 'close'> = { faults: [], exchanges: [], uploads: [] };
  const server = createServer(async (incoming, answer) => {
    if (incoming.url === '/oauth/token') {
      const form = Object.fromEntries(new URLSearchParams(await text(incoming)));
      front.exchanges.push(form);
      const refused = form.subject_token === 'refused.id.token';
      const body = refused
        ? { error: 'invalid_grant', error_description: 'No publisher: ##[set-output name=a]b\n::error::c' }
        : { access_token: key, token_type: 'Bearer', expires_in: 900, scope: 'upload' };
      answer.writeHead(refused ? 400 : 200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      return;
    }
    const { 'idempotency-key': idempotencyKey, 'content-length': length } = incoming.headers;
    front.uploads.push({ key: String(idempotencyKey), length });
    const fault = front.faults.shift();
    if (fault === 'cut') {
      incoming.once('data', () => incoming.socket.destroy());
      return;
    }
    if (fault === 'busy' || fault === 'confused') {
      const retryAfter = fault === 'busy' ? '0' : '-5';
      incoming.resume().once('end', () => answer.writeHead(503, { 'Retry-After': retryAfter }).end());
      return;
    }
    if (fault === 'hostile') {
      incoming.resume().once('end', () => answer.end(JSON.stringify(hostileAnswer)));
      return;
    }
    const { method, headers, url } = incoming;
    const onward = request(new URL(url ?? '/', target), { method, headers });
    incoming.pipe(onward);
    const [inner] = await once(onward, 'response');
    answer.writeHead(inner.statusCode, inner.headers);
    inner.pipe(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...front,
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
