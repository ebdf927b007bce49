/** The nginx location of docs/behind-a-proxy.md that sends stored files, unchanged. */
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseBlobKey } from '../../src/blobs/blob-key.ts';
import { readConfig } from '../../src/config.ts';
import { buildApk } from '../support/build-apk.ts';
import { get, refusalOf, type UploadResult, uploaded } from '../support/interface-client.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import {
  makeCertificates,
  programs,
  type RunningProxy,
  startProxy,
  type TestCertificates,
} from './proxy-examples.ts';
import { tlsRequest } from './tls-request.ts';

const trusted = getCACertificates('default');
const proxied = { SLIPWAY_TRUST_PROXY: '127.0.0.1' };
const apk = buildApk({ fillerBytes: 3_000_000 });

function documentedLocation(blobs: string): string {
  const docs = readFileSync(fileURLToPath(new URL('../../docs/behind-a-proxy.md', import.meta.url)), 'utf8');
  const location = /^```nginx-location\n([\s\S]*?)^```$/m.exec(docs)?.[1] ?? '';
  const placed = location.replace('/var/lib/slipway/blobs/', `${blobs}/`);
  if (placed === location) throw new Error('the docs name no folder of stored files');
  return placed;
}

describe('SLIPWAY_SENDFILE', () => {
  it.each([
    ['nginx', proxied, 'must be x-accel-redirect, x-sendfile or off. It is nginx'],
    ['x-accel-redirect', {}, 'requires SLIPWAY_TRUST_PROXY'],
    ['x-sendfile', { ...proxied, SLIPWAY_BLOB_URL: 's3://bucket?region=eu' }, 'requires files on disk'],
  ])('refuses %s where it cannot work', (value, settings, words) => {
    expect(() => readConfig({ ...settings, SLIPWAY_SENDFILE: value })).toThrow(`SLIPWAY_SENDFILE ${words}`);
  });

  it('reveals the path only to the proxy', async () => {
    const slipway = await startTestService({ settings: { ...proxied, SLIPWAY_SENDFILE: 'x-sendfile' } });
    try {
      const small = buildApk();
      const { file } = await uploaded(slipway, { file: small });
      const direct = await get(slipway, file);
      expect(direct.body.equals(small)).toBe(true);
      expect(direct.headers).not.toHaveProperty('x-sendfile');
      const headers = { 'X-Forwarded-For': '192.0.2.1', Range: 'bytes=0-9' };
      const handed = await get(slipway, file, null, { headers });
      expect(handed).toMatchObject({ status: 200, text: '' });
      expect(handed.headers['content-disposition']).toBe(direct.headers['content-disposition']);
      expect(readFileSync(String(handed.headers['x-sendfile'])).equals(small)).toBe(true);
    } finally {
      await slipway.close();
    }
  });
});

describe.runIf(runsEverything && existsSync(programs.nginx))(
  'nginx with SLIPWAY_SENDFILE (needs nginx)',
  () => {
    let certificates: TestCertificates;
    let slipway: TestService;
    let proxy: RunningProxy;
    let result: UploadResult;
    let throughProxy = '';
    beforeAll(async () => {
      certificates = makeCertificates();
      setDefaultCACertificates([...trusted, certificates.authority]);
      slipway = await startTestService({ settings: { ...proxied, SLIPWAY_SENDFILE: 'x-accel-redirect' } });
      const location = documentedLocation(join(slipway.config.dataFolder, 'blobs'));
      proxy = await startProxy('nginx', {
        upstreamPort: slipway.port,
        certificate: certificates.good,
        change: (example) => example.replace('    location / {', `${location}\n    location / {`),
      });
      result = await uploaded(slipway, { file: apk });
      const { pathname, search } = new URL(result.file);
      throughProxy = `${proxy.origin}${pathname}${search}`;
    });
    afterAll(async () => {
      await proxy?.stop();
      await slipway?.close();
      setDefaultCACertificates(trusted);
      certificates?.remove();
    });

    it('sends the same bytes and headers as Slipway', async () => {
      const direct = await get(slipway, result.file);
      const answer = await tlsRequest(throughProxy);
      expect(answer.status).toBe(200);
      expect(answer.body.equals(apk)).toBe(true);
      expect(answer.headers).not.toHaveProperty('x-accel-redirect');
      for (const name of [
        ...[
          'content-type',
          'content-length',
          'content-disposition',
          'etag',
          'last-modified',
          'cache-control',
        ],
        ...['accept-ranges', 'x-content-type-options', 'referrer-policy'],
      ])
        expect([name, answer.headers[name]]).toEqual([name, direct.headers[name]]);
      expect(answer.headers['x-request-id']).toMatch(/./);
    });

    it('handles ranges itself, with validators that Slipway accepts', async () => {
      const part = await tlsRequest(throughProxy, { headers: { Range: 'bytes=1000000-1999999' } });
      expect(part.status).toBe(206);
      expect(part.headers['content-range']).toBe(`bytes 1000000-1999999/${apk.length}`);
      expect(part.body.equals(apk.subarray(1_000_000, 2_000_000))).toBe(true);
      const etag = String(part.headers.etag);
      const resumed = await tlsRequest(throughProxy, { headers: { Range: 'bytes=10-19', 'If-Range': etag } });
      expect(resumed.status).toBe(206);
      const stale = await tlsRequest(throughProxy, {
        headers: { Range: 'bytes=10-19', 'If-Range': '"other"' },
      });
      expect(stale.status).toBe(200);
      expect((await tlsRequest(throughProxy, { headers: { 'If-None-Match': etag } })).status).toBe(304);
      const past = await tlsRequest(throughProxy, { headers: { Range: `bytes=${apk.length}-` } });
      expect(past.status).toBe(416);
      const head = await tlsRequest(throughProxy, { method: 'HEAD' });
      expect([head.status, head.headers['content-length']]).toEqual([200, String(apk.length)]);
    });

    it('sends only what Slipway authorizes, and never by the internal address', async () => {
      const { pathname } = new URL(result.file);
      expect((await tlsRequest(`${proxy.origin}${pathname}`)).status).toBe(404);
      const handed = await get(slipway, result.file, null, { headers: { 'X-Forwarded-For': '192.0.2.1' } });
      const tx = String(handed.headers['x-accel-redirect']);
      expect(tx).toMatch(/^\/slipway-files\/packages\/[0-9a-f]{2}\/[0-9a-z]+$/);
      for (const path of [tx, '/slipway-files/', `/slipway-files/../slipway-files${tx.slice(14)}`])
        expect((await tlsRequest(`${proxy.origin}${path}`)).status).toBe(404);
    });

    it('never sends a file that Slipway reports as damaged', async () => {
      const { file } = await uploaded(slipway, { file: buildApk({ packageName: 'com.example.gone' }) });
      const id = new URL(file).pathname.split('/')[2] ?? '';
      const build = await slipway.data.builds.findBuild(id);
      await rm(slipway.blobs.localPath?.(parseBlobKey(build?.packageBlob ?? '')) ?? '');
      const { pathname, search } = new URL(file);
      refusalOf(await tlsRequest(`${proxy.origin}${pathname}${search}`), 503);
    });
  },
);
