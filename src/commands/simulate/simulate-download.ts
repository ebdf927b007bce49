/** Downloads the simulator zip of an address. */
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { formatBytes } from '../../core/byte-size.ts';
import { toConnectionError } from '../uploader/connection-error.ts';
import { SimulateError } from './simulate-io.ts';

export interface Download {
  address: URL;
  /** Null if no key is set, or it belongs to another server. */
  apiKey: string | null;
  interrupted: AbortSignal;
  /** The download fails after this many milliseconds without data. */
  idleMs?: number;
  maxBytes?: number;
}

export const maxSimulatorZipBytes = 8 * 1024 * 1024 * 1024;
const defaultIdleMs = 60_000;

/**
 * Returns the address of the simulator build: the given one if it is a download, otherwise the one in a Link header (RFC 8288),
 * which the page sends to members. Rejects with `SimulateError`.
 */
export async function findSimulatorZip(download: Download): Promise<URL> {
  const { address } = download;
  if (/\/builds\/[^/]+\/simulator$/.test(address.pathname)) return address;
  const page = await ask(download, address, 'HEAD');
  if (!page.ok) throw refused(page.status, download);
  const named = simulatorLinkIn(page.headers.get('link'));
  if (named === null) {
    throw new SimulateError(
      download.apiKey === null
        ? 'This address shows simulator builds only to members.'
        : 'This address has no simulator build: none was uploaded, or you are not a member.',
      download.apiKey === null
        ? { hint: 'Set SLIPWAY_API_KEY to your API key, and SLIPWAY_URL to its server.' }
        : {},
    );
  }
  const found = new URL(named, page.url || address);
  // A page links only to its own server; the key must not be sent anywhere else.
  if (found.origin !== new URL(page.url || address).origin)
    throw new SimulateError('The page links to another server.');
  return found;
}

/** Returns the target of `<…>; rel="enclosure"; title="simulator"` in a Link header. */
function simulatorLinkIn(header: string | null): string | null {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^<>]*)>([^,<]*)/g)) {
    if (/;\s*rel="?enclosure"?/i.test(parameters) && /;\s*title="?simulator"?/i.test(parameters))
      return target;
  }
  return null;
}

/** Writes the file at `address` to `path` and returns its length. Rejects with `SimulateError`. */
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
      if (bytes > maxBytes) done(new SimulateError(`The file is larger than ${formatBytes(maxBytes)}.`));
      else done(null, chunk);
    },
  });
  try {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    await pipeline(answer.body, watch, file, { signal: idle.signal });
    return bytes;
  } catch (error) {
    throw toSimulateError(error, download, address, idle.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * As in the Fetch standard, a redirect to another origin, such as an object store, is followed without the key. The same applies
 * to a link on a page that was reached by a redirect.
 */
async function ask(download: Download, address: URL, method: string, more?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/zip, application/json' };
  const isOwn = address.origin === download.address.origin;
  if (download.apiKey !== null && isOwn && !address.searchParams.has('key'))
    headers.Authorization = `Bearer ${download.apiKey}`;
  const start = new AbortController();
  const timer = setTimeout(() => start.abort(), download.idleMs ?? defaultIdleMs);
  const signals = [download.interrupted, start.signal, ...(more ? [more] : [])];
  try {
    return await fetch(address, { method, headers, signal: AbortSignal.any(signals) });
  } catch (error) {
    throw toSimulateError(error, download, address, start.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

function refused(status: number, { apiKey }: Download): SimulateError {
  if (status === 401 || status === 403 || status === 404) {
    const hint =
      apiKey === null
        ? 'Set SLIPWAY_API_KEY to your API key, and SLIPWAY_URL to its server.'
        : 'Check that the address is complete and that you are a member.';
    return new SimulateError(`The server has no build at this address (${status}).`, { hint });
  }
  return new SimulateError(`The server answered ${status}.`);
}

function toSimulateError(
  error: unknown,
  { interrupted }: Download,
  address: URL,
  timedOut: boolean,
): SimulateError {
  if (error instanceof SimulateError) return error;
  if (interrupted.aborted) return new SimulateError('Stopped.');
  if (timedOut) return new SimulateError(`${address.origin} stopped sending data.`);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, hint } = toConnectionError(cause, address, null);
  return new SimulateError(message.replace(/^The upload to/, 'The download from'), {
    ...(hint ? { hint } : {}),
    cause,
  });
}
