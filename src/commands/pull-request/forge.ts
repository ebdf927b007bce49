/** The part of GitHub and GitLab that comments and commit statuses need. */
import { printable, truncate } from '../terminal-text.ts';
import { type ApiAnswer, type ApiCall, callApi } from '../uploader/api-request.ts';
import { UploadError } from '../uploader/upload-error.ts';
import type { UploadIo } from '../uploader/upload-io.ts';

export type ForgeIo = Pick<UploadIo, 'env' | 'pause' | 'version'>;

export interface Comment {
  id: string;
  body: string;
}

export interface CommitStatus {
  /** Statuses of a commit with other names stay. */
  name: string;
  state: 'pending' | 'success' | 'failed';
  description: string;
  url: string | null;
}

export interface Forge {
  /** What the forge calls a pull request. */
  noun: 'pull request' | 'merge request';
  /** The newest commit of the pull request, if known. */
  commit: string | null;
  /** The comments of the token's own account that begin with the marker, oldest first. Others could imitate it. */
  listOwn(marker: string): Promise<Comment[]>;
  create(body: string): Promise<void>;
  edit(id: string, body: string): Promise<void>;
  remove(id: string): Promise<void>;
  setStatus(status: CommitStatus): Promise<void>;
}

const maxStatusNameLength = 255;
/** Each app has its own, because one commit often makes builds for several platforms. */
export const statusNameOf = (platform: string, packageName: string) =>
  truncate(printable(`slipway/build/${platform.toLowerCase()}/${packageName}`), maxStatusNameLength);
const commentsPerPage = 100;
const maxPages = 50;
const maxWaitMs = 60_000;
const maxAttempts = 3;

export interface ForgeClient {
  call(
    path: string,
    call?: { method: string; body?: object; accepted?: readonly number[] },
  ): Promise<unknown>;
  /** Yields the items of all pages. */
  list(path: string): AsyncGenerator<unknown>;
}

/** `advice`: what to do after a refusal with this status. */
export function createForgeClient(
  io: ForgeIo,
  api: string,
  { token, headers }: { token: string; headers: Readonly<Record<string, string>> },
  advice: (status: number) => string | undefined,
): ForgeClient {
  if (!/^https?:\/\//.test(api) || !URL.canParse(api))
    throw new UploadError(`The address of the API is not valid: ${printable(api)}`);
  const base = new URL(`${api.replace(/(?<!\/)\/+$/, '')}/`);
  const send = async (path: string, method: string, body?: object): Promise<ApiAnswer> => {
    const url = new URL(path, base);
    const request: ApiCall = {
      method,
      headers: {
        ...headers,
        'User-Agent': `slipway-upload/${io.version}`,
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    };
    for (let attempt = 1; ; attempt += 1) {
      const answer = await callApi(url, request);
      const waitMs = waitBeforeRetry(answer, method, attempt);
      if (waitMs === null) return answer;
      if (attempt === maxAttempts || waitMs > maxWaitMs)
        throw new UploadError(
          `${base.origin} accepts no more requests for now (${answer.status}); it says to wait ${Math.ceil(waitMs / 1000)} s.`,
        );
      await io.pause(waitMs);
    }
  };
  const check = (answer: ApiAnswer, accepted: readonly number[]): unknown => {
    const { status, json } = answer;
    if (accepted.includes(status)) return null;
    if (status >= 200 && status < 300) {
      if (json === undefined && answer.text !== '')
        throw new UploadError(`${base.origin} answered ${status}, but not with JSON.`);
      return json;
    }
    const said = messageOf(json).replaceAll(token, '…');
    throw new UploadError(`${base.origin} answered ${status}${said ? `: ${said}` : ''}`, {
      ...(advice(status) ? { hint: advice(status) as string } : {}),
    });
  };
  return {
    call: async (path, { method, body, accepted = [] } = { method: 'GET' }) =>
      check(await send(path, method, body), accepted),
    async *list(path) {
      for (let page = 1; page <= maxPages; page += 1) {
        const items = check(await send(`${path}?per_page=${commentsPerPage}&page=${page}`, 'GET'), []);
        if (!Array.isArray(items)) throw new UploadError(`${base.origin} did not answer with a list.`);
        yield* items;
        if (items.length < commentsPerPage) return;
      }
    },
  };
}

/** Null if the answer is final. A repeated POST could have an effect twice. */
function waitBeforeRetry({ status, headers }: ApiAnswer, method: string, attempt: number): number | null {
  const after = Number(headers.get('retry-after') ?? Number.NaN);
  const isLimited = status === 403 && (headers.get('x-ratelimit-remaining') === '0' || after >= 0);
  if (status === 429 || isLimited) {
    const resetAt = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? Number.NaN);
    if (after >= 0) return after * 1000;
    return resetAt > 0 ? Math.max(resetAt * 1000 - Date.now(), 1_000) : 1_000 * 2 ** attempt;
  }
  return [502, 503, 504].includes(status) && method !== 'POST' ? 1_000 * 2 ** attempt : null;
}

function messageOf(json: unknown): string {
  const { message, error } = asRecord(json);
  const said = message ?? error;
  const text = typeof said === 'string' ? said : said === undefined ? '' : JSON.stringify(said);
  return truncate(printable(text), 300);
}

export const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
