/** The answers that handlers return; `register-routes.ts` sends them. */
import type { Readable } from 'node:stream';
import type { BlobAnswer } from '../sending/send-blob.ts';

/** A cookie to set, or to clear where `value` is null. Never readable by scripts. */
export interface CookieChange {
  name: string;
  value: string | null;
  path: string;
  sameSite: 'lax' | 'strict';
  secure: boolean;
  /** Absent: until the browser is closed. */
  maxAgeSeconds?: number;
}

interface Head {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly CookieChange[];
}

export interface HtmlAnswer extends Head {
  kind: 'html';
  html: string;
}
export interface RedirectAnswer extends Head {
  kind: 'redirect';
  /** A path on this server, or an absolute URL. */
  location: string;
}
export interface JsonAnswer<Value = unknown> extends Head {
  kind: 'json';
  value: Value;
}
export interface ContentAnswer extends Head {
  kind: 'content';
  contentType: string;
  body: string | Uint8Array | Readable;
}
/** Stored bytes, with ranges and validators. */
export interface BlobContentAnswer extends Head {
  kind: 'blob';
  blob: BlobAnswer;
}
export interface EmptyAnswer extends Head {
  kind: 'empty';
  status: 204 | 304;
}

export type Answer =
  | HtmlAnswer
  | RedirectAnswer
  | JsonAnswer
  | ContentAnswer
  | BlobContentAnswer
  | EmptyAnswer;

export const html = (text: string, head: Head = {}): HtmlAnswer => ({ kind: 'html', html: text, ...head });
/** 303: the browser follows with GET. */
export const redirect = (location: string, head: Head = {}): RedirectAnswer => ({
  kind: 'redirect',
  location,
  ...head,
});
export const json = <Value>(value: Value, head: Head = {}): JsonAnswer<Value> => ({
  kind: 'json',
  value,
  ...head,
});
export const content = (
  contentType: string,
  body: ContentAnswer['body'],
  head: Head = {},
): ContentAnswer => ({ kind: 'content', contentType, body, ...head });
export const blob = (answer: BlobAnswer, head: Head = {}): BlobContentAnswer => ({
  kind: 'blob',
  blob: answer,
  ...head,
});
export const empty = (status: EmptyAnswer['status'], head: Head = {}): EmptyAnswer => ({
  kind: 'empty',
  ...head,
  status,
});
