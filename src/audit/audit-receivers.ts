/** Where lines of the audit log are sent. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { syncFolder } from '../core/durable-folders.ts';
import { unavailable } from '../core/errors.ts';
import { signWebhook } from '../webhooks/payload/webhook-signature.ts';
import type { PostWebhook } from '../webhooks/webhook.ts';
import type { AuditStreamConfig } from './audit-config.ts';

export interface SentLine {
  seq: number;
  /** ISO 8601, in UTC. */
  at: string;
  text: string;
}

/** Resolves when the receiver has the lines. Rejects if that is not certain; the caller then sends them again. */
export type SendLines = (lines: readonly SentLine[]) => Promise<void>;

interface ReceiverDeps {
  post: PostWebhook;
  now: () => number;
  userAgent: string;
  /** Name of this machine. */
  host: string;
}

export function createReceiver(stream: AuditStreamConfig, deps: ReceiverDeps): SendLines {
  if (stream.kind === 'file') return (lines) => appendLines(stream.path, lines);
  if (stream.kind === 'syslog') return (lines) => sendSyslog(stream, deps.host, lines);
  return (lines) => postLines(stream, deps, lines);
}

/** Opens the file for every batch, so that it can be renamed at any time. */
async function appendLines(path: string, lines: readonly SentLine[]): Promise<void> {
  const file = await open(path, 'a+', 0o640);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    // After a full disk or a power cut, the last line may have no end.
    const isWhole = size === 0 || last.toString() === '\n';
    await file.appendFile(`${isWhole ? '' : '\n'}${lines.map(({ text }) => `${text}\n`).join('')}`);
    await file.datasync();
    // The name of a new file is durable only once its folder is.
    if (size === 0) await syncFolder(dirname(path));
  } finally {
    await file.close();
  }
}

/** Facility 13 (log audit), severity 6 (informational); see RFC 5424, section 6.2.1. */
const priority = 13 * 8 + 6;
const syslogTimeoutMs = 15_000;

/** A message of RFC 5424 with the length before it (RFC 5425, section 4.3). The BOM says that the text is UTF-8. */
export function syslogFrame(host: string, { at, seq, text }: SentLine): string {
  const message = `<${priority}>1 ${at} ${host.replaceAll(/[^!-~]/g, '-') || '-'} slipway - audit [meta sequenceId="${((seq - 1) % 2_147_483_647) + 1}"] \u{FEFF}${text}`;
  return `${Buffer.byteLength(message)} ${message}`;
}

/**
 * Syslog has no acknowledgments. A receiver that has read everything ends the connection after this side does (RFC 5425, section
 * 4.4); one that fails before does not.
 */
function sendSyslog(
  { host, port, tls, authorities }: Extract<AuditStreamConfig, { kind: 'syslog' }>,
  ownHost: string,
  lines: readonly SentLine[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const send = () => socket.end(lines.map((line) => syslogFrame(ownHost, line)).join(''));
    const secure = {
      host,
      port,
      ...(isIP(host) ? {} : { servername: host }),
      ...(authorities ? { ca: authorities } : {}),
    };
    const socket: Socket = tls ? connectTls(secure, send) : connectTcp({ host, port }, send);
    const timer = setTimeout(
      () => socket.destroy(unavailable('the receiver did not answer in time')),
      syslogTimeoutMs,
    );
    let isConfirmed = false;
    socket.on('end', () => {
      isConfirmed = socket.writableFinished;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      if (isConfirmed) resolve();
      else reject(unavailable('the receiver closed the connection early'));
    });
    // Without reading what the receiver sends, this side would not notice that it ended the connection.
    socket.resume();
  });
}

const idHashLength = 16;

async function postLines(
  { address, secret }: Extract<AuditStreamConfig, { kind: 'webhook' }>,
  { post, now, userAgent }: ReceiverDeps,
  lines: readonly SentLine[],
): Promise<void> {
  const body = lines.map(({ text }) => `${text}\n`).join('');
  // After a restore of an older backup, numbers are assigned again, to other entries.
  const hash = createHash('sha256').update(body).digest('hex').slice(0, idHashLength);
  const id = `audit-${lines[0]?.seq}-${lines.at(-1)?.seq}-${hash}`;
  const headers = {
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    'User-Agent': userAgent,
    ...signWebhook([secret], { id, body }, now()),
  };
  const outcome = await post({ address, body, headers });
  if (outcome.kind === 'failed') throw unavailable(`the request failed: ${outcome.detail ?? outcome.fault}`);
  if (outcome.status < 200 || outcome.status >= 300)
    throw unavailable(`the receiver answered ${outcome.status}`);
}
