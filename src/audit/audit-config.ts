/** Settings of the stream of the audit log, and how long personal data is kept. */
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invalid } from '../core/errors.ts';
import { hostOf, isLocal, readOutboundAddress } from '../core/outbound/outbound-address.ts';
import type { Settings } from '../core/settings.ts';

export type AuditStreamConfig =
  | { kind: 'file'; path: string }
  | { kind: 'syslog'; host: string; port: number; tls: boolean; authorities: string | null }
  | { kind: 'webhook'; address: string; secret: string };

export interface AuditConfig {
  /** Null if the log is not streamed. */
  stream: AuditStreamConfig | null;
  /** Null if entries are kept until they are removed by hand. */
  days: number | null;
  signInDays: number;
  addressDays: number;
  /** Days after the deletion of an account; null if the name stays. */
  eraseDays: number | null;
}

/** Sign-ins show where people were, so their entries are not kept as long as others. */
const defaultSignInDays = 90;
const defaultDays = 30;
const maxDays = 36_500;
const syslogPort = 6514;
const plainSyslogPort = 601;
const maxAddressLength = 2048;

export function readAuditConfig(settings: Settings): AuditConfig {
  const range = { min: 1, max: maxDays, unit: 'days' };
  const days = settings.numberOrOff('SLIPWAY_AUDIT_DAYS', { ...range, otherwise: 0 });
  return {
    stream: readStream(settings),
    days: days || null,
    signInDays: settings.number('SLIPWAY_SIGN_IN_LOG_DAYS', { ...range, otherwise: defaultSignInDays }),
    addressDays: settings.number('SLIPWAY_ADDRESS_DAYS', { ...range, otherwise: defaultDays }),
    eraseDays: settings.numberOrOff('SLIPWAY_ERASE_DAYS', { ...range, otherwise: defaultDays }),
  };
}

function readStream(settings: Settings): AuditStreamConfig | null {
  const secret = settings.checked('SLIPWAY_AUDIT_STREAM_SECRET', checkSecret);
  const authorities = settings.checked('SLIPWAY_AUDIT_STREAM_CA', (path) => readFileSync(path, 'utf8'));
  const stream = settings.checked('SLIPWAY_AUDIT_STREAM', (text) =>
    parseStream(text, secret ?? '', authorities),
  );
  if (stream?.kind === 'webhook' && secret === null)
    settings.addError(
      'SLIPWAY_AUDIT_STREAM with a webhook requires SLIPWAY_AUDIT_STREAM_SECRET, which signs the requests',
    );
  return stream;
}

function checkSecret(text: string): string {
  if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(text))
    throw invalid('must be whsec_ and at least 24 bytes in Base64: echo whsec_$(openssl rand -base64 32)');
  return text;
}

const forms =
  'file:///var/log/slipway/audit.jsonl, syslog+tls://logs.example.com:6514 or https://logs.example.com/audit';

function parseStream(text: string, secret: string, authorities: string | null): AuditStreamConfig {
  const url = URL.parse(text);
  if (
    url?.protocol === 'file:' &&
    url.host === '' &&
    isAbsolute(fileURLToPath(url)) &&
    !url.pathname.endsWith('/')
  )
    return { kind: 'file', path: fileURLToPath(url) };
  const tls = url?.protocol === 'syslog+tls:';
  if (
    url &&
    (tls || url.protocol === 'syslog+tcp:') &&
    url.hostname !== '' &&
    !url.username &&
    url.pathname.length <= 1
  ) {
    if (!tls && !isLocal(url)) throw unencrypted('syslog+tls');
    const port = url.port === '' ? (tls ? syslogPort : plainSyslogPort) : Number(url.port);
    return { kind: 'syslog', host: hostOf(url), port, tls, authorities };
  }
  const read = readOutboundAddress(text, maxAddressLength);
  if ('url' in read) {
    if (read.url.protocol === 'http:' && !isLocal(read.url)) throw unencrypted('https');
    return { kind: 'webhook', address: read.url.href, secret };
  }
  throw invalid(`must be an address such as ${forms}`);
}

/** Entries name people and their networks. */
const unencrypted = (scheme: string) =>
  invalid(`must start with ${scheme}: unless the receiver runs on this machine (localhost or 127.0.0.1)`);

/** Returns the address of the receiver without parts that may be secret. */
export function streamName(stream: AuditStreamConfig): string {
  if (stream.kind === 'file') return stream.path;
  if (stream.kind === 'webhook') return new URL(stream.address).origin;
  return `syslog+${stream.tls ? 'tls' : 'tcp'}://${stream.host}:${stream.port}`;
}
