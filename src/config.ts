/** Reads the settings from environment variables, given by the caller. Reports all errors at once. Pure. */
import { join, resolve } from 'node:path';
import { checkChosenKey } from './accounts/keys/issue-key.ts';
import { type LdapConfig, readLdap } from './accounts/ldap/ldap-config.ts';
import { readBreachedPasswordsUrl } from './accounts/passwords/breached-passwords.ts';
import { checkPassword } from './accounts/passwords/password.ts';
import { readSignUpQuota } from './accounts/profile/sign-up-config.ts';
import {
  readSaml,
  readSamlKey,
  type SamlConfig,
  type ServiceProviderKey,
} from './accounts/saml/saml-config.ts';
import { type RequiredFactor, requiredFactorChoices } from './accounts/second-factor/required-factor.ts';
import { readSessionConfig, type SessionConfig } from './accounts/sessions/session-config.ts';
import {
  readPasswords,
  readSingleSignOn,
  type SingleSignOnConfig,
} from './accounts/single-sign-on/single-sign-on-config.ts';
import { type AuditConfig, readAuditConfig } from './audit/audit-config.ts';
import { type BlobConfig, blobConfigWarnings, readBlobConfig } from './blobs/blob-config.ts';
import { readStoredFileConfig, type StoredFileConfig } from './blobs/stored-file-config.ts';
import { readLanguage } from './core/language/language-config.ts';
import type { Language } from './core/language/languages.ts';
import { readSecretConfig, type SecretConfig } from './core/secret.ts';
import { ConfigError, createSettings, type Environment, type Settings } from './core/settings.ts';
import type { DatabaseConfig } from './db/database.ts';
import { readDatabaseConfig } from './db/database-config.ts';
import { type RequestCapacityConfig, readRequestCapacityConfig } from './http/request-capacity-config.ts';
import { defaultEventStreamLimits, type EventStreamLimits } from './http/sending/event-streams.ts';
import { readStopConfig, type StopConfig } from './http/stop-config.ts';
import { readTrustedRoots } from './insight/provenance/provenance-config.ts';
import { type RateConfig, readRateConfig } from './limits/rate-config.ts';
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
  defaultAnonymousUploads,
  readAnonymousUploads,
} from './uploads/anonymous-upload-config.ts';

export interface Config extends SecretConfig {
  host: string;
  port: number;
  /** The public origin without a path, for example `https://apps.example.com`. Null if it is taken from each request. */
  publicUrl: string | null;
  dataFolder: string;
  /** The language of pages and emails for people who have not chosen one. */
  language: Language;
  database: DatabaseConfig;
  blobs: BlobConfig;
  /** Null if passwords are not checked. */
  breachedPasswordsUrl: string | null;
  /** Null if email is stored but not sent. */
  mail: MailConfig | null;
  /** CIDRs of proxies whose X-Forwarded headers are trusted. */
  trustedProxies: string[];
  legacyKeys: boolean;
  /** Whether app secrets open app pages. */
  appSecrets: boolean;
  /** CIDRs that webhooks may reach in addition to the internet. */
  webhookNetworks: string[];
  /** Whether anyone can create an account. */
  signUp: 'open' | 'closed';
  signUpQuota: Quota;
  /** The people who must have a second factor. */
  requiredFactor: RequiredFactor;
  /** File with trusted roots for attestations, in addition to that of Sigstore; null without one. */
  trustedRoots: string | null;
  /** OpenID Connect; null without it. */
  singleSignOn: SingleSignOnConfig | null;
  saml: SamlConfig | null;
  /** Null without one. */
  samlKey: ServiceProviderKey | null;
  /** A directory whose passwords sign in too; null without one. */
  ldap: LdapConfig | null;
  /** Whether people sign in with a password. If not, single sign-on is configured. */
  passwords: boolean;
  sessions: SessionConfig;
  rates: RateConfig;
  capacity: RequestCapacityConfig;
  stop: StopConfig;
  /** Null if it depends on where the log is written. */
  logLevel: LogLevel | null;
  /** Statements that take at least this long are logged. */
  slowQueryMs: number;
  storedFiles: StoredFileConfig;
  /** The address for Prometheus; null without one. */
  metrics: MetricsAddress | null;
  audit: AuditConfig;
  firstAdministrator: FirstAdministratorConfig;
  limits: Limits;
  /** Warnings about valid settings, as full sentences. */
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
  streams: EventStreamLimits;
  /** How often the access to answers that stay open is checked again: event streams and downloads. */
  accessCheckMs: number;
}

const defaultMaxUploadBytes = 4 * 1024 ** 3;

/** Throws `ConfigError` with all errors if any setting is invalid. */
export function readConfig(env: Environment): Config {
  const settings = createSettings(env);
  const config = readEvery(settings, env);
  if (settings.errors.length > 0) throw new ConfigError(settings.errors);
  config.warnings.push(
    ...Object.keys(env)
      .filter((name) => name.startsWith('SLIPWAY_') && !isKnownVariable(name, settings.names))
      .map((name) => `${name} is not a setting of this version of Slipway.`),
    ...blobConfigWarnings(config.blobs, config.publicUrl),
  );
  return config;
}

/** The names of all settings: those that are read where none is set. A test checks that `docs/configuration.md` has all of them. */
export function listSettings(): string[] {
  const settings = createSettings({});
  readEvery(settings, {});
  return [...settings.names];
}

function readEvery(settings: Settings, env: Environment): Config {
  // Read before the others, by `commands/settings-file.ts`.
  settings.text('SLIPWAY_ENV_FILE');
  const dataFolder = resolve(settings.text('SLIPWAY_DATA_DIR') ?? 'data');
  const maxUploadBytes = settings.bytes('SLIPWAY_MAX_UPLOAD', defaultMaxUploadBytes);
  const database = readDatabaseConfig(settings, dataFolder);
  const blobs = readBlobs(settings, dataFolder, env);
  return {
    host: settings.text('SLIPWAY_HOST') ?? '127.0.0.1',
    port: settings.number('SLIPWAY_PORT', { min: 0, max: 65_535, otherwise: 8080 }),
    publicUrl: readOrigin(settings),
    dataFolder,
    language: readLanguage(settings),
    database,
    blobs,
    ...readSecretConfig(settings),
    breachedPasswordsUrl: readBreachedPasswordsUrl(settings),
    mail: readMail(settings),
    trustedProxies: settings.networks('SLIPWAY_TRUST_PROXY'),
    legacyKeys: settings.isOn('SLIPWAY_LEGACY_KEYS', true),
    appSecrets: settings.isOn('SLIPWAY_APP_SECRETS', true),
    webhookNetworks: settings.networks('SLIPWAY_HOOK_NETWORKS'),
    signUp: settings.choice('SLIPWAY_SIGN_UP', ['open', 'closed'], 'closed'),
    signUpQuota: readSignUpQuota(settings),
    trustedRoots: readTrustedRoots(settings),
    requiredFactor: settings.choice('SLIPWAY_REQUIRE_SECOND_FACTOR', requiredFactorChoices, 'off'),
    singleSignOn: readSingleSignOn(settings),
    saml: readSaml(settings),
    samlKey: readSamlKey(settings),
    ldap: readLdap(settings),
    passwords: readPasswords(settings),
    sessions: readSessionConfig(settings),
    rates: readRateConfig(settings),
    capacity: readRequestCapacityConfig(settings),
    stop: readStopConfig(settings),
    logLevel: settings.choice('SLIPWAY_LOG_LEVEL', logLevels, null),
    slowQueryMs: readSlowQuery(settings),
    storedFiles: readStoredFileConfig(settings, blobs),
    metrics: readMetrics(settings),
    audit: readAuditConfig(settings),
    firstAdministrator: readAdministrator(settings),
    limits: { ...defaultLimits, ...readAnonymousUploads(settings, maxUploadBytes), maxUploadBytes },
    warnings: [],
  };
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
  streams: defaultEventStreamLimits,
  accessCheckMs: 1000,
};

/** `SLIPWAY_API_KEY` is for the uploader, and `SLIPWAY_TEST_…` are for tests; the server ignores both. */
function isKnownVariable(name: string, settings: ReadonlySet<string>): boolean {
  return settings.has(name) || name === 'SLIPWAY_API_KEY' || name.startsWith('SLIPWAY_TEST_');
}

function readOrigin(settings: Settings): string | null {
  const text = settings.text('SLIPWAY_URL');
  if (text === null) return null;
  const url = URL.parse(text);
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
  if (plain && url.pathname === '/') return url.origin;
  settings.addError(
    `SLIPWAY_URL must be an origin such as https://apps.example.com, without a path. It is ${text}.`,
  );
  return null;
}

function readBlobs(settings: Settings, dataFolder: string, env: Environment): BlobConfig {
  const otherwise: BlobConfig = { kind: 'disk', folder: join(dataFolder, 'blobs') };
  const check = (text: string) => readBlobConfig(text, dataFolder, env);
  return settings.checked('SLIPWAY_BLOB_URL', check) ?? otherwise;
}

function readMail(settings: Settings): MailConfig | null {
  const smtp = settings.checked('SLIPWAY_SMTP_URL', readSmtpUrl);
  const from = settings.checked('SLIPWAY_MAIL_FROM', readMailFrom);
  if (settings.text('SLIPWAY_SMTP_URL') !== null && settings.text('SLIPWAY_MAIL_FROM') === null)
    settings.addError('SLIPWAY_SMTP_URL requires SLIPWAY_MAIL_FROM, the sender address');
  return smtp && from ? { smtp, from } : null;
}

/** Checked before the first start writes a row, so that no administrator is created without the key. */
function readAdministrator(settings: Settings): FirstAdministratorConfig {
  const name = settings.checked('SLIPWAY_ADMIN_NAME', (text) => checkName('user', text)) ?? 'admin';
  const email = settings.checked('SLIPWAY_ADMIN_EMAIL', checkEmail);
  return {
    name,
    email,
    password: settings.checked('SLIPWAY_ADMIN_PASSWORD', (text) => checkPassword(text, [name, email])),
    apiKey: settings.checked('SLIPWAY_ADMIN_API_KEY', checkChosenKey),
  };
}
