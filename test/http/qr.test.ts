import sharp from 'sharp';
import { encode } from 'uqr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../support/http-client.ts';
import { refusalOf } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const origin = 'https://apps.example.com';

describe('GET /qr', () => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', settings: { SLIPWAY_URL: origin } });
  });
  afterAll(() => slipway.close());

  const qr = (query: Record<string, string>) => send(slipway.port, `/qr?${new URLSearchParams(query)}`, {});

  it('returns a PNG of the requested size for an address of this server, as the GitHub Action links to it', async () => {
    const data = `${origin}/distributions/${'a'.repeat(40)}`;
    const { status, headers, body } = await qr({ size: '178', data });
    expect([status, headers['content-type']]).toEqual([200, 'image/png']);
    const { data: pixels, info } = await sharp(body).greyscale().raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([178, 178]);
    const code = encode(data, { ecc: 'M', border: 4 });
    const scale = Math.floor(178 / code.size);
    const margin = Math.floor((178 - code.size * scale) / 2);
    const seen = code.data.map((row, y) =>
      row.map((_, x) => {
        const [column, line] = [margin + x * scale, margin + y * scale].map(
          (at) => at + Math.floor(scale / 2),
        );
        return pixels[((line ?? 0) * info.width + (column ?? 0)) * info.channels] === 0;
      }),
    );
    expect(seen).toEqual(code.data);
  });

  it('has a default size, and is never smaller than its modules', async () => {
    const data = `${origin}/distributions/${'a'.repeat(40)}`;
    const widthOf = async (query: Record<string, string>) =>
      (await sharp((await qr({ data, ...query })).body).metadata()).width;
    expect(await widthOf({})).toBe(178);
    expect(await widthOf({ size: '512' })).toBe(512);
    expect(await widthOf({ size: '32' })).toBe(encode(data, { ecc: 'M', border: 4 }).size);
  });

  it.each([
    'https://evil.example.com/x',
    `${origin}.evil.example.com/`,
    `https://user@evil.example.com/#${origin}`,
    'javascript:alert(1)',
    'text',
  ])('returns 404 for %s', async (data) => {
    refusalOf(await qr({ data }), 404);
  });

  it('refuses data that is too long, and invalid sizes', async () => {
    refusalOf(await qr({ data: `${origin}/${'x'.repeat(600)}` }), 400);
    refusalOf(await qr({}), 400);
    for (const size of ['0', '31', '513', '1e2', '-1', ''])
      refusalOf(await qr({ data: `${origin}/`, size }), 400);
  });
});
