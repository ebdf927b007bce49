/** Answers of handlers, which `register-routes.ts` sends. */
import type { Readable } from 'node:stream';
import { etagOf } from '../sending/content-coding.ts';
import type { BlobResponse } from '../sending/send-blob.ts';

/** A cookie to set, or to clear if `value` is null. Scripts can never read it. */
export interface CookieChange {
  name: string;
  value: string | null;
  path: string;
  sameSite: 'lax' | 'strict';
  secure: boolean;
  /** Absent for a cookie that lasts until the browser is closed. */
  maxAgeSeconds?: number;
}

interface Head {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly CookieChange[];
}

export interface HtmlResponse extends Head {
  kind: 'html';
  /** Renders the page. Called at most once, and not for a client that has the page of this `etag`. */
  html: () => string;
  /** Must change with all data that the page is rendered from. Without it, browsers do not store the page. */
  etag?: string;
}
export interface RedirectResponse extends Head {
  kind: 'redirect';
  /** A path on this server, or an absolute URL. */
  location: string;
}
export interface JsonResponse<Value = unknown> extends Head {
  kind: 'json';
  value: Value;
}
export interface ContentResponse extends Head {
  kind: 'content';
  contentType: string;
  body: string | Uint8Array | Readable;
}
/** Stored bytes, with ranges and validators. */
export interface BlobContentResponse extends Head {
  kind: 'blob';
  blob: BlobResponse;
  /** Set by the route layer. Rejects if the caller may not receive the rest. */
  reauthorize?: () => Promise<void>;
}
/** Server-sent events. A HEAD request opens no stream. */
export interface EventsResponse extends Head {
  kind: 'events';
  open(): Promise<Readable>;
}
export interface EmptyResponse extends Head {
  kind: 'empty';
  status: 204 | 304;
}

export type Answer =
  | HtmlResponse
  | RedirectResponse
  | JsonResponse
  | ContentResponse
  | BlobContentResponse
  | EventsResponse
  | EmptyResponse;

export const html = (text: string, head: Head = {}): HtmlResponse => ({
  kind: 'html',
  html: () => text,
  ...head,
});
/** A page that is not rendered for clients that have it already. `facts`: all data that it shows, as accepted by `JSON.stringify`. */
export const revalidatedHtml = (facts: unknown, render: () => string, head: Head = {}): HtmlResponse => ({
  kind: 'html',
  html: render,
  etag: etagOf(JSON.stringify(facts)),
  ...head,
});
/** Encodes an address for a header, because addresses may contain arbitrary text. */
export const asciiAddress = (address: string) =>
  address.replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));

/** Status 303, so that the browser follows with GET. */
export const redirect = (location: string, head: Head = {}): RedirectResponse => ({
  kind: 'redirect',
  location,
  ...head,
});
export const json = <Value>(value: Value, head: Head = {}): JsonResponse<Value> => ({
  kind: 'json',
  value,
  ...head,
});
export const content = (
  contentType: string,
  body: ContentResponse['body'],
  head: Head = {},
): ContentResponse => ({ kind: 'content', contentType, body, ...head });
export const blob = (answer: BlobResponse, head: Head = {}): BlobContentResponse => ({
  kind: 'blob',
  blob: answer,
  ...head,
});
export const events = (open: EventsResponse['open'], head: Head = {}): EventsResponse => ({
  kind: 'events',
  open,
  ...head,
});
export const empty = (status: EmptyResponse['status'], head: Head = {}): EmptyResponse => ({
  kind: 'empty',
  ...head,
  status,
});
