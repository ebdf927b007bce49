/** The two operations of the public interface as a client calls them, and the required shape of every refusal. */
import { expect } from 'vitest';
import { buildApk } from './build-apk.ts';
import { type Answer, json, type RequestOptions, send } from './http-client.ts';
import { type FormPart, type MultipartOptions, multipart } from './multipart-body.ts';
import type { TestService } from './test-service.ts';

export interface UploadResult {
  name: string;
  package_name: string;
  labels: Record<string, string>;
  secret: string;
  os_name: string;
  path: string;
  revision: number;
  revision_url: string;
  version_code: string;
  version_name: string | null;
  sdk_version: string | null;
  raw_sdk_version: string | null;
  target_sdk_version: number | null;
  signature: string | null;
  message: string;
  file: string;
  file_size: number;
  md5: string;
  icon: string;
  updated_at: number;
  user: { name: string };
  warnings: string[];
  distribution?: { access_key: string; url: string; title: string; release_note: string };
}

export interface UploadOptions {
  owner?: string;
  /** The administrator's by default; null sends none. */
  key?: string | null;
  /** A small APK by default; null sends no file. */
  file?: Buffer | null;
  fields?: Record<string, string>;
  /** Replaces `file` and `fields`. */
  parts?: readonly FormPart[];
  form?: MultipartOptions;
  /** Replaces the documented address of `owner`. */
  path?: string;
  headers?: Record<string, string>;
}

type Uploads = Pick<TestService, 'port' | 'adminKey'>;

const defaultApk = buildApk();

/** The file comes first, as most uploaders send it. */
export function uploadParts(options: Pick<UploadOptions, 'file' | 'fields' | 'parts'>): readonly FormPart[] {
  if (options.parts) return options.parts;
  const file = options.file === undefined ? defaultApk : options.file;
  const fields = Object.entries(options.fields ?? {}).map(([name, value]) => ({ name, value }));
  return [...(file ? [{ name: 'file', content: file, fileName: 'app.apk' }] : []), ...fields];
}

export function bearer(key: string): { Authorization: string } {
  return { Authorization: `Bearer ${key}` };
}

export function upload(slipway: Uploads, options: UploadOptions = {}): Promise<Answer> {
  const { contentType, body } = multipart(uploadParts(options), options.form);
  const key = options.key === undefined ? slipway.adminKey : options.key;
  return send(slipway.port, options.path ?? `/api/users/${options.owner ?? 'admin'}/apps`, {
    method: 'POST',
    headers: { ...(key === null ? {} : bearer(key)), 'Content-Type': contentType, ...options.headers },
    body,
  });
}

/** Returns the `results` of an upload that must succeed. */
export async function uploaded(slipway: Uploads, options: UploadOptions = {}): Promise<UploadResult> {
  return resultsOf(await upload(slipway, options));
}

export function resultsOf(answer: Pick<Answer, 'status' | 'text'>): UploadResult {
  expect(answer.text).not.toMatch(/"error":true/);
  expect(answer.status).toBe(200);
  return json<{ results: UploadResult }>(answer).results;
}

/** Follows a redirect to the bytes of a file, as clients do, without sending the key there. */
export async function get(
  slipway: TestService,
  address: string,
  key: string | null = null,
  options: RequestOptions = {},
): Promise<Answer> {
  const path = address.startsWith('http') ? address.slice(new URL(address).origin.length) : address;
  const headers = { ...(key === null ? {} : bearer(key)), ...options.headers };
  const answer = await send(slipway.port, path, { ...options, headers });
  const elsewhere = URL.parse(answer.headers.location ?? '');
  if (answer.status !== 302 || elsewhere === null) return answer;
  const { port, pathname, search } = elsewhere;
  return send(Number(port), pathname + search, { ...options, headers: options.headers ?? {} });
}

export interface Refusal {
  error: true;
  message: string;
  because: string;
  error_type?: string;
}

/** Checks that a response has the documented error shape, and returns it. */
export function refusalOf(
  answer: Pick<Answer, 'status' | 'text'> & { headers: Record<string, string | string[] | undefined> },
  status: number,
): Refusal {
  const { headers, text } = answer;
  expect({ status: answer.status, text }).toEqual({ status, text });
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(text).not.toMatch(/[\r\n]/);
  const refusal = JSON.parse(text) as Refusal;
  expect(refusal.error).toBe(true);
  expect(refusal.message).not.toBe('');
  expect(refusal.because).toBe(refusal.message);
  expect(Object.keys(refusal)).toEqual(['error', 'message', 'because', 'error_type']);
  if (status === 401) {
    expect(refusal.message).toBe('you are not authenticated');
    expect(headers['www-authenticate']).toBe('Bearer');
  }
  return refusal;
}

/** Checks that `work` leaves files and rows unchanged. */
export async function leavesNothing<T>(slipway: TestService, work: () => Promise<T>): Promise<T> {
  const before = await slipway.leftBehind();
  const result = await work();
  expect(await slipway.leftBehind()).toEqual(before);
  return result;
}
