/** Calls `/api/v1` of a server with the key of the signed-in person, or of CI. */
import { randomUUID } from 'node:crypto';
import { AppError, NotFound, reasonOf } from '../../core/errors.ts';
import { version } from '../../core/version.ts';
import type { CommandIo } from '../command-io.ts';
import { environmentKeyFor } from '../environment-key.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../uploader/upload-error.ts';
import { readCredentials } from './credentials-file.ts';

/** JSON objects of the API; `docs/api.md` and `/docs` of the server describe them. */
export type Resource = Readonly<Record<string, unknown>>;

export interface ApiClient {
  origin: string;
  call(method: string, path: readonly (string | number)[], body?: object): Promise<Resource>;
  /** Yields the items of a list, page by page, at most `limit`. */
  list(
    path: readonly (string | number)[],
    options?: { query?: Record<string, string | undefined>; limit?: number },
  ): Promise<Resource[]>;
}

const requestTimeoutMs = 60_000;
const itemsPerPage = 200;
/** A list is shorter, and so is an answer. */
const maxPages = 10_000;
const maxAnswerBytes = 64 * 1024 * 1024;

/** Returns the origin of an address. Throws `UsageError`. */
export function readServer(address: string): string {
  const url = URL.parse(address.includes('://') ? address : `https://${address}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new UsageError(`${address} is not the address of a server, such as https://apps.example.com`);
  return url.origin;
}

/**
 * Returns the server to use: that of `--server`, of SLIPWAY_URL with SLIPWAY_API_KEY, or the one that the person signed in to.
 * Null if there is none; commands then work on the installation of this machine. Uses the key in the environment if it is for
 * that server, otherwise the stored one.
 */
export async function findServer(io: CommandIo, server: string | undefined): Promise<ApiClient | null> {
  const { SLIPWAY_API_KEY: key, SLIPWAY_URL: url } = io.environment;
  const stored = await readCredentials(io);
  const address = server ?? (key && url) ?? stored.current;
  if (!address) return null;
  const origin = readServer(address);
  const own = environmentKeyFor(io.environment, origin);
  const token = own.key ?? stored.servers[origin]?.token;
  if (!token) {
    const reason = own.refusal === null ? '' : ` (${own.refusal})`;
    throw new UsageError(`you are not signed in to ${origin}: run slipway login --server ${origin}${reason}`);
  }
  return createApiClient(origin, token);
}

/** Like `findServer`, for commands that require a server. */
export async function requireServer(io: CommandIo, server: string | undefined): Promise<ApiClient> {
  const found = await findServer(io, server);
  if (!found) throw new UsageError('you are not signed in: run slipway login --server ADDRESS');
  return found;
}

export function createApiClient(origin: string, token: string): ApiClient {
  const send = async (method: string, target: string, body?: object) => {
    const response = await request(`${origin}${target}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'User-Agent': `slipway/${version()}`,
        ...(method === 'POST' ? { 'Idempotency-Key': randomUUID() } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status === 204) return {};
    const answer = await readJson(response);
    if (!response.ok) throw refusalOf(origin, response.status, answer);
    return answer;
  };
  const addressOf = (path: readonly (string | number)[]) =>
    `/api/v1/${path.map((part) => encodeURIComponent(String(part))).join('/')}`;
  return {
    origin,
    call: (method, path, body) => send(method, addressOf(path), method === 'POST' ? (body ?? {}) : body),
    list: async (path, { query = {}, limit = Number.POSITIVE_INFINITY } = {}) => {
      const items: Resource[] = [];
      let pages = 0;
      for (let cursor: unknown = ''; typeof cursor === 'string' && items.length < limit; ) {
        if (pages++ === maxPages) throw notSlipway(origin);
        const parameters = new URLSearchParams();
        // Short lists have neither pages nor a limit.
        if (Number.isFinite(limit))
          parameters.set('limit', String(Math.min(itemsPerPage, limit - items.length)));
        for (const [name, value] of Object.entries({ ...query, cursor: cursor || undefined }))
          if (value !== undefined) parameters.set(name, value);
        const page = await send('GET', `${addressOf(path)}?${parameters}`);
        items.push(...resourcesAt(page, 'data', origin));
        if (page.next_cursor === cursor) throw notSlipway(origin);
        cursor = page.next_cursor;
      }
      return items;
    },
  };
}

/** Throws an `AppError` that states why the server could not be reached. */
export async function request(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, {
      redirect: 'error',
      signal: AbortSignal.timeout(requestTimeoutMs),
      ...init,
    });
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new AppError('unavailable', `${new URL(address).origin} cannot be reached: ${reasonOf(cause)}`);
  }
}

/** Throws if the answer is not from Slipway, for example from a proxy. */
export async function readJson(response: Response): Promise<Resource> {
  const { origin } = new URL(response.url);
  try {
    return requireResource(JSON.parse(await readText(response)), origin);
  } catch (cause) {
    throw notSlipway(origin, response.status, cause);
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const notSlipway = (origin: string, status?: number, cause?: unknown) =>
  new AppError('invalid', `${origin} is not a Slipway server${status === undefined ? '' : ` (${status})`}`, {
    cause,
  });

function requireResource(value: unknown, origin: string): Resource {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notSlipway(origin);
  return value as Resource;
}

/** The object in an answer. Throws if there is none. */
export const resourceAt = (answer: Resource, name: string, origin: string): Resource =>
  requireResource(answer[name], origin);

/** The objects of a list in an answer. Throws if there is none. */
export function resourcesAt(answer: Resource, name: string, origin: string): Resource[] {
  const list = answer[name];
  if (!Array.isArray(list)) throw notSlipway(origin);
  return list.map((item) => requireResource(item, origin));
}

function refusalOf(origin: string, status: number, problem: Resource): AppError {
  if (status === 401)
    return new AppError('unauthenticated', `the key is not valid: run slipway login --server ${origin}`);
  const sentence = printable(String(problem.detail ?? problem.message ?? `HTTP ${status}`));
  return status === 404 ? new NotFound(sentence) : new AppError('invalid', sentence);
}
