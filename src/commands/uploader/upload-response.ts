/** Interprets the server's answer to an upload. */
import { printable, truncate } from '../terminal-text.ts';
import { UploadError } from './upload-error.ts';
import type { UploadResponse } from './upload-file.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** In JSON with these names; as outputs of integrations with hyphens. Null if there is none. */
export interface UploadOutputs {
  build_url: string | null;
  page_url: string | null;
  qr_url: string | null;
  revision: number | null;
  size: number | null;
  size_change: number | null;
  source: object | null;
  install_problems: string[];
}

export interface UploadedApp {
  /** The server's complete answer. */
  json: JsonObject;
  /** For example `Demo 1.2 (34) for Android as revision 5`; safe to print. */
  summary: string;
  /** The address of the distribution page; without one, that of the app page. */
  pageUrl: string | null;
  warnings: string[];
  outputs: UploadOutputs;
}

/** An unsuccessful answer. `json`: the server's answer, if any. */
export class RefusedError extends UploadError {
  override name = 'RefusedError';
  readonly json: JsonObject | null;

  constructor(message: string, json: JsonObject | null, hint: string | undefined) {
    super(message, { hint });
    this.json = json;
  }
}

/** Throws `RefusedError` unless the answer is a success as defined by the API: 200, JSON, `error` false, `results`. */
export function readUploadResponse(answer: UploadResponse, baseUrl: URL): UploadedApp {
  const json = inOneShape(parseObject(answer.text));
  const results = asObject(json?.results);
  if (answer.status !== 200 || !json || json.error !== false || !results)
    throw refusal(answer, json, baseUrl);
  return {
    json,
    summary: summarize(results),
    pageUrl: pageAddress(results, baseUrl),
    outputs: readOutputs(results, baseUrl),
    warnings: Array.isArray(results.warnings) ? results.warnings.filter(isText).map(printable) : [],
  };
}

/** The API's answer to a resumable upload, as an upload in one request is answered. */
function inOneShape(json: JsonObject | null): JsonObject | null {
  const [app, build] = [asObject(json?.app), asObject(json?.build)];
  if (!json || !app || !build) return json;
  const page = asObject(json.page);
  const { url, version_name, version_code, revision, name, message, md5, signature, warnings } = build;
  return {
    error: false,
    results: {
      name,
      package_name: app.package_name,
      os_name: app.platform === 'ios' ? 'iOS' : 'Android',
      path: isText(app.url) ? new URL(app.url).pathname : null,
      revision,
      revision_url: url,
      version_code,
      version_name,
      sdk_version: build.minimum_os,
      signature,
      message,
      md5,
      warnings,
      file_size: build.size,
      updated_at: Math.floor(Date.parse(String(build.uploaded_at)) / 1000),
      user: { name: app.owner },
      size_change: json.size_change,
      install_problems: json.install_problems,
      profile_expires_at: build.profile_expires_at,
      ...('source' in build ? { source: build.source } : {}),
      ...(page ? { distribution: shortPage(page) } : {}),
    },
  };
}

const shortPage = ({ key, url, qr_url, name, release_note }: JsonObject) => ({
  access_key: key,
  url,
  qr_url,
  title: name,
  release_note,
});

function refusal(answer: UploadResponse, json: JsonObject | null, baseUrl: URL): RefusedError {
  const status = printable(`${answer.status} ${answer.statusText}`);
  const hint = statusHint(answer, json);
  if (answer.status >= 300 && answer.status < 400) {
    const target = answer.location ? ` to ${truncate(printable(answer.location), 200)}` : '';
    const words = `The server redirects${target} (${status}); uploads do not follow redirects.`;
    return new RefusedError(words, json, redirectHint(answer.location, baseUrl));
  }
  if (json && json.error === true && isText(json.message)) {
    return new RefusedError(`${printable(json.message)} (${answer.status})`, json, hint);
  }
  if (json && isText(json.detail))
    return new RefusedError(`${printable(json.detail)} (${answer.status})`, json, hint);
  const seen = truncate(printable(withoutMarkup(answer.text)), 120);
  const words = seen ? `not as a Slipway server: ${seen}` : 'with an empty body';
  return new RefusedError(`${baseUrl.origin} answered ${status}, ${words}`, json, hint);
}

function statusHint({ status }: UploadResponse, json: JsonObject | null): string | undefined {
  if (status === 401) return 'Check that SLIPWAY_API_KEY is a valid key of this server.';
  if (status === 413 && !json)
    return 'A proxy in front of the server rejects large bodies (nginx: client_max_body_size).';
  if (status === 404 && !json) return 'Check that --server is the address of a Slipway server.';
  if (status === 502 || status === 504)
    return 'A proxy answered instead of the server. Check that the server is running.';
  return undefined;
}

/** Suggests the target of the redirect, without the API path. */
function redirectHint(location: string | null, baseUrl: URL): string {
  const target = location && URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : null;
  const [, prefix] = target ? (/^(.*)\/api\/users\/[^/]+\/apps\/?$/.exec(target.pathname) ?? []) : [];
  if (!target || prefix === undefined)
    return 'Set --server or SLIPWAY_URL to the address of the Slipway server itself.';
  return `Use --server ${target.origin}${printable(prefix)}`;
}

/** Where symbol files of the build are uploaded. Throws `UploadError` if an older server does not say what it stored. */
export function symbolAddress({ json }: UploadedApp, baseUrl: URL): URL {
  const { user, os_name: system, package_name: name, revision } = asObject(json.results) ?? {};
  const owner = asObject(user)?.name;
  if (!isText(owner) || !isText(name) || typeof revision !== 'number')
    throw new UploadError('The server does not say which build it stored.');
  const platform = system === 'iOS' ? 'ios' : 'android';
  const [ownerPart, appPart] = [owner, name].map(encodeURIComponent);
  return new URL(`api/v1/apps/${ownerPart}/${platform}/${appPart}/builds/${revision}/symbols`, baseUrl);
}

function summarize(results: JsonObject): string {
  const word = (value: unknown) =>
    isText(value) || typeof value === 'number' ? printable(String(value)) : '';
  const name = word(results.name) || word(results.package_name) || 'the app';
  const version = [word(results.version_name), results.version_code ? `(${word(results.version_code)})` : ''];
  const system = word(results.os_name) && `for ${word(results.os_name)}`;
  const revision = word(results.revision) && `as revision ${word(results.revision)}`;
  return [name, ...version, system, revision].filter((each) => each !== '').join(' ');
}

function pageAddress(results: JsonObject, baseUrl: URL): string | null {
  const page = webAddress(asObject(results.distribution)?.url, baseUrl);
  if (page) return page;
  const path = results.path;
  return isText(path) && path.startsWith('/') ? webAddress(`.${path}`, baseUrl) : null;
}

function readOutputs(results: JsonObject, baseUrl: URL): UploadOutputs {
  const integer = (value: unknown) => (Number.isSafeInteger(value) ? Number(value) : null);
  const page = asObject(results.distribution);
  const problems = results.install_problems;
  return {
    build_url: webAddress(results.revision_url, baseUrl),
    page_url: webAddress(page?.url, baseUrl),
    qr_url: webAddress(page?.qr_url, baseUrl),
    revision: integer(results.revision),
    size: integer(results.file_size),
    size_change: integer(results.size_change),
    source: asObject(results.source),
    install_problems: Array.isArray(problems) ? problems.filter(isText) : [],
  };
}

function webAddress(address: unknown, baseUrl: URL): string | null {
  if (!isText(address) || !URL.canParse(address, baseUrl)) return null;
  const url = new URL(address, baseUrl);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
}

/** Returns the text of a proxy's HTML page, without its head, scripts, styles and tags. */
function withoutMarkup(text: string): string {
  return text
    .slice(0, 16_384)
    .replace(/<(head|script|style)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^<>]*>/g, ' ');
}

function parseObject(text: string): JsonObject | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
