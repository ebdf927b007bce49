/** The uploader's command line, by `node:util` alone so that the single file needs nothing else. */
import { randomUUID } from 'node:crypto';
import util from 'node:util';
import { readCiFacts } from './upload-ci-facts.ts';
import { UsageFault } from './upload-fault.ts';
import type { FormField } from './upload-form.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface UploadOptions {
  file: string;
  iosSimulatorZip: string | null;
  /** Where the server's paths begin; its path ends with a slash. */
  baseUrl: URL;
  owner: string;
  /** Only those with a value, in the order of the interface. */
  fields: FormField[];
  idempotencyKey: string;
  /** Null: the key comes on standard input. */
  apiKey: string | null;
  retries: number;
  idleTimeoutMs: number;
  json: boolean;
  quiet: boolean;
  /** Null: shown on a terminal. */
  qr: boolean | null;
}

export type UploadCall = { kind: 'upload'; options: UploadOptions } | { kind: 'help' } | { kind: 'version' };

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const optionTypes = {
  owner: { ...text, short: 'o' },
  url: { ...text, short: 'u' },
  message: { ...text, short: 'm' },
  'distribution-key': text,
  'distribution-name': text,
  'release-note': text,
  'disable-notify': flag,
  'ios-simulator-zip': text,
  branch: text,
  commit: text,
  'build-url': text,
  label: text,
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

/** Throws `UsageFault` in words that name the option. */
export function readUploadOptions(argv: readonly string[], env: Env): UploadCall {
  const { values, positionals } = parse(argv);
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  const [file, ...more] = positionals;
  if (!file) throw new UsageFault('Which file? The first argument names the .ipa or .apk.');
  if (more.length > 0) throw new UsageFault(`One file at a time: ${[file, ...more].join(', ')}.`);
  if (values.qr && values['no-qr']) throw new UsageFault('--qr and --no-qr exclude each other.');
  return {
    kind: 'upload',
    options: {
      file,
      iosSimulatorZip: values['ios-simulator-zip'] || null,
      baseUrl: readBaseUrl(values.url || env.SLIPWAY_URL?.trim() || 'http://127.0.0.1:8080'),
      owner: readOwner(values.owner),
      fields: formFields(values, env),
      idempotencyKey: readIdempotencyKey(values['idempotency-key'] || randomUUID()),
      apiKey: values['api-key-stdin'] ? null : readApiKey(env.SLIPWAY_API_KEY),
      retries: readWhole('--retries', values.retries ?? '3', 0, maxRetries),
      idleTimeoutMs: readWhole('--timeout', values.timeout ?? '300', 1, maxTimeoutSeconds) * 1000,
      json: values.json ?? false,
      quiet: values.quiet ?? false,
      qr: values.qr ? true : values['no-qr'] ? false : null,
    },
  };
}

const freeTexts = new Set(['-m', '--message', '--release-note', '--label']);

/** A commit message may begin with `-`: what follows such an option is its value, whatever it looks like. */
function joinFreeTexts(argv: readonly string[]): string[] {
  const joined: string[] = [];
  const rest = argv[Symbol.iterator]();
  for (const word of rest) {
    const value = freeTexts.has(word) ? rest.next().value : undefined;
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
      // The parser's own words go on with advice about `--`; its first sentence says what is wrong.
      const [sentence = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : [];
      const hint = sentence.includes("'--api-key'")
        ? '. The key comes from SLIPWAY_API_KEY or --api-key-stdin'
        : '';
      throw new UsageFault(`${sentence}${hint}.`);
    }
  })();
  const seen = new Set<string>();
  for (const token of parsed.tokens) {
    if (token.kind !== 'option') continue;
    if (seen.has(token.name)) throw new UsageFault(`--${token.name} is given twice.`);
    seen.add(token.name);
  }
  return parsed;
}

/** An empty value on the command line says "none", and keeps what the CI service says from taking its place. */
function formFields(values: Values, env: Env): FormField[] {
  const ci = readCiFacts(env);
  const fields: Record<string, string | null | undefined> = {
    message: values.message,
    distribution_key: values['distribution-key'],
    distribution_name: values['distribution-name'],
    release_note: values['release-note'],
    disable_notify: values['disable-notify'] ? 'true' : null,
    branch: values.branch ?? ci.branch,
    commit: values.commit ?? ci.commit,
    build_url: values['build-url'] ?? ci.buildUrl,
    label: values.label,
  };
  return Object.entries(fields).flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

/** Whether there is such an owner is the server's to say; `.` and `..` would only change the address. */
function readOwner(owner: string | undefined): string {
  if (!owner) throw new UsageFault('--owner names the user or project that the app belongs to.');
  if (/^\.+$/.test(owner)) throw new UsageFault(`--owner is a name, not ${owner}`);
  return owner;
}

function readBaseUrl(address: string): URL {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw new UsageFault(`--url is an address such as https://apps.example.com, not ${address}`);
  }
  const url = new URL(address);
  if (url.username || url.password)
    throw new UsageFault('--url holds no user name or password; the API key is enough.');
  if (url.search || url.hash) throw new UsageFault(`--url ends before the ? or # in ${address}`);
  url.pathname = url.pathname.replace(/(?<!\/)\/*$/, '/');
  return url;
}

/** Throws `UsageFault`; what was given is not repeated in its words. */
export function readApiKey(given: string | undefined): string {
  const key = given?.trim();
  if (!key) throw new UsageFault('No API key: set SLIPWAY_API_KEY, or pipe it in with --api-key-stdin.');
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageFault('The API key holds a space or a character that no key has.');
  return key;
}

function readIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new UsageFault('--idempotency-key has 1 to 255 visible ASCII characters.');
}

function readWhole(option: string, given: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageFault(`${option} is a whole number from ${least} to ${most}, not ${given}`);
}
