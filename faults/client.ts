/** A client of the API and the pages, which records the responses it received and missed. */
import { createHash } from 'node:crypto';
import { fetchedSessionCookie, fetchSignIn } from '../test/support/fetch-sign-in.ts';
import { formBody } from '../test/support/form-body.ts';
import { formOf, type PageForm } from '../test/support/page-forms.ts';
import { adminKey, adminPassword } from './ground.ts';
import type { Ledger } from './ledger.ts';

export interface UploadResponse {
  id: string;
  revision: number;
  file: string;
  page: string | null;
}

/** Null: no response, or only a part of one. */
export type Told = { status: number; location: string; text: string; retryAfter?: string | null } | null;

export interface UploadOrder {
  packageName: string;
  bytes: Buffer;
  /** Defaults to the administrator. */
  owner?: string;
  fields?: Record<string, string>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Expected statuses during this fault: the upload was refused, and must have left nothing. */
  mayBeRefused?: (status: number, retryAfter: string | null) => boolean;
}

export const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export async function ask(address: string, options: RequestInit = {}): Promise<Told> {
  try {
    const answer = await fetch(address, { redirect: 'manual', ...options });
    const text = await answer.text();
    const { status, headers } = answer;
    return { status, location: headers.get('location') ?? '', text, retryAfter: headers.get('retry-after') };
  } catch (error) {
    // Errors of fetch when a connection ends, is refused or aborted; anything else is a bug here.
    if (error instanceof TypeError || error instanceof DOMException) return null;
    throw error;
  }
}

/** Uploads and records the result; null when it was not acknowledged. */
export async function upload(
  origin: string,
  ledger: Ledger,
  order: UploadOrder,
): Promise<UploadResponse | null> {
  const { packageName, bytes, fields = {}, owner = 'admin', mayBeRefused, signal } = order;
  const sha256 = hashOf(bytes);
  ledger.sent.set(sha256, packageName);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new File([new Uint8Array(bytes)], 'app.apk'));
  const told = await ask(`${origin}/api/users/${owner}/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, ...order.headers },
    body: form,
    signal,
  });
  return noteUpload(ledger, { packageName, owner, sha256, mayBeRefused }, told);
}

interface Sent extends Pick<UploadOrder, 'packageName' | 'owner' | 'mayBeRefused'> {
  sha256: string;
}

export function noteUpload(ledger: Ledger, sent: Sent, told: Told): UploadResponse | null {
  const { packageName, owner = 'admin', sha256, mayBeRefused = () => false } = sent;
  if (told === null) {
    ledger.counts.unanswered += 1;
    return null;
  }
  if (told.status !== 200) {
    ledger.counts.refused += 1;
    if (!mayBeRefused(told.status, told.retryAfter ?? null)) {
      ledger.wrongAnswers.push(`an upload got ${told.status}: ${told.text.slice(0, 300)}`);
    }
    return null;
  }
  const { results } = JSON.parse(told.text) as {
    results: { revision: number; file: string; distribution?: { access_key: string } };
  };
  const { pathname, search } = new URL(results.file);
  const answer = {
    id: pathname.split('/')[2] ?? '',
    revision: results.revision,
    file: pathname + search,
    page: results.distribution?.access_key ?? null,
  };
  const { revision, file, page } = answer;
  ledger.counts.acknowledged += 1;
  ledger.builds.set(answer.id, {
    owner,
    packageName,
    revision,
    sha256,
    file,
    page,
    allowed: ['present'],
    expired: false,
  });
  return answer;
}

/** Deletes a build as the administrator. Returns whether that was acknowledged; then it must be hidden. */
export async function deleteBuild(
  origin: string,
  ledger: Ledger,
  id: string,
  mayBeRefused: NonNullable<UploadOrder['mayBeRefused']>,
): Promise<boolean> {
  const build = ledger.builds.get(id);
  const pages = pagesOf(origin, ledger.cookies[0] ?? '');
  const csrf = await pages.csrf();
  if (!build || !csrf) return false;
  build.allowed = ['present', 'hidden'];
  const path = `/users/${build.owner}/platforms/android/apps/${build.packageName}/binaries/delete`;
  const told = await pages.post(path, { csrf, revision: String(build.revision) });
  if (told?.status === 303) build.allowed = ['hidden'];
  else if (told && !mayBeRefused(told.status, told.retryAfter ?? null))
    // The reason is below the navigation of the page.
    ledger.wrongAnswers.push(`a deletion got ${told.status}: ${told.text.slice(-3000)}`);
  return told?.status === 303;
}

/** Signs in, as the administrator by default; null without a response, or when it was refused. */
export async function signIn(
  origin: string,
  ledger: Ledger,
  { login = 'admin', mayBeRefused = () => false }: SignInOrder = {},
): Promise<string | null> {
  try {
    const answer = await fetchSignIn(origin, login, adminPassword);
    const cookie = fetchedSessionCookie(answer);
    if (answer.status !== 303 || !cookie) {
      if (!mayBeRefused(answer.status, answer.headers.get('retry-after')))
        ledger.wrongAnswers.push(`sign-in got ${answer.status}: ${(await answer.text()).slice(-1000)}`);
      return null;
    }
    ledger.cookies.push(cookie);
    return cookie;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

type SignInOrder = { login?: string } & Pick<UploadOrder, 'mayBeRefused'>;

export interface Pages {
  /** Null without a response. */
  open(path: string): Promise<Told>;
  post(path: string, fields: Record<string, string | readonly string[]>): Promise<Told>;
  /** The form of a page that asks for `act`; null when the page did not come. */
  form(path: string, act: string): Promise<PageForm | null>;
  /** The CSRF token of this session. */
  csrf(): Promise<string | null>;
}

export function pagesOf(origin: string, cookie: string): Pages {
  const headers = { cookie, accept: 'text/html' };
  const open = (path: string) => ask(`${origin}${path}`, { headers });
  return {
    open,
    post: (path, fields) => ask(`${origin}${path}`, { method: 'POST', headers, body: formBody(fields) }),
    form: async (path, act) => {
      const page = await open(path);
      return page?.status === 200 ? formOf(page.text, act) : null;
    },
    csrf: async () => {
      const page = await open('/docs');
      return (page && /name="csrf" value="([^"]+)"/.exec(page.text)?.[1]) ?? null;
    },
  };
}
