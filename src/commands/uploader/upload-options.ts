/** The uploader's command line. Uses only `node:util`, to keep the single-file bundle free of dependencies. */

import { randomUUID } from 'node:crypto';
import util from 'node:util';
import {
  type BuildField,
  type BuildFieldName,
  type BuildFields,
  buildFieldList,
  buildFields,
  buildFieldsBy,
} from '../../apps/build-fields.ts';
import { anyPackageExtension } from '../../packages/package-extensions.ts';
import { environmentKeyFor } from '../environment-key.ts';
import { readCiFacts } from './upload-ci-facts.ts';
import { requireDecodable, UsageError } from './upload-error.ts';
import type { FormField } from './upload-form.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface UploadOptions {
  file: string;
  iosSimulatorZip: string | null;
  /** The root of the server's paths, ending with a slash. */
  baseUrl: URL;
  owner: string;
  /** Fields with a value, in the order of the API. */
  fields: FormField[];
  idempotencyKey: string;
  /** Null if the key is read from standard input. */
  apiKey: string | null;
  retries: number;
  idleTimeoutMs: number;
  json: boolean;
  quiet: boolean;
  /** Null for the default, which is to show it on a terminal. */
  qr: boolean | null;
}

export type UploadCall = { kind: 'upload'; options: UploadOptions } | { kind: 'help' } | { kind: 'version' };

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

type OptionOf<Name extends string> = Name extends `${infer A}_${infer B}` ? `${A}-${OptionOf<B>}` : Name;
type FieldOption = OptionOf<BuildFieldName>;
export const optionOf = (field: BuildField) => buildFields[field].name.replaceAll('_', '-') as FieldOption;
const fieldOptions = Object.fromEntries(buildFieldList.map((field) => [optionOf(field), text])) as Record<
  FieldOption,
  typeof text
>;

const optionTypes = {
  owner: { ...text, short: 'o' },
  url: { ...text, short: 'u' },
  message: { ...text, short: 'm' },
  'distribution-key': text,
  'distribution-name': text,
  'release-note': text,
  'disable-notify': flag,
  'ios-simulator-zip': text,
  ...fieldOptions,
  'idempotency-key': text,
  'api-key-stdin': flag,
  retries: text,
  timeout: text,
  json: flag,
  quiet: { ...flag, short: 'q' },
  qr: flag,
  'no-qr': flag,
  help: { ...flag, short: 'h' },
  version: { ...flag, short: 'V' },
} as const;

export const uploadOptionNames = Object.keys(optionTypes).map((name) => `--${name}`);

const maxRetries = 20;
const maxTimeoutSeconds = 24 * 3600;

/** Throws `UsageError` with the name of the option. */
export function readUploadOptions(argv: readonly string[], env: Env): UploadCall {
  requireDecodable(argv);
  const { values, positionals } = parse(argv);
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  const [file, ...more] = positionals;
  if (!file) throw new UsageError(`Missing file: pass the path of an ${anyPackageExtension}.`);
  if (more.length > 0) throw new UsageError(`Pass one file, not several: ${[file, ...more].join(', ')}.`);
  if (values.qr && values['no-qr']) throw new UsageError('--qr and --no-qr cannot be combined.');
  const baseUrl = readBaseUrl(values.url || env.SLIPWAY_URL?.trim() || 'http://127.0.0.1:8080');
  return {
    kind: 'upload',
    options: {
      file,
      iosSimulatorZip: values['ios-simulator-zip'] || null,
      baseUrl,
      owner: readOwner(values.owner),
      fields: formFields(values, env),
      idempotencyKey: readIdempotencyKey(values['idempotency-key'] || randomUUID()),
      apiKey: values['api-key-stdin'] ? null : keyOfEnvironment(env, baseUrl),
      retries: readInteger('--retries', values.retries ?? '3', 0, maxRetries),
      idleTimeoutMs: readInteger('--timeout', values.timeout ?? '300', 1, maxTimeoutSeconds) * 1000,
      json: values.json ?? false,
      quiet: values.quiet ?? false,
      qr: values.qr ? true : values['no-qr'] ? false : null,
    },
  };
}

const freeTextOptions = new Set(['-m', '--message', '--release-note', '--label']);

/** A commit message may begin with `-`, so the argument after such an option is always its value. */
function joinFreeTexts(argv: readonly string[]): string[] {
  const joined: string[] = [];
  const rest = argv[Symbol.iterator]();
  for (const word of rest) {
    const value = freeTextOptions.has(word) ? rest.next().value : undefined;
    const name = word === '-m' ? '--message' : word;
    joined.push(value === undefined ? word : `${name}=${value}`);
    if (word === '--') joined.push(...rest);
  }
  return joined;
}

type Values = ReturnType<typeof parse>['values'];

function parse(argv: readonly string[]) {
  const config = {
    args: joinFreeTexts(argv),
    options: optionTypes,
    allowPositionals: true,
    strict: true,
    tokens: true,
  } as const;
  const parsed = (() => {
    try {
      return util.parseArgs(config);
    } catch (error) {
      // The parser's message also contains advice about `--`; its first sentence states the error.
      const [sentence = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : [];
      const hint = sentence.includes("'--api-key'")
        ? '. The key comes from SLIPWAY_API_KEY or --api-key-stdin'
        : '';
      throw new UsageError(`${sentence}${hint}.`);
    }
  })();
  const seen = new Set<string>();
  for (const token of parsed.tokens) {
    if (token.kind !== 'option') continue;
    if (seen.has(token.name)) throw new UsageError(`--${token.name} was specified more than once.`);
    seen.add(token.name);
  }
  return parsed;
}

/** An empty value on the command line means "none", and overrides the value from the CI service. */
function formFields(values: Values, env: Env): FormField[] {
  const ci: Partial<BuildFields> = readCiFacts(env);
  const fields: Record<string, string | null | undefined> = {
    message: values.message,
    distribution_key: values['distribution-key'],
    distribution_name: values['distribution-name'],
    release_note: values['release-note'],
    disable_notify: values['disable-notify'] ? 'true' : null,
    ...buildFieldsBy('name', (field) => values[optionOf(field)] ?? ci[field]),
  };
  return Object.entries(fields).flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

/** Rejects `.` and `..`, which would change the address. The server checks everything else. */
function readOwner(owner: string | undefined): string {
  if (!owner) throw new UsageError('Missing --owner: the user or project that the app belongs to.');
  if (/^\.+$/.test(owner)) throw new UsageError(`--owner must be a name, not ${owner}`);
  return owner;
}

function readBaseUrl(address: string): URL {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw new UsageError(`--url must be an address such as https://apps.example.com, not ${address}`);
  }
  const url = new URL(address);
  if (url.username || url.password)
    throw new UsageError('--url must not contain a user name or password; use the API key.');
  if (url.search || url.hash) throw new UsageError(`--url must not contain ? or #: ${address}`);
  url.pathname = url.pathname.replace(/(?<!\/)\/*$/, '/');
  return url;
}

/** Without SLIPWAY_URL, the key belongs to the server of `--url`. Throws `UsageError`. */
function keyOfEnvironment(env: Env, { origin }: URL): string {
  const { key, refusal } = environmentKeyFor(
    { ...env, SLIPWAY_URL: env.SLIPWAY_URL?.trim() || origin },
    origin,
  );
  if (refusal !== null)
    throw new UsageError(
      `${refusal}. Set SLIPWAY_URL to that server, or pipe its key in with --api-key-stdin.`,
    );
  return readApiKey(key ?? undefined);
}

/** Throws `UsageError`, which never quotes the key. */
export function readApiKey(given: string | undefined): string {
  const key = given?.trim();
  if (!key) throw new UsageError('No API key: set SLIPWAY_API_KEY, or pipe it in with --api-key-stdin.');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('The API key contains an invalid character.');
  return key;
}

function readIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new UsageError('--idempotency-key must have 1 to 255 visible ASCII characters.');
}

function readInteger(option: string, given: string, minimum: number, limit: number): number {
  const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= minimum && value <= limit) return value;
  throw new UsageError(`${option} must be a whole number from ${minimum} to ${limit}, not ${given}`);
}
