/** `slipway login`, `logout` and `whoami`: the device authorization grant (RFC 8628). */
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../core/errors.ts';
import { type CommandIo, print } from '../command-io.ts';
import { printable, writeLines } from '../terminal-text.ts';
import { UsageError } from '../uploader/upload-error.ts';
import { type Resource, readJson, readServer, request, requireServer, resourceAt } from './api-client.ts';
import { credentialsPath, readCredentials, writeCredentials } from './credentials-file.ts';

interface Started {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const slowDownSeconds = 5;
/** A code is valid for ten minutes, and asked for every five seconds. */
const maxWaitSeconds = 3_600;
const maxIntervalSeconds = 60;

export async function runLogin(
  io: CommandIo,
  options: { server?: string; scope?: string[]; json?: boolean },
): Promise<void> {
  const stored = await readCredentials(io);
  const address = options.server ?? stored.current;
  if (!address) throw new UsageError('name the server: slipway login --server https://apps.example.com');
  const origin = readServer(address);
  // Fails early, before the person approves anything.
  credentialsPath(io);
  const started = readStarted(
    await post(origin, '/oauth/device_authorization', {
      client_id: 'slipway-cli',
      client_label: `slipway on ${hostname()}`,
      scope: (options.scope ?? ['upload', 'read', 'manage']).join(' '),
    }),
  );
  writeLines(
    io.stderr,
    `Open ${started.verification_uri} and enter the code ${started.user_code}, or open`,
    started.verification_uri_complete,
    'Waiting for you to approve it …',
  );
  const { token, user, expiresAt } = await waitForToken(origin, started);
  const { servers } = await readCredentials(io);
  await writeCredentials(io, {
    current: origin,
    servers: { ...servers, [origin]: { token, user, expiresAt } },
  });
  const facts = { server: origin, user, expires_at: expiresAt };
  print(io, options.json ?? false, facts, `Signed in to ${origin} as ${user}.`);
}

/** Throws with what the server says instead. */
function readStarted(answer: Resource): Started {
  const text = (name: string) => (typeof answer[name] === 'string' ? answer[name] : refuse(answer));
  const seconds = (name: string, most: number) => Math.min(Math.max(Number(answer[name]) || 0, 1), most);
  return {
    device_code: text('device_code'),
    user_code: text('user_code'),
    verification_uri: text('verification_uri'),
    verification_uri_complete: text('verification_uri_complete'),
    expires_in: seconds('expires_in', maxWaitSeconds),
    interval: seconds('interval', maxIntervalSeconds),
  };
}

function refuse({ error_description: description, error }: Resource): never {
  throw new AppError('forbidden', printable(String(description ?? error ?? 'this is not a Slipway server')));
}

async function waitForToken(origin: string, started: Started) {
  let seconds = started.interval;
  const deadline = Date.now() + started.expires_in * 1000;
  while (Date.now() < deadline) {
    await pause(seconds * 1000);
    const answer = await post(origin, '/oauth/token', {
      grant_type: grant,
      device_code: started.device_code,
      client_id: 'slipway-cli',
    });
    if (typeof answer.access_token === 'string') {
      return { token: answer.access_token, user: String(answer.user), expiresAt: expiryOf(answer) };
    }
    if (answer.error === 'slow_down') seconds += slowDownSeconds;
    else if (answer.error !== 'authorization_pending') refuse(answer);
  }
  throw new AppError('forbidden', 'the code has expired: run slipway login again');
}

/** Null: never, or later than any date. */
function expiryOf({ expires_in: seconds }: Resource): string | null {
  const at = new Date(typeof seconds === 'number' ? Date.now() + seconds * 1000 : Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

async function post(origin: string, path: string, fields: Record<string, string>) {
  const response = await request(`${origin}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
  return readJson(response);
}

/** Revokes the key and removes it from the file. If the server cannot be reached, the key stays valid until it expires. */
export async function runLogout(io: CommandIo, options: { server?: string; json?: boolean }): Promise<void> {
  const { current, servers } = await readCredentials(io);
  const address = options.server ?? current;
  const origin = address && readServer(address);
  const known = origin ? servers[origin] : undefined;
  if (!origin || !known) throw new UsageError('you are not signed in');
  const revoked = await post(origin, '/oauth/revoke', { token: known.token }).then(
    () => null,
    (error: unknown) => (error instanceof AppError ? error.message : String(error)),
  );
  const { [origin]: _gone, ...others } = servers;
  const next = current === origin ? (Object.keys(others)[0] ?? null) : current;
  await writeCredentials(io, { current: next, servers: others });
  if (revoked !== null)
    writeLines(io.stderr, `The key still works until it is revoked in the console: ${revoked}`);
  print(io, options.json ?? false, { server: origin, revoked: revoked === null }, `Signed out of ${origin}.`);
}

export async function runWhoami(io: CommandIo, options: { server?: string; json?: boolean }): Promise<void> {
  const api = await requireServer(io, options.server);
  const me = await api.call('GET', ['me']);
  const { scopes } = resourceAt(me, 'key', api.origin);
  const words = `${me.name} at ${api.origin}, with ${[scopes].flat().join(', ')}`;
  print(io, options.json ?? false, { server: api.origin, ...me }, words);
}
