/**
 * Tokens in links, cookies and forms: readable fields and a signature, joined by dots. Anyone with a token can read its fields;
 * only the server can issue one. Nothing is stored, so every node accepts tokens issued by another.
 */
import { createSigner, type ServerSecret } from './signature.ts';

const maxTokenLength = 4096;

type FieldsOf<Patterns extends readonly RegExp[]> = { readonly [Index in keyof Patterns]: string };

export type CheckedToken<Payload> =
  | { kind: 'valid'; payload: Payload }
  | { kind: 'expired' }
  | { kind: 'invalid' };

/** `context`: data that a token is bound to but does not contain, such as a page and its passcode. */
export interface TokenCodec<Payload, Context = void> {
  issue(payload: Payload, context: Context): string;
  check(token: unknown, now: number, context: Context): CheckedToken<Payload>;
  /** Returns the payload of a valid token, otherwise null. */
  read(token: unknown, now: number, context: Context): Payload | null;
  /** Like `read`, but accepts expired tokens. */
  readExpired(token: unknown, context: Context): Payload | null;
}

export interface TokenFormat<Payload, Context, Patterns extends readonly RegExp[]> {
  /** One pattern per field, which the whole field must match; fields never contain a dot. */
  fields: Patterns;
  write(payload: Payload): FieldsOf<Patterns>;
  /** Called only with fields whose signature is valid. */
  read(fields: FieldsOf<Patterns>): Payload;
  /** The signed text. It must depend on all fields and on the context. */
  message(fields: FieldsOf<Patterns>, context: Context): string;
  /** When the token expires, in epoch milliseconds. Without it, tokens never expire. */
  expiresAt?(payload: Payload): number;
}

/** A token for one purpose is never valid for another. */
export function createTokenCodec<Payload, const Patterns extends readonly RegExp[], Context = void>(
  secret: ServerSecret,
  purpose: string,
  format: TokenFormat<Payload, Context, Patterns>,
): TokenCodec<Payload, Context> {
  const signer = createSigner(secret, purpose);
  const isWellFormed = (fields: readonly string[]): fields is FieldsOf<Patterns> =>
    fields.length === format.fields.length &&
    format.fields.every((field, at) => field.test(fields[at] ?? ''));
  const codec: TokenCodec<Payload, Context> = {
    issue: (payload, context) => {
      const fields = format.write(payload);
      return [...fields, signer.sign(format.message(fields, context))].join('.');
    },
    readExpired: (token, context) => {
      if (typeof token !== 'string' || token.length > maxTokenLength) return null;
      const fields: readonly string[] = token.split('.');
      const [signed, signature] = [fields.slice(0, -1), fields.at(-1) ?? ''];
      if (!isWellFormed(signed) || !signer.verify(format.message(signed, context), signature)) return null;
      return format.read(signed);
    },
    check: (token, now, context) => {
      const payload = codec.readExpired(token, context);
      if (payload === null) return { kind: 'invalid' };
      const isExpired = format.expiresAt !== undefined && format.expiresAt(payload) <= now;
      return isExpired ? { kind: 'expired' } : { kind: 'valid', payload };
    },
    read: (token, now, context) => {
      const checked = codec.check(token, now, context);
      return checked.kind === 'valid' ? checked.payload : null;
    },
  };
  return codec;
}

/** The format of tokens that consist only of a signature over their context. */
export const noFields = { fields: [], write: (): [] => [], read: (): true => true } as const;

/** A field with JSON. */
export const jsonField = {
  pattern: /^[\w-]+$/,
  write: (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url'),
  read: (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString()),
} as const;

/** A field with epoch milliseconds, in base 36. */
export const timeField = {
  pattern: /^[0-9a-z]{1,11}$/,
  write: (time: number): string => time.toString(36),
  read: (text: string): number => Number.parseInt(text, 36),
} as const;

export interface BrowserToken {
  values: readonly string[];
  expiresAt: number;
}

/** The format of tokens that a browser sends back with a later request, bound to a cookie or session. */
export const browserTokenFormat: TokenFormat<BrowserToken, string, readonly [RegExp]> = {
  fields: [jsonField.pattern],
  write: ({ values, expiresAt }) => [jsonField.write([expiresAt, ...values])],
  read: ([json]) => {
    const [expiresAt, ...values] = jsonField.read(json) as [number, ...string[]];
    return { expiresAt, values };
  },
  message: ([json], boundTo) => `${json}\0${boundTo}`,
  expiresAt: ({ expiresAt }) => expiresAt,
};
