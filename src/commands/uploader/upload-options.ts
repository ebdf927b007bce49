/** The uploader's command line. Uses only `node:util`, to keep the single-file bundle free of dependencies. */

import { randomUUID } from 'node:crypto';
import util from 'node:util';
import { type BuildFields, buildFieldsBy } from '../../apps/build-fields.ts';
import { readByteSize } from '../../core/byte-size.ts';
import { type CheckName, checkNames } from '../../insight/checks/check-result.ts';
import { anyPackageExtension } from '../../packages/package-extensions.ts';
import { environmentKeyFor } from '../environment-key.ts';
import { findIdTokens } from './id-token.ts';
import { readCiFacts } from './upload-ci-facts.ts';
import { requireDecodable, UsageError } from './upload-error.ts';
import type { FormField } from './upload-form.ts';
import {
  environmentName,
  failConditions,
  type InputName,
  optionOf,
  optionSpellings,
  uploadInputs,
} from './upload-inputs.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface UploadOptions {
  file: string;
  iosSimulatorZip: string | null;
  /** Path of a Sigstore bundle. */
  attestation: string | null;
  /** Paths of symbol files. */
  symbols: string[];
  /** The root of the server's paths, ending with a slash. */
  baseUrl: URL;
  owner: string;
  /** Fields with a value, in the order of the API. */
  fields: FormField[];
  idempotencyKey: string;
  /** Whether the key was given, so that another run can continue with it. */
  canContinueLater: boolean;
  key: KeySource;
  comment: boolean;
  /** Whether to set a commit status. */
  status: boolean;
  /** Undefined for that of the CI service. */
  pullRequest: string | undefined;
  failOn: FailCondition[];
  /** Null for the default. */
  retries: number | null;
  idleTimeoutMs: number;
  /** How long to wait for the checks of the server. */
  checksTimeoutMs: number;
  json: boolean;
  quiet: boolean;
  /** Null for the default, which is to show it on a terminal. */
  qr: boolean | null;
}

/** `none`: there is no key; the upload is then `--trusted` or uses a stored login. */
export type KeySource = { kind: 'stdin' | 'trusted' | 'none' } | { kind: 'given'; key: string };

/** What makes the program exit with 3 although the build was uploaded. */
export type FailCondition =
  | { name: 'install' }
  | { name: 'growth'; most: string; percent: number | null; bytes: number | null }
  | { name: 'checks'; check: CheckName };

export type UploadCall = { kind: 'upload'; options: UploadOptions } | { kind: 'help' } | { kind: 'version' };

const maxRetries = 20;
const maxTimeoutSeconds = 24 * 3600;

/** Throws `UsageError` with the name of the option. `signedIn`: the server of a stored login. */
export function readUploadOptions(argv: readonly string[], env: Env, signedIn?: string | null): UploadCall {
  requireDecodable(argv);
  const given = parse(argv, env);
  if (given.flag('help')) return { kind: 'help' };
  if (given.flag('version')) return { kind: 'version' };
  const file = given.text('file');
  if (!file) throw new UsageError(`Missing file: pass the path of an ${anyPackageExtension}.`);
  const connection = readConnection(
    {
      server: given.option('server') || undefined,
      owner: given.text('owner'),
      'key-stdin': given.flag('key-stdin') ?? false,
      trusted: given.flag('trusted') ?? false,
    },
    env,
    signedIn,
  );
  return {
    kind: 'upload',
    options: {
      file,
      iosSimulatorZip: given.text('ios-simulator-zip') || null,
      attestation: given.text('attestation') || null,
      symbols: (given.text('symbols') ?? '').split(',').flatMap((path) => path.trim() || []),
      ...connection,
      fields: formFields(given, usesIdToken(connection.key, env) ? {} : readCiFacts(env)),
      canContinueLater: Boolean(given.text('idempotency-key')),
      idempotencyKey: readIdempotencyKey(given.text('idempotency-key') || randomUUID()),
      comment: given.flag('comment') ?? false,
      status: given.flag('status') ?? false,
      pullRequest: readPullRequest(given.text('pull-request')),
      failOn: readFailOn(given.text('fail-on') ?? ''),
      retries: readInteger('--retries', given.text('retries'), 0, maxRetries),
      idleTimeoutMs: (readInteger('--timeout', given.text('timeout'), 1, maxTimeoutSeconds) ?? 300) * 1000,
      checksTimeoutMs:
        (readInteger('--checks-timeout', given.text('checks-timeout'), 0, maxTimeoutSeconds) ?? 300) * 1000,
      json: given.flag('json') ?? false,
      quiet: given.flag('quiet') ?? false,
      qr: given.flag('qr'),
    },
  };
}

const freeTextOptions = new Set(
  [...optionSpellings].flatMap(([spelling, { name }]) =>
    uploadInputs[name].freeText ? [`--${spelling}`] : [],
  ),
);

/** A commit message may begin with `-`, so the argument after such an option is always its value. */
function joinFreeTexts(argv: readonly string[]): string[] {
  const joined: string[] = [];
  const rest = argv[Symbol.iterator]();
  for (const word of rest) {
    const name = word === '-m' ? '--message' : word;
    const value = freeTextOptions.has(name) ? rest.next().value : undefined;
    joined.push(value === undefined ? word : `${name}=${value}`);
    if (word === '--') joined.push(...rest);
  }
  return joined;
}

const parserOptions = Object.fromEntries(
  [...optionSpellings].map(([spelling, { name }]) => {
    const { value, short } = uploadInputs[name];
    const type = value === null ? ('boolean' as const) : ('string' as const);
    return [spelling, { type, ...(short && spelling === name ? { short } : {}) }];
  }),
);

interface Given {
  /** Undefined if the option was not given. */
  option(name: InputName): string | undefined;
  /** The option, otherwise the environment. */
  text(name: InputName): string | undefined;
  /** Null if neither says. */
  flag(name: InputName): boolean | null;
}

function parse(argv: readonly string[], env: Env): Given {
  const { tokens } = parseTokens(argv);
  const options = new Map<InputName, string | boolean>();
  const files: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') files.push(token.value);
    if (token.kind !== 'option') continue;
    const meaning = optionSpellings.get(token.name);
    if (!meaning) continue;
    const { name, on } = meaning;
    const known = options.get(name);
    if (typeof known === 'boolean' && known !== on)
      throw new UsageError(`--${name} and --${uploadInputs[name].off?.[0]} cannot be combined.`);
    if (known !== undefined) throw new UsageError(`--${token.name} was specified more than once.`);
    options.set(name, token.value ?? on);
  }
  if (options.has('file')) files.push(String(options.get('file')));
  if (files.length > 1) throw new UsageError(`Pass one file, not several: ${files.join(', ')}.`);
  if (files[0] !== undefined) options.set('file', files[0]);
  const fromEnv = (name: InputName) =>
    uploadInputs[name].environment ? env[environmentName(name)]?.trim() || undefined : undefined;
  const option = (name: InputName) => {
    const value = options.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    option,
    text: (name) => option(name) ?? fromEnv(name),
    flag: (name) => {
      const value = options.get(name);
      return typeof value === 'boolean' ? value : readFlag(environmentName(name), fromEnv(name));
    },
  };
}

function parseTokens(argv: readonly string[]) {
  const config = {
    args: joinFreeTexts(argv),
    options: parserOptions,
    allowPositionals: true,
    strict: true,
    tokens: true,
  } as const;
  try {
    return util.parseArgs(config);
  } catch (error) {
    // The parser's message also contains advice about `--`; its first sentence states the error.
    const [sentence = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : [];
    const hint = /'--(?:api-)?key'/.test(sentence)
      ? '. The key comes from SLIPWAY_API_KEY or --key-stdin'
      : '';
    throw new UsageError(`${sentence}${hint}.`);
  }
}

function readFlag(name: string, value: string | undefined): boolean | null {
  if (value === undefined) return null;
  if (/^(true|1|yes|on)$/i.test(value)) return true;
  if (/^(false|0|no|off)$/i.test(value)) return false;
  throw new UsageError(`${name} must be true or false, not ${value}`);
}

/** An empty value on the command line means "none", and overrides the value from the CI service. */
function formFields(given: Given, ci: Partial<BuildFields>): FormField[] {
  const fields: Record<string, string | null | undefined> = {
    message: given.text('message'),
    distribution_key: given.text('page-key'),
    distribution_name: given.text('page'),
    release_note: given.text('release-notes'),
    disable_notify: given.flag('notify') === false ? 'true' : null,
    ...buildFieldsBy('name', (field) => given.text(optionOf(field)) ?? ci[field]),
  };
  return Object.entries(fields).flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

/** Reads `install,store,size=5%`. Throws `UsageError`. */
function readFailOn(list: string): FailCondition[] {
  const conditions = list.split(',').flatMap((each) => each.trim() || []);
  return conditions.map((condition): FailCondition => {
    if (condition === 'install') return { name: 'install' };
    const check = checkNames.find((one) => one === condition);
    if (check) return { name: 'checks', check };
    const [, most] = /^size=(.+)$/.exec(condition) ?? [];
    const [, percent] = /^(\d+(?:\.\d+)?)\s*%$/.exec(most ?? '') ?? [];
    const bytes = most && !percent ? readByteSize(most) : null;
    if (most && (percent || bytes))
      return { name: 'growth', most, percent: percent ? Number(percent) : null, bytes };
    throw new UsageError(
      `--fail-on must list ${failConditions.join(', ')}, such as store,size or install,size=5%, not ${condition}`,
    );
  });
}

/** Rejects `.` and `..`, which would change the address. The server checks everything else. */
function readOwner(owner: string | undefined): string {
  if (!owner) throw new UsageError('Missing --owner: the user or project that the app belongs to.');
  if (/^\.+$/.test(owner)) throw new UsageError(`--owner must be a name, not ${owner}`);
  return owner;
}

function readBaseUrl(address: string): URL {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw new UsageError(`--server must be an address such as https://apps.example.com, not ${address}`);
  }
  const url = new URL(address);
  if (url.username || url.password)
    throw new UsageError('--server must not contain a user name or password; use the API key.');
  if (url.search || url.hash) throw new UsageError(`--server must not contain ? or #: ${address}`);
  url.pathname = url.pathname.replace(/(?<!\/)\/*$/, '/');
  return url;
}

interface ConnectionOptions {
  server?: string | undefined;
  owner?: string | undefined;
  'key-stdin'?: boolean;
  trusted?: boolean;
}

/** Reads the server, the owner and where the key comes from. `signedIn`: the server of a stored login. */
export function readConnection(
  given: ConnectionOptions,
  env: Env,
  signedIn?: string | null,
): Pick<UploadOptions, 'baseUrl' | 'owner' | 'key'> {
  const ownServer = env.SLIPWAY_SERVER?.trim() || env.SLIPWAY_URL?.trim();
  const baseUrl = readBaseUrl(given.server || ownServer || signedIn || 'http://127.0.0.1:8080');
  const owner = readOwner(given.owner || env[environmentName('owner')]?.trim());
  return {
    baseUrl,
    owner,
    key: readKeySource(given, { ...env, SLIPWAY_URL: ownServer || baseUrl.origin }, baseUrl),
  };
}

/** Without SLIPWAY_URL, the key belongs to the server of `--server`. Throws `UsageError`. */
function readKeySource(given: ConnectionOptions, env: Env, { origin }: URL): KeySource {
  if (given['key-stdin']) return { kind: 'stdin' };
  if (given.trusted) return { kind: 'trusted' };
  const { key, refusal } = environmentKeyFor(
    { ...env, SLIPWAY_API_KEY: env.SLIPWAY_KEY?.trim() || env.SLIPWAY_API_KEY },
    origin,
  );
  if (refusal !== null)
    throw new UsageError(`${refusal}. Set SLIPWAY_URL to that server, or pipe its key in with --key-stdin.`);
  return key === null ? { kind: 'none' } : givenKey(key);
}

/**
 * The server takes branch, commit and run from the ID token, and refuses others, such as the address of a job where the token
 * states that of its pipeline.
 */
const usesIdToken = ({ kind }: KeySource, env: Env): boolean =>
  kind === 'trusted' || (kind === 'none' && findIdTokens(env, async () => '') !== null);

function readPullRequest(number: string | undefined): string | undefined {
  if (!number || /^\d{1,12}$/.test(number)) return number || undefined;
  throw new UsageError(`--pull-request must be a number, not ${number}`);
}

/** Throws `UsageError`, which never quotes the key. */
export function givenKey(given: string | undefined): { kind: 'given'; key: string } {
  const key = given?.trim();
  if (!key) throw new UsageError('No API key: set SLIPWAY_API_KEY, or pipe it in with --key-stdin.');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('The API key contains an invalid character.');
  return { kind: 'given', key };
}

function readIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new UsageError('--idempotency-key must have 1 to 255 visible ASCII characters.');
}

function readInteger(
  option: string,
  given: string | undefined,
  minimum: number,
  limit: number,
): number | null {
  if (given === undefined) return null;
  const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= minimum && value <= limit) return value;
  throw new UsageError(`${option} must be a whole number from ${minimum} to ${limit}, not ${given}`);
}
