/** The single-file program offered by servers, run by this Node and by the system's Node if different. */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { accept, receiveUploads, refuse, uploadedBody } from '../support/receive-upload.ts';
import { builtUploader } from '../support/run-cli.ts';
import { noise, startReceiver, temporaryFile, temporaryFolder } from './upload-test-kit.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const version = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version;
let folder = '';
const file = builtUploader;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-uploader-file-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function majorOf(node: string): number {
  return Number(/^v(\d+)/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[1]);
}

const machineNode = '/usr/bin/node';
const runtimes = [
  { node: process.execPath, name: `Node ${majorOf(process.execPath)}`, there: true },
  {
    node: machineNode,
    name: "the machine's own Node",
    there: existsSync(machineNode) && majorOf(machineNode) >= 20,
  },
];

const opensslThere = spawnSync('openssl', ['version']).status === 0;

interface Run {
  exitCode: number | null;
  out: string;
  err: string;
}

function run(node: string, argv: string[], env: Record<string, string> = {}, stdin = ''): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [file, ...argv], { env: { PATH: process.env.PATH, ...env }, cwd: folder });
    const ended: Run = { exitCode: null, out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      ended.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      ended.err += text;
    });
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ ...ended, exitCode }));
    child.stdin.end(stdin);
  });
}

test('the single file imports only Node modules and contains no path of this machine', async () => {
  const text = await readFile(file, 'utf8');
  expect(text.startsWith('#!/usr/bin/env node\n')).toBe(true);
  const imports = [...text.matchAll(/^import .* from "(.*)";$/gm)].map(([, name]) => name);
  expect(imports.length).toBeGreaterThan(0);
  expect(imports.filter((name) => !name?.startsWith('node:'))).toEqual([]);
  expect(text).not.toMatch(/\bimport\(|\brequire\(/);
  expect(text).not.toContain(root);
  expect(text).toContain('Project Nayuki');
});

describe.each(runtimes)('$name', ({ node, there }) => {
  test.skipIf(!there)('uploads with and without the upload subcommand', async () => {
    const receiver = await startReceiver({ onTestFinished }, accept());
    const content = noise(1_000_000);
    const app = await temporaryFile({ onTestFinished }, 'démo.apk', content);
    const env = { SLIPWAY_API_KEY: 'slw_test', SLIPWAY_URL: receiver.url };
    for (const argv of [
      ['upload', app, '--owner', 'acme'],
      [app, '-o', 'acme', '--json'],
    ]) {
      const { exitCode, out, err } = await run(node, argv, env);
      expect(err).toContain('Uploaded Demo 1.2.3 (45) for Android as revision 7');
      expect(exitCode).toBe(0);
      if (argv.includes('--json'))
        expect(JSON.parse(out)).toMatchObject({ ...uploadedBody(), revision: 7, page_url: null });
      else expect(out).toBe(`${receiver.url}/users/acme/apps/com.example.demo\n`);
    }
    for (const { parts, headers } of receiver.received) {
      expect(headers['user-agent']).toBe(`slipway-upload/${version}`);
      expect(parts[0]).toMatchObject({ name: 'file', fileName: 'démo.apk' });
      expect(parts[0]?.bytes?.equals(content)).toBe(true);
    }
  });

  test.skipIf(!there)('reads the key from standard input and exits with 1 when it is refused', async () => {
    const receiver = await startReceiver({ onTestFinished }, refuse(401));
    const app = await temporaryFile({ onTestFinished }, 'demo.ipa', 'IPA');
    const { exitCode, out, err } = await run(
      node,
      [app, '-o', 'acme', '-u', receiver.url, '--api-key-stdin'],
      {},
      'slw_in\n',
    );
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
    expect(err).toContain('Not uploaded: refused with 401 (401)\n');
    expect(receiver.received[0]?.headers.authorization).toBe('Bearer slw_in');
  });

  test.skipIf(!there)('shows help, the version and usage errors', async () => {
    expect(await run(node, ['--version'])).toEqual({ exitCode: 0, out: `${version}\n`, err: '' });
    expect((await run(node, [])).out).toContain('Usage: node slipway.mjs FILE --owner OWNER');
    // A job whose variables are missing must not succeed with the help.
    expect(await run(node, ['upload'])).toMatchObject({ exitCode: 2, out: '' });
    const wrong = await run(node, ['upload', 'demo.apk']);
    expect(wrong).toMatchObject({ exitCode: 2, out: '' });
    expect(wrong.err).toContain('Try node slipway.mjs --help');
    expect((await run(node, ['x', '-o', 'y', '--api-key-stdin'], {}, 'k'.repeat(5000))).exitCode).toBe(2);
  });

  test.skipIf(!there || !opensslThere)('trusts a certificate only when configured to', async () => {
    const keys = await temporaryFolder({ onTestFinished });
    const [key, cert] = [join(keys, 'key.pem'), join(keys, 'cert.pem')];
    await promisify(execFile)('openssl', [
      ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'.split(
        ' ',
      ),
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', cert],
    ]);
    const tls = { key: await readFile(key), cert: await readFile(cert) };
    const receiver = await receiveUploads([accept()], (listener) => createServer(tls, listener));
    onTestFinished(receiver.close);
    const app = await temporaryFile({ onTestFinished }, 'demo.apk', noise(500_000));
    const argv = [app, '-o', 'acme', '-u', receiver.url.replace('http:', 'https:')];
    const untrusted = await run(node, argv, { SLIPWAY_API_KEY: 'k' });
    expect(untrusted.exitCode).toBe(1);
    expect(untrusted.err).toMatch(
      /cannot be trusted: its certificate is self-signed\.\n.*NODE_EXTRA_CA_CERTS/,
    );
    expect(receiver.received).toEqual([]);
    const trusted = await run(node, argv, { SLIPWAY_API_KEY: 'k', NODE_EXTRA_CA_CERTS: cert });
    expect(trusted).toMatchObject({ exitCode: 0 });
    expect(receiver.received[0]?.parts[0]?.bytes?.length).toBe(500_000);
  });
});

test('the single file reports which version it needs on an older Node', async () => {
  const copy = join(folder, 'older.mjs');
  await copyFile(file, copy);
  const pretend =
    "Object.defineProperty(process.versions, 'node', { value: '18.20.8' }); await import(process.argv[1]);";
  const older = spawn(process.execPath, ['--input-type=module', '-e', pretend, copy]);
  let err = '';
  older.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const exitCode = await new Promise((resolve) => older.on('close', resolve));
  expect({ exitCode, err }).toEqual({
    exitCode: 2,
    err: expect.stringContaining("Slipway's uploader needs Node 20 or newer"),
  });
});
