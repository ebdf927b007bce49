/** Requests documents from addresses that people enter, through the guard for them and without redirects. */
import type { IncomingMessage } from 'node:http';
import { type FetchBytes, FetchFailed } from '../../core/outbound/fetch-bytes.ts';
import type { Outbound } from '../../core/outbound/outbound-target.ts';
import { aborted, openOutbound } from './outbound-request.ts';

export function createFetchBytes({ findTarget, authorities }: Outbound, userAgent: string): FetchBytes {
  const fetchBytes: FetchBytes = async (address, { accept, maxBytes, signal }) => {
    const target = await findTarget(address);
    signal.throwIfAborted();
    if ('fault' in target) throw new FetchFailed(target.fault);
    const headers = { Accept: accept, 'User-Agent': userAgent };
    const request = openOutbound(target, { method: 'GET', headers, body: '' }, authorities, signal);
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request.on('error', reject).on('response', resolve).end();
      });
      if (answer.statusCode !== 200) throw new FetchFailed(`status-${answer.statusCode}`);
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of answer) {
        bytes += (chunk as Buffer).length;
        if (bytes > maxBytes) throw new FetchFailed('too-large');
        chunks.push(chunk as Buffer);
      }
      return Buffer.concat(chunks);
    } finally {
      request.destroy();
    }
  };
  return (address, request) => Promise.race([fetchBytes(address, request), aborted(request.signal)]);
}
