/** `slipway serve`: starts the server, shows the initial credentials once, and stops gracefully. */

import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { firstStartPath, type InitialCredentials } from '../accounts/profile/first-administrator.ts';
import { type Config, readConfig } from '../config.ts';
import { unavailable } from '../core/errors.ts';
import { shutdownGraceMs } from '../http/close-server.ts';
import { mailUnavailableReason } from '../mail/mail-config.ts';
import { mailTexts } from '../mail/mail-texts.ts';
import { createService, type Parts, type Service } from '../service.ts';
import type { CommandIo } from './command-io.ts';
import { recordSettingsFile } from './settings-file.ts';
import { terminalQr } from './terminal-qr.ts';
import { draw, writeLines } from './terminal-text.ts';

/** How long the process may take to exit after running requests were aborted at the end of `shutdownGraceMs`. */
const exitGraceMs = 30_000;
/** One Ctrl-C can arrive twice, from the terminal and from the parent process. */
const duplicateSignalMs = 500;
const parentCheckMs = 500;

export interface ServeOptions {
  lan?: boolean;
  /** Replaces parts of the service. */
  parts?: Partial<Parts>;
  /** Called with the address when the server listens. */
  ready?: (address: string) => void;
}

export async function runServe(io: CommandIo, options: ServeOptions): Promise<void> {
  const config = readConfig(io.environment);
  if (options.lan) config.host = '0.0.0.0';
  // A line per request is useful in a log, but not on a terminal.
  config.logLevel ??= io.stdout.isTTY ? 'warn' : 'info';
  const service = await createService(config, { ...options.parts, host: io.host });
  try {
    await recordSettingsFile(io, config.dataFolder);
    const bound = await service.listen().catch(async (error) => {
      // These credentials are created only once; without them nobody could sign in after the next start.
      await showFirstSecrets(io, config, service, addressOf(config, config, options.lan));
      throw describeListenError(config, error);
    });
    await announce(io, config, service, bound, options.lan ?? false);
    options.ready?.(addressOf(config, bound, options.lan));
  } catch (error) {
    await service.close();
    throw error;
  }
  await untilStopped(io, service, config.stop.drainMs + shutdownGraceMs + exitGraceMs);
}

const listenErrors: Readonly<Record<string, { words: string; setting: string }>> = {
  EADDRINUSE: { words: 'is already in use', setting: 'SLIPWAY_PORT' },
  EACCES: { words: 'is not allowed for this account', setting: 'SLIPWAY_PORT' },
  EADDRNOTAVAIL: { words: 'is not an address of this machine', setting: 'SLIPWAY_HOST' },
  ENOTFOUND: { words: 'has an unknown host name', setting: 'SLIPWAY_HOST' },
  EAI_AGAIN: { words: 'has a host name that cannot be looked up now', setting: 'SLIPWAY_HOST' },
};

/** Throws the error that a start on an unusable address would cause, before work that would then be lost. */
export async function checkListenAddress(config: Config): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen(config.port, config.host, resolve);
    });
  } catch (error) {
    throw describeListenError(config, error);
  } finally {
    probe.close();
  }
}

function describeListenError(config: Config, error: unknown): unknown {
  const { code = '', syscall } = error as { code?: string; syscall?: string };
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error;
  const reason = listenErrors[code] ?? { words: `cannot be used: ${code}`, setting: 'SLIPWAY_HOST' };
  return unavailable(
    `the address ${config.host}:${config.port} ${reason.words}: choose another with ${reason.setting}`,
    error,
  );
}

async function announce(
  io: CommandIo,
  config: Config,
  service: Service,
  bound: { host: string; port: number },
  lan: boolean,
): Promise<void> {
  const address = addressOf(config, bound, lan);
  const log = service.http.log;
  for (const warning of config.warnings) log.warn(warning);
  await showFirstSecrets(io, config, service, address);
  const unavailableReason = mailUnavailableReason(config);
  const mailNotice =
    unavailableReason && mailTexts.startNotice({ reason: mailTexts.unavailableReasons[unavailableReason] });
  if (!io.stdout.isTTY) {
    if (mailNotice) log.warn(mailNotice);
    log.info({ address }, `slipway listens on ${address}`);
    return;
  }
  writeLines(io.stdout, `Slipway is ready on ${address}`);
  if (mailNotice) writeLines(io.stdout, mailNotice);
  const qr = lan ? terminalQr(address, { columns: io.stdout.columns ?? 80, color: true }) : null;
  if (qr) draw(io.stdout, `${qr.join('\n')}\n`);
}

/** Shows the initial credentials once on a terminal; otherwise writes them to a separate file, because logs are stored. */
async function showFirstSecrets(
  io: CommandIo,
  config: Config,
  service: Service,
  address: string,
): Promise<void> {
  if (!service.initialCredentials) return;
  const text = firstStartText(service.initialCredentials, address);
  if (io.stdout.isTTY) {
    draw(io.stdout, text);
    return;
  }
  const path = firstStartPath(config);
  // Writing to a file from an earlier installation would keep its mode.
  await rm(path, { force: true });
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  service.http.log.info(
    { path },
    `first start: the administrator's password and API key are in ${path}, until the first sign-in`,
  );
}

function firstStartText(secrets: InitialCredentials, address: string): string {
  const chosen = '(as set)';
  return `
  Slipway has created its administrator. This is shown only once.

    Address   ${address}
    Name      ${secrets.name}
    Password  ${secrets.password ?? chosen}
    API key   ${secrets.apiKey ?? chosen}

  Upload a package:

    curl -H "Authorization: Bearer ${secrets.apiKey ?? '$SLIPWAY_API_KEY'}" -F "file=@app.apk" ${address}/api/users/${secrets.name}/apps

`;
}

function addressOf(config: Config, bound: { host: string; port: number }, lan = false): string {
  return config.publicUrl ?? `http://${lan ? lanAddress() : readableHost(bound.host)}:${bound.port}`;
}

function readableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function lanAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all.find((entry) => entry.family === 'IPv4' && !entry.internal)?.address ?? 'localhost';
}

function untilStopped(io: CommandIo, service: Service, hardLimitMs: number): Promise<void> {
  const { host } = io;
  return new Promise((resolve, reject) => {
    let stoppingSince: number | null = null;
    const stop = (reason: string) => {
      if (stoppingSince !== null) return;
      stoppingSince = performance.now();
      service.http.log.info({ reason }, `stopping on ${reason}`);
      const limit = setTimeout(() => host.exit(1), hardLimitMs);
      limit.unref();
      service.close().then(resolve, reject);
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      host.on(signal, () => {
        if (stoppingSince !== null && performance.now() - stoppingSince > duplicateSignalMs) host.exit(1);
        stop(signal);
      });
    }
    if (io.environment.npm_lifecycle_event !== undefined) whenParentEnds(host, () => stop('the end of npm'));
  });
}

/** On a signal, npm only ends its shell, which would leave the server running. */
function whenParentEnds(host: NodeJS.Process, then: () => void): void {
  const parent = host.ppid;
  const watch = setInterval(() => {
    if (host.ppid === parent) return;
    clearInterval(watch);
    then();
  }, parentCheckMs);
  watch.unref();
}
