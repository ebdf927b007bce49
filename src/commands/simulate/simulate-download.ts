/** From the address that was given to a zip file on this disk. */
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { formatBytes } from '../../core/byte-size.ts';
import { connectionFault } from '../uploader/upload-connection-faults.ts';
import { SimulateFault } from './simulate-io.ts';

export interface Download {
  address: URL;
  /** Null: none is set, or it belongs to another server. */
  apiKey: string | null;
  interrupted: AbortSignal;
  /** Milliseconds in which not a byte comes, after which it is given up. */
  idleMs?: number;
  maxBytes?: number;
}

export const maxSimulatorZipBytes = 8 * 1024 * 1024 * 1024;
const defaultIdleMs = 60_000;

/**
 * The address of the simulator build: the one given when it is a download, else the one that its page names to members in
 * a Link header (RFC 8288). Rejects with SimulateFault.
 */
export async function findSimulatorZip(download: Download): Promise<URL> {
  const { address } = download;
  if (/\/builds\/[^/]+\/simulator$/.test(address.pathname)) return address;
  const page = await ask(download, address, 'HEAD');
  if (!page.ok) throw refused(page.status, download);
  const named = simulatorLinkIn(page.headers.get('link'));
  if (named === null) {
    throw new SimulateFault(
      download.apiKey === null
        ? 'This address shows no simulator build to those who are not members.'
        : 'This address leads to no simulator build: none was uploaded with it, or you are no member.',
      download.apiKey === null ? { hint: 'Put your API key into SLIPWAY_API_KEY.' } : {},
    );
  }
  const found = new URL(named, page.url || address);
  // What a page names lies on its own server; the key must not be carried anywhere else.
  if (found.origin !== new URL(page.url || address).origin)
    throw new SimulateFault('The page names another server.');
  return found;
}

/** The target of `<…>; rel="enclosure"; title="simulator"` in a Link header. */
function simulatorLinkIn(header: string | null): string | null {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^<>]*)>([^,<]*)/g)) {
    if (/;\s*rel="?enclosure"?/i.test(parameters) && /;\s*title="?simulator"?/i.test(parameters))
      return target;
  }
  return null;
}

/** Writes the file at `address` to `path` and answers its length. Rejects with SimulateFault. */
export async function downloadTo(download: Download, address: URL, path: string): Promise<number> {
  const { idleMs = defaultIdleMs, maxBytes = maxSimulatorZipBytes } = download;
  const idle = new AbortController();
  const answer = await ask(download, address, 'GET', idle.signal);
  if (!answer.ok || !answer.body) throw refused(answer.status, download);
  let bytes = 0;
  let timer = setTimeout(() => idle.abort(), idleMs);
  const watch = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      clearTimeout(timer);
      timer = setTimeout(() => idle.abort(), idleMs);
      bytes += chunk.length;
      if (bytes > maxBytes) done(new SimulateFault(`The file is larger than ${formatBytes(maxBytes)}.`));
      else done(null, chunk);
    },
  });
  try {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    await pipeline(answer.body, watch, file, { signal: idle.signal });
    return bytes;
  } catch (error) {
    throw faultOf(error, download, address, idle.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

/** A redirect to another origin, such as an object store's, is followed without the key: so says the Fetch standard. */
async function ask(download: Download, address: URL, method: string, more?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/zip, application/json' };
  if (download.apiKey !== null && !address.searchParams.has('key'))
    headers.Authorization = `Bearer ${download.apiKey}`;
  const start = new AbortController();
  const timer = setTimeout(() => start.abort(), download.idleMs ?? defaultIdleMs);
  const signals = [download.interrupted, start.signal, ...(more ? [more] : [])];
  try {
    return await fetch(address, { method, headers, signal: AbortSignal.any(signals) });
  } catch (error) {
    throw faultOf(error, download, address, start.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

function refused(status: number, { apiKey }: Download): SimulateFault {
  if (status === 401 || status === 403 || status === 404) {
    const hint =
      apiKey === null
        ? 'Put your API key into SLIPWAY_API_KEY.'
        : 'Is the address whole, and are you a member?';
    return new SimulateFault(`The server shows nothing at this address (${status}).`, { hint });
  }
  return new SimulateFault(`The server answered ${status}.`);
}

function faultOf(error: unknown, { interrupted }: Download, address: URL, tooQuiet: boolean): SimulateFault {
  if (error instanceof SimulateFault) return error;
  if (interrupted.aborted) return new SimulateFault('Stopped.');
  if (tooQuiet) return new SimulateFault(`${address.origin} sent nothing for too long.`);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, hint } = connectionFault(cause, address, null);
  return new SimulateFault(message.replace(/^The upload to/, 'The download from'), {
    ...(hint ? { hint } : {}),
    cause,
  });
}
