/** The origin of addresses in a response: from the setting, the Host header, or a trusted proxy. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, openRaw, rawRequest } from '../support/http-client.ts';
import {
  bearer,
  get,
  leavesNothing,
  refusalOf,
  type UploadResult,
  upload,
  uploaded,
} from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe('the origin of generated addresses', () => {
  let slipway: TestService;
  const start = async (settings: Record<string, string> = {}) => {
    const service = await startTestService({ blobs: 'memory', settings });
    await service.project('crew', { workspace: 'acme', members: { admin: 'owner' } });
    return service;
  };
  beforeAll(async () => {
    slipway = await start();
  });
  afterAll(() => slipway.close());
  /** Runs `work` with a service of other settings. */
  const withSettings = async (settings: Record<string, string>, work: () => Promise<void>) => {
    const usual = slipway;
    slipway = await start(settings);
    try {
      await work();
    } finally {
      await slipway.close();
      slipway = usual;
    }
  };

  const listedUrl = async (headers: Record<string, string>) => {
    const answer = await get(slipway, '/api/organizations', slipway.adminKey, { headers });
    return json<{ organizations: { url: string }[] }>(answer).organizations[0]?.url;
  };
  const originsOf = (result: UploadResult) =>
    [result.file, result.icon, result.revision_url, result.distribution?.url ?? ''].map(
      (url) => new URL(url).origin,
    );

  it('is the Host of the request when SLIPWAY_URL is not set', async () => {
    for (const host of [
      'apps.example.com',
      'apps.example.com:8443',
      '192.168.1.20:8080',
      '[::1]:8080',
      'LOCALHOST',
    ]) {
      expect(await listedUrl({ Host: host })).toBe(`http://${host}/organizations/crew`);
      const fields = { distribution_name: 'main' };
      const origins = originsOf(await uploaded(slipway, { fields, headers: { Host: host } }));
      expect(new Set(origins)).toEqual(new Set([`http://${host.toLowerCase()}`]));
    }
  });

  it.each([
    'a b',
    'a/b',
    'evil.example/path?',
    'a@b',
    'a<script>',
    '"',
    'a:port',
    'a:',
    ':80',
    'a:999999',
    'a,b',
    '..',
    '-a',
    'ex%61mple',
    'a\\b',
    `${'a'.repeat(300)}`,
    'a#b',
  ])('rejects the Host %j before anything is stored', async (host) => {
    const raw = async (method: string, path: string, headers: Record<string, string>) => {
      const connection = await openRaw(slipway.port);
      await connection.write(rawRequest(method, path, { ...headers, Host: host }));
      const answer = await connection.answer();
      connection.destroy();
      return answer;
    };
    refusalOf(await raw('GET', '/api/organizations', bearer(slipway.adminKey)), 400);
    await leavesNothing(slipway, async () => {
      refusalOf(await upload(slipway, { headers: { Host: host } }), 400);
    });
    for (const path of ['/', '/sign-in', '/docs', '/none', '/distributions/x']) {
      const page = await raw('GET', path, { Accept: 'text/html' });
      expect(page.status).toBeGreaterThanOrEqual(400);
      expect(page.status).toBeLessThan(500);
      if (page.headers['content-type']?.startsWith('text/html')) expect(page.text).not.toContain(host);
    }
    expect((await raw('GET', '/healthz', {})).status).toBe(200);
  });

  it('is that of SLIPWAY_URL, whatever the Host is', () =>
    withSettings({ SLIPWAY_URL: 'https://apps.example.com:8443' }, async () => {
      const said: [string, string][] = [
        ['Host', 'evil.example'],
        ['Host', 'a b'],
        ['X-Forwarded-Host', 'evil.example'],
      ];
      for (const [name, value] of said) {
        expect(await listedUrl({ [name]: value })).toBe('https://apps.example.com:8443/organizations/crew');
      }
      const fields = { distribution_name: 'main' };
      const origins = originsOf(await uploaded(slipway, { fields, headers: { Host: 'evil.example' } }));
      expect(new Set(origins)).toEqual(new Set(['https://apps.example.com:8443']));
    }));

  const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'proxy.example.com' };
  it('ignores forwarded headers of untrusted clients', async () => {
    expect(await listedUrl(forwarded)).toBe(`${slipway.origin}/organizations/crew`);
    await withSettings({ SLIPWAY_TRUST_PROXY: '10.0.0.0/8, 2001:db8::/32' }, async () => {
      expect(await listedUrl(forwarded)).toBe(`${slipway.origin}/organizations/crew`);
    });
  });

  it('follows the forwarded headers of a trusted proxy', () =>
    withSettings({ SLIPWAY_TRUST_PROXY: '127.0.0.0/8' }, async () => {
      expect(await listedUrl(forwarded)).toBe('https://proxy.example.com/organizations/crew');
      expect(await listedUrl({ 'X-Forwarded-Proto': 'https' })).toBe(
        `https://127.0.0.1:${slipway.port}/organizations/crew`,
      );
      expect(await listedUrl({ 'X-Forwarded-Proto': 'javascript' })).toBe(
        `${slipway.origin}/organizations/crew`,
      );
      const hostile = { ...forwarded, 'X-Forwarded-Host': 'a b' };
      refusalOf(await get(slipway, '/api/organizations', slipway.adminKey, { headers: hostile }), 400);
      const fields = { distribution_name: 'main' };
      const origins = originsOf(await uploaded(slipway, { fields, headers: forwarded }));
      expect(new Set(origins)).toEqual(new Set(['https://proxy.example.com']));
    }));
});
