/** Reads the settings from environment variables. Pure: the caller passes the variables. Reports all errors at once. */
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { checkChosenKey } from './accounts/keys/issue-key.ts';
import {
  breachedPasswordSettings,
  readBreachedPasswordsUrl,
} from './accounts/passwords/breached-passwords.ts';
import { checkPassword } from './accounts/passwords/password.ts';
import { readSignUpQuota, signUpSettings } from './accounts/profile/sign-up-config.ts';
import { type RequiredFactor, readRequiredFactor } from './accounts/second-factor/required-factor.ts';
import {
  readSessionConfig,
  type SessionConfig,
  sessionSettings,
} from './accounts/sessions/session-config.ts';
import {
  checkPasswords,
  readSingleSignOn,
  type SingleSignOnConfig,
  singleSignOnSettings,
} from './accounts/single-sign-on/single-sign-on-config.ts';
import { type BlobConfig, blobConfigWarnings, readBlobConfig } from './blobs/blob-config.ts';
import {
  readStoredFileConfig,
  type StoredFileConfig,
  storedFileSettings,
} from './blobs/stored-file-config.ts';
import { readByteSize } from './core/byte-size.ts';
import { readSecretConfig, type SecretConfig, secretSettings } from './core/secret.ts';
import type { DatabaseConfig } from './db/database.ts';
import { readDatabaseConfig } from './db/database-config.ts';
import {
  type RequestCapacityConfig,
  readRequestCapacityConfig,
  requestCapacitySettings,
} from './http/request-capacity-config.ts';
import { readStopConfig, type StopConfig, stopSettings } from './http/stop-config.ts';
import { type RateConfig, rateSettings, readRateConfig } from './limits/rate-config.ts';
import { type MailConfig, readMailFrom, readSmtpUrl } from './mail/mail-config.ts';
import {
  type MetricsAddress,
  readMetrics,
  readSlowQuery,
} from './operations/observability/metrics-config.ts';
import { checkEmail } from './owners/create-owners.ts';
import { checkName } from './owners/owner.ts';
import type { Quota } from './owners/quota.ts';
import {
  type AnonymousUploadConfig,
  anonymousUploadSettings,
  defaultAnonymousUploads,
  readAnonymousUploads,
} from './uploads/anonymous-upload-config.ts';

export interface Config extends SecretConfig {
  host: string;
  port: number;
  /** The public origin without a path, for example `https://apps.example.com`; null: taken from each request. */
  publicUrl: string | null;
  dataFolder: string;
  database: DatabaseConfig;
  blobs: BlobConfig;
  /** Null: passwords are not checked against breaches. */
  breachedPasswordsUrl: string | null;
  /** Null: email is stored but not sent. */
  mail: MailConfig | null;
  /** CIDRs of proxies whose X-Forwarded headers are trusted. */
  trustedProxies: string[];
  legacyKeys: boolean;
  /** Whether app secrets open app pages. */
  appSecrets: boolean;
  /** CIDRs that webhooks may reach besides the internet. */
  webhookNetworks: string[];
  /** Whether anyone can create an account. */
  signUp: 'open' | 'closed';
  signUpQuota: Quota;
  /** Who must have a second factor. */
  requiredFactor: RequiredFactor;
  /** Null: no single sign-on. */
  singleSignOn: SingleSignOnConfig | null;
  /** Whether people sign in with a password. If not, single sign-on is configured. */
  passwords: boolean;
  sessions: SessionConfig;
  rates: RateConfig;
  capacity: RequestCapacityConfig;
  stop: StopConfig;
  /** Null: depends on where the log is written. */
  logLevel: LogLevel | null;
  /** Statements that take at least this long are logged. */
  slowQueryMs: number;
  storedFiles: StoredFileConfig;
  /** The address for Prometheus; null: none. */
  metrics: MetricsAddress | null;
  firstAdministrator: FirstAdministratorConfig;
  limits: Limits;
  /** Warnings about usable settings, as full sentences. */
  warnings: string[];
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface FirstAdministratorConfig {
  name: string;
  email: string | null;
  password: string | null;
  apiKey: string | null;
}

/** Limits per request; each has a test. */
export interface Limits extends AnonymousUploadConfig {
  maxUploadBytes: number;
  minimumFreeBytes: number;
  refusedBodyDrainSeconds: number;
  anonymousMinimumBytesPerSecond: number;
  /** The time over which a minimum transfer rate is averaged. */
  transferWindowSeconds: number;
  maxDevicesPerOwner: number;
  /** Per network. */
  deviceResponsesPerHour: number;
  /** Per network. */
  wrongKeysPerHour: number;
}

export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.join('\n'));
    this.errors = errors;
  }
}

/** Every setting that Slipway reads. A test checks that `docs/configuration.md` names all of them. */
export const settingNames = [
  'SLIPWAY_ENV_FILE',
  'SLIPWAY_HOST',
  'SLIPWAY_PORT',
  'SLIPWAY_URL',
  'SLIPWAY_DATA_DIR',
  'SLIPWAY_DATABASE_URL',
  'SLIPWAY_BLOB_URL',
  'SLIPWAY_MAX_UPLOAD',
  'SLIPWAY_SMTP_URL',
  'SLIPWAY_MAIL_FROM',
  ...secretSettings,
  ...breachedPasswordSettings,
  'SLIPWAY_TRUST_PROXY',
  'SLIPWAY_LEGACY_KEYS',
  'SLIPWAY_APP_SECRETS',
  'SLIPWAY_SIGN_UP',
  ...signUpSettings,
  'SLIPWAY_REQUIRE_SECOND_FACTOR',
  'SLIPWAY_PASSWORDS',
  ...singleSignOnSettings,
  ...sessionSettings,
  ...rateSettings,
  ...anonymousUploadSettings,
  ...requestCapacitySettings,
  ...stopSettings,
  'SLIPWAY_HOOK_NETWORKS',
  'SLIPWAY_LOG_LEVEL',
  'SLIPWAY_SLOW_QUERY_MS',
  'SLIPWAY_METRICS',
  ...storedFileSettings,
  'SLIPWAY_ADMIN_NAME',
  'SLIPWAY_ADMIN_EMAIL',
  'SLIPWAY_ADMIN_PASSWORD',
  'SLIPWAY_ADMIN_API_KEY',
] as const;

type SettingName = (typeof settingNames)[number];
type Read = (name: SettingName) => string | null;
type AddError = (text: string) => void;
type Environment = Readonly<Record<string, string | undefined>>;

const defaultMaxUploadBytes = 4 * 1024 ** 3;

/** Throws `ConfigError` with all errors if any setting is invalid. */
export function readConfig(env: Environment): Config {
  const errors: string[] = [];
  const addError: AddError = (text) => errors.push(text);
  const read: Read = (name) => env[name]?.trim() || null;
  const unknown = Object.keys(env).filter((name) => name.startsWith('SLIPWAY_') && !isKnownVariable(name));
  const dataFolder = resolve(read('SLIPWAY_DATA_DIR') ?? 'data');
  const maxUploadBytes = readBytes('SLIPWAY_MAX_UPLOAD', read, defaultMaxUploadBytes, addError);
  const database = readDatabaseConfig(read('SLIPWAY_DATABASE_URL'), dataFolder, addError);
  const blobs = readBlobs(read, dataFolder, env, addError);
  const config: Config = {
    host: read('SLIPWAY_HOST') ?? '127.0.0.1',
    port: readPort(read('SLIPWAY_PORT'), addError),
    publicUrl: readOrigin(read('SLIPWAY_URL'), addError),
    dataFolder,
    database,
    blobs,
    ...readSecretConfig(read, addError),
    breachedPasswordsUrl: readBreachedPasswordsUrl(read('SLIPWAY_BREACHED_PASSWORDS_URL'), addError),
    mail: readMail(read, addError),
    trustedProxies: readNetworks('SLIPWAY_TRUST_PROXY', read, addError),
    legacyKeys: readSwitch('SLIPWAY_LEGACY_KEYS', read, true, addError),
    appSecrets: readSwitch('SLIPWAY_APP_SECRETS', read, true, addError),
    webhookNetworks: readNetworks('SLIPWAY_HOOK_NETWORKS', read, addError),
    signUp: readChoice('SLIPWAY_SIGN_UP', ['open', 'closed'], read, addError) ?? 'closed',
    signUpQuota: readSignUpQuota(read, addError),
    requiredFactor: readRequiredFactor(read('SLIPWAY_REQUIRE_SECOND_FACTOR'), addError),
    singleSignOn: readSingleSignOn(read, addError),
    passwords: checkPasswords(readSwitch('SLIPWAY_PASSWORDS', read, true, addError), read, addError),
    sessions: readSessionConfig(read, addError),
    rates: readRateConfig(read, addError),
    capacity: readRequestCapacityConfig(read, addError),
    stop: readStopConfig(read, addError),
    logLevel: readChoice('SLIPWAY_LOG_LEVEL', logLevels, read, addError),
    slowQueryMs: readSlowQuery(read('SLIPWAY_SLOW_QUERY_MS') ?? '500', addError),
    storedFiles: readStoredFileConfig(read, addError, blobs),
    metrics: readMetrics(read('SLIPWAY_METRICS'), addError),
    firstAdministrator: readAdministrator(read, addError),
    limits: { ...defaultLimits, ...readAnonymousUploads(read, addError, maxUploadBytes), maxUploadBytes },
    warnings: unknown.map((name) => `${name} is not a setting of this version of Slipway.`),
  };
  if (errors.length > 0) throw new ConfigError(errors);
  config.warnings.push(...blobConfigWarnings(config.blobs, config.publicUrl));
  return config;
}

export const defaultLimits: Limits = {
  ...defaultAnonymousUploads(defaultMaxUploadBytes),
  maxUploadBytes: defaultMaxUploadBytes,
  minimumFreeBytes: 256 * 1024 ** 2,
  refusedBodyDrainSeconds: 30,
  anonymousMinimumBytesPerSecond: 16 * 1024,
  transferWindowSeconds: 60,
  maxDevicesPerOwner: 10_000,
  deviceResponsesPerHour: 100,
  wrongKeysPerHour: 1000,
};

/** `SLIPWAY_API_KEY` is for the uploader and `SLIPWAY_TEST_…` for tests; the server ignores both. */
function isKnownVariable(name: string): boolean {
  return (
    (settingNames as readonly string[]).includes(name) ||
    name === 'SLIPWAY_API_KEY' ||
    name.startsWith('SLIPWAY_TEST_')
  );
}

function readPort(text: string | null, addError: AddError): number {
  const port = Number(text ?? 8080);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  addError(`SLIPWAY_PORT must be a number from 0 to 65535, not ${text}`);
  return 0;
}

function readOrigin(text: string | null, addError: AddError): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
  if (plain && url.pathname === '/') return url.origin;
  addError(`SLIPWAY_URL must be an origin such as https://apps.example.com, without a path, not ${text}`);
  return null;
}

function readBlobs(read: Read, dataFolder: string, env: Environment, addError: AddError): BlobConfig {
  const otherwise: BlobConfig = { kind: 'disk', folder: join(dataFolder, 'blobs') };
  const check = (text: string) => readBlobConfig(text, dataFolder, env);
  return readChecked('SLIPWAY_BLOB_URL', read, addError, check) ?? otherwise;
}

/** Returns the result of `check`; an error that it throws is reported with the name of the setting. */
function readChecked<T>(
  setting: SettingName,
  read: Read,
  addError: AddError,
  check: (text: string) => T,
): T | null {
  const text = read(setting);
  try {
    return text === null ? null : check(text);
  } catch (error) {
    addError(`${setting}: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function readMail(read: Read, addError: AddError): MailConfig | null {
  const smtp = readChecked('SLIPWAY_SMTP_URL', read, addError, readSmtpUrl);
  const from = readChecked('SLIPWAY_MAIL_FROM', read, addError, readMailFrom);
  if (read('SLIPWAY_SMTP_URL') !== null && read('SLIPWAY_MAIL_FROM') === null)
    addError('SLIPWAY_MAIL_FROM goes with SLIPWAY_SMTP_URL: the address that mail comes from');
  return smtp && from ? { smtp, from } : null;
}

/** Checked before the first start writes a row, so that no administrator is created without the key. */
function readAdministrator(read: Read, addError: AddError): FirstAdministratorConfig {
  const checked = (setting: SettingName, check: (text: string) => string) =>
    readChecked(setting, read, addError, check);
  const name = checked('SLIPWAY_ADMIN_NAME', (text) => checkName('user', text)) ?? 'admin';
  const email = checked('SLIPWAY_ADMIN_EMAIL', checkEmail);
  return {
    name,
    email,
    password: checked('SLIPWAY_ADMIN_PASSWORD', (text) => checkPassword(text, [name, email])),
    apiKey: checked('SLIPWAY_ADMIN_API_KEY', checkChosenKey),
  };
}

function readNetworks(name: SettingName, read: Read, addError: AddError): string[] {
  const networks =
    read(name)
      ?.split(',')
      .map((part) => part.trim()) ?? [];
  for (const network of networks) {
    const [address = '', bits, ...more] = network.split('/');
    const family = isIP(address);
    const bitsGood =
      bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
    if (family === 0 || !bitsGood || more.length > 0) {
      addError(`${name} lists addresses or CIDRs such as 10.0.0.0/8, not ${network}`);
    }
  }
  return networks;
}

function readSwitch(name: SettingName, read: Read, otherwise: boolean, addError: AddError): boolean {
  const text = read(name)?.toLowerCase() ?? null;
  if (text === null) return otherwise;
  if (['on', 'true', 'yes', '1'].includes(text)) return true;
  if (['off', 'false', 'no', '0'].includes(text)) return false;
  addError(`${name} is on or off, not ${text}`);
  return otherwise;
}

function readChoice<Choice extends string>(
  name: SettingName,
  choices: readonly Choice[],
  read: Read,
  addError: AddError,
): Choice | null {
  const text = read(name)?.toLowerCase() ?? null;
  const choice = choices.find((one) => one === text) ?? null;
  if (text !== null && choice === null) addError(`${name} is ${choices.join(' or ')}, not ${text}`);
  return choice;
}

function readBytes(name: SettingName, read: Read, otherwise: number, addError: AddError): number {
  const text = read(name);
  if (text === null) return otherwise;
  const bytes = readByteSize(text);
  if (bytes !== null) return bytes;
  addError(`${name} must be a size such as 500MiB or 4GiB, not ${text}`);
  return otherwise;
}
