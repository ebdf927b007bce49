/** The examples of docs/behind-a-proxy.md as running proxies on loopback, with the names, ports and files of a test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type ProxyKind = 'nginx' | 'caddy';
export const programs: Record<ProxyKind, string> = { nginx: '/usr/sbin/nginx', caddy: '/usr/bin/caddy' };

/** A PEM file with the certificates that the proxy sends, and one with its key. */
export interface Certificate {
  chain: string;
  key: string;
}

export interface RunningProxy {
  /** `https://localhost:PORT`. */
  origin: string;
  /** The port that redirects to the other one. */
  plainOrigin: string;
  stop(): Promise<void>;
}

export interface ProxyOptions {
  upstreamPort: number;
  certificate: Certificate;
  /** Changes the example before names and ports are inserted. Must change something. */
  change?: (example: string) => string;
}

/** The only block of that language in the docs. */
export function exampleOf(kind: ProxyKind): string {
  const docs = readFileSync(fileURLToPath(new URL('../../docs/behind-a-proxy.md', import.meta.url)), 'utf8');
  const language = kind === 'nginx' ? 'nginx' : 'caddyfile';
  const blocks = [...docs.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  const [block] = blocks;
  if (!block?.[1] || blocks.length !== 1)
    throw new Error(`the docs have ${blocks.length} examples for ${kind}`);
  return block[1];
}

export async function startProxy(kind: ProxyKind, options: ProxyOptions): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), `slipway-${kind}-`));
  const [port, plainPort] = [await freePort(), await freePort()];
  const example = changed(exampleOf(kind), options.change ?? ((text) => text), options.change !== undefined);
  const ports = { port, plainPort };
  const child =
    kind === 'nginx'
      ? startNginx(folder, example, options, ports)
      : startCaddy(folder, example, options, ports);
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const ended = once(child, 'close');
  let running = true;
  void ended.then(() => {
    running = false;
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilListening(port, () => running);
  } catch {
    await stop();
    throw new Error(`${kind} did not start:\n${output}`);
  }
  return { origin: `https://localhost:${port}`, plainOrigin: `http://localhost:${plainPort}`, stop };
}

interface Ports {
  port: number;
  plainPort: number;
}

function startNginx(folder: string, example: string, options: ProxyOptions, ports: Ports): ChildProcess {
  const steps: [RegExp, string][] = [
    [/^ *listen \[::\].*\n/gm, ''],
    [/listen 80;/g, `listen 127.0.0.1:${ports.plainPort};`],
    [/listen 443 ssl;/g, `listen 127.0.0.1:${ports.port} ssl;`],
    [/https:\/\/\$host\$request_uri/g, `https://$host:${ports.port}$request_uri`],
    [/ssl_certificate \S+;/g, `ssl_certificate ${options.certificate.chain};`],
    [/ssl_certificate_key \S+;/g, `ssl_certificate_key ${options.certificate.key};`],
    [/server_name apps\.example\.com;/g, 'server_name localhost;'],
    [/http:\/\/127\.0\.0\.1:8080/g, `http://127.0.0.1:${options.upstreamPort}`],
  ];
  const servers = steps.reduce(
    (text, [pattern, put]) => changed(text, (one) => one.replace(pattern, put)),
    example,
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr warn;
events {}
http {
access_log off;
# As in Debian's nginx.conf, and for every type.
gzip on;
gzip_proxied any;
gzip_types *;
${temporary.join('\n')}
${servers}
}`,
  );
  return spawn(programs.nginx, ['-p', folder, '-e', 'stderr', '-c', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

function startCaddy(folder: string, example: string, options: ProxyOptions, ports: Ports): ChildProcess {
  const { chain, key } = options.certificate;
  const steps: [RegExp, string][] = [
    [/^apps\.example\.com \{$/gm, `localhost {\n\tbind 127.0.0.1\n\ttls ${chain} ${key}`],
    [/127\.0\.0\.1:8080/g, `127.0.0.1:${options.upstreamPort}`],
  ];
  const site = steps.reduce(
    (text, [pattern, put]) => changed(text, (one) => one.replace(pattern, put)),
    example,
  );
  const file = join(folder, 'Caddyfile');
  const globals = `{\n\tadmin off\n\thttp_port ${ports.plainPort}\n\thttps_port ${ports.port}\n}\n`;
  writeFileSync(file, `${globals}${site}`);
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return spawn(programs.caddy, ['run', '--config', file, '--adapter', 'caddyfile'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Changes a text, and throws if nothing changed, so that a rewritten example fails its test. */
function changed(text: string, change: (text: string) => string, must = true): string {
  const result = change(text);
  if (must && result === text) throw new Error(`nothing to change: ${change}\n${text}`);
  return result;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function untilListening(port: number, isRunning: () => boolean): Promise<void> {
  for (;;) {
    if (!isRunning()) throw new Error('it ended');
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface TestCertificates {
  /** PEM of the authority, to be trusted. */
  authority: string;
  authorityFile: string;
  good: Certificate;
  expiring: Certificate;
  expired: Certificate;
  selfSigned: Certificate;
  otherHost: Certificate;
  /** Issued through an intermediate authority, which is not sent. */
  withoutChain: Certificate;
  /** Valid for longer than iOS accepts. */
  tooLong: Certificate;
  /** From an unknown certificate authority. */
  unknownAuthority: Certificate;
  remove(): void;
}

const ecKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export function makeCertificates(): TestCertificates {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-certificates-'));
  const at = (name: string) => join(folder, name);
  const openssl = (args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const root = (name: string, subject: string): string => {
    openssl([
      'req',
      '-x509',
      ...ecKey,
      '-days',
      '100',
      '-subj',
      `/CN=${subject}`,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.pem`),
    ]);
    return name;
  };
  const issue = (
    name: string,
    issuer: string,
    days: number,
    host = 'localhost',
    extensions: string[] = [],
  ) => {
    openssl([
      'req',
      ...ecKey,
      '-subj',
      `/CN=${host}`,
      '-addext',
      `subjectAltName=DNS:${host}`,
      ...extensions,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.csr`),
    ]);
    openssl([
      'x509',
      '-req',
      '-in',
      at(`${name}.csr`),
      '-CA',
      at(`${issuer}.pem`),
      '-CAkey',
      at(`${issuer}.key`),
      '-CAcreateserial',
      '-days',
      String(days),
      '-copy_extensions',
      'copyall',
      '-out',
      at(`${name}.pem`),
    ]);
    return { chain: at(`${name}.pem`), key: at(`${name}.key`) };
  };
  const known = root('authority', 'Slipway Test Authority');
  const unknown = root('stranger', 'Unknown Authority');
  issue('between', known, 90, 'Authority in between', ['-addext', 'basicConstraints=critical,CA:TRUE']);
  openssl([
    'req',
    '-x509',
    ...ecKey,
    '-days',
    '90',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
    '-keyout',
    at('self.key'),
    '-out',
    at('self.pem'),
  ]);
  return {
    authority: readFileSync(at('authority.pem'), 'utf8'),
    authorityFile: at('authority.pem'),
    good: issue('good', known, 90),
    expiring: issue('expiring', known, 10),
    expired: issue('expired', known, -1),
    selfSigned: { chain: at('self.pem'), key: at('self.key') },
    otherHost: issue('other', known, 90, 'builds.example.org'),
    withoutChain: issue('leaf', 'between', 90),
    tooLong: issue('long', known, 1000),
    unknownAuthority: issue('foreign', unknown, 90),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
