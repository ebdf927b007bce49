/** The release step, against a local registry. */

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
// @ts-expect-error a script without types
import { createSbom, pinImages, resolveDigest } from '../../scripts/release.mjs';
import { runsEverything } from '../support/runs-everything.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const manifestOf = (path: string) => JSON.stringify({ schemaVersion: 2, of: path });
const digestOf = (path: string) => `sha256:${createHash('sha256').update(manifestOf(path)).digest('hex')}`;

describe('the release step', () => {
  const state = {
    asked: [] as string[],
    change: (_path: string) => ({}) as { status?: number; stated?: string },
  };
  let registry = '';
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', registry);
    state.asked.push(`${url.pathname}${url.search}`);
    if (url.pathname === '/token')
      return response.end(JSON.stringify({ token: `for ${url.searchParams.get('scope')}` }));
    const repository = /^\/v2\/(.+)\/manifests\//.exec(url.pathname)?.[1];
    const scope = `repository:${repository}:pull`;
    if (request.headers.authorization !== `Bearer for ${scope}`) {
      const challenge = `Bearer realm="${registry}/token",service="test",scope="${scope}"`;
      return response.writeHead(401, { 'WWW-Authenticate': challenge }).end();
    }
    const { status = 200, stated = digestOf(url.pathname) } = state.change(url.pathname);
    return response.writeHead(status, { 'Docker-Content-Digest': stated }).end(manifestOf(url.pathname));
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    state.asked.length = 0;
    state.change = () => ({});
  });
  afterAll(async () => {
    server.close();
    await once(server, 'close');
  });

  it('pins every image of Dockerfile and compose file to the digest of the registry', async () => {
    const pinned: Map<string, string> = await pinImages(registry);
    const node = digestOf('/v2/library/node/manifests/24-slim');
    expect(pinned.get('Dockerfile')).toBe(
      read('Dockerfile').replaceAll('node:24-slim', `node:24-slim@${node}`),
    );
    const images = [...(pinned.get('compose.yaml') ?? '').matchAll(/^ +image: (.+)$/gm)].map(
      ([, image]) => image,
    );
    expect(images).toHaveLength(3);
    for (const image of images) {
      const [, name = '', tag, digest] = /^([^:]+):([^@]+)@(sha256:[0-9a-f]{64})$/.exec(image ?? '') ?? [];
      expect(digest).toBe(digestOf(`/v2/${name.includes('/') ? name : `library/${name}`}/manifests/${tag}`));
    }
    expect(state.asked).toContain('/token?service=test&scope=repository%3Alibrary%2Fnode%3Apull');
  });

  it('writes only the digest of the manifest, and none when the registry fails', async () => {
    state.change = () => ({ stated: `sha256:${'0'.repeat(64)}` });
    await expect(resolveDigest('node:24-slim', registry)).rejects.toThrow('could not be resolved');
    state.change = () => ({ status: 404 });
    await expect(resolveDigest('node:24-slim', registry)).rejects.toThrow('status 404');
    await expect(resolveDigest('node', registry)).rejects.toThrow('a name and a tag');
  });

  it('keeps tags when offline', async () => {
    const pinned: Map<string, string> = await pinImages(null);
    for (const name of ['Dockerfile', 'compose.yaml']) expect(pinned.get(name)).toBe(read(name));
    expect(state.asked).toEqual([]);
  });

  it.runIf(runsEverything)('lists every installed package with its hash in a reproducible SBOM', () => {
    const text: string = createSbom();
    expect(createSbom()).toBe(text);
    const bom = JSON.parse(text);
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: '@slipway-server/slipway' } },
    });
    expect(bom.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const { packages } = JSON.parse(read('package-lock.json'));
    const shipped = Object.entries<{ dev?: boolean; devOptional?: boolean; version: string }>(packages)
      .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
      .map(([path, entry]) => `${path.split('node_modules/').at(-1)}@${entry.version}`);
    const listed = bom.components.map(({ name, version }: Record<string, string>) => `${name}@${version}`);
    for (const name of Object.keys(JSON.parse(read('package.json')).dependencies))
      expect(
        listed.some((one: string) => one.startsWith(`${name}@`)),
        name,
      ).toBe(true);
    expect(listed.sort()).toEqual([...new Set(shipped)].sort());
    for (const { hashes } of bom.components) expect(hashes[0].alg).toBe('SHA-512');
  });

  const runRelease = async (...args: string[]) => {
    const child = spawn(process.execPath, [join(root, 'scripts/release.mjs'), ...args]);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const [code] = await once(child, 'close');
    return { code, stderr };
  };

  it.runIf(runsEverything)(
    'writes package, SBOM, image files and checksums, or nothing when a digest is missing',
    {
      timeout: 240_000,
    },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'slipway-release-'));
      try {
        const out = join(folder, 'release');
        state.change = (path) => (path.includes('garage') ? { status: 500 } : {});
        const failed = await runRelease('--registry', registry, '--out', out);
        expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('digest of dxflrs/garage')]);
        expect(failed.stderr).toContain('--offline');
        expect(existsSync(out)).toBe(false);

        state.change = () => ({});
        expect(await runRelease('--registry', registry, '--out', out)).toMatchObject({ code: 0 });
        const { version } = JSON.parse(read('package.json'));
        const names = [
          'Dockerfile',
          'SHA256SUMS',
          'compose.yaml',
          'sbom.cdx.json',
          `slipway-server-slipway-${version}.tgz`,
        ];
        expect(readdirSync(out).sort()).toEqual(names);
        const tarball = spawnSync('tar', ['tzf', join(out, `slipway-server-slipway-${version}.tgz`)], {
          encoding: 'utf8',
        });
        const files = tarball.stdout.trim().split('\n');
        const expected = /^package\/(?:(?:dist|docs)\/.+|[A-Z]+\.md|LICENSE|package\.json)$/;
        expect(files.filter((file) => !expected.test(file) || /\.test\.|\.built$/.test(file))).toEqual([]);
        expect(files).toContain('package/dist/chunks/common-password-hashes.txt');
        const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8');
        for (const name of names.filter((one) => one !== 'SHA256SUMS'))
          expect(sums).toContain(
            `${createHash('sha256')
              .update(readFileSync(join(out, name)))
              .digest('hex')}  ${name}\n`,
          );
        const again = join(folder, 'again');
        const offline = await runRelease('--offline', '--out', again);
        expect([offline.code, offline.stderr]).toEqual([
          0,
          expect.stringContaining('no digest was resolved'),
        ]);
        for (const name of ['sbom.cdx.json', `slipway-server-slipway-${version}.tgz`])
          expect(readFileSync(join(again, name)).equals(readFileSync(join(out, name)))).toBe(true);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
