/** Form tokens are masked differently in every response, so that the lengths of compressed pages reveal nothing about them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import { json } from '../support/http-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const tokensIn = (text: string) =>
  [...text.matchAll(/name="csrf" value="([^"]*)"/g)].map(([, token = '']) => token);
const halves = (token: string) => {
  const bytes = Buffer.from(token, 'base64url');
  return [bytes.subarray(0, 32), bytes.subarray(32)] as const;
};
const xor = (one: Buffer, other: Buffer) => Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));

describe('form tokens', () => {
  let slipway: TestService;
  let admin: BrowserSession;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    await slipway.project('harbour');
    admin = await signIn(slipway, 'admin');
  });
  afterAll(() => slipway.close());

  const createKeyPage = '/settings/keys';
  const uploadPage = '/organizations/harbour/upload';
  const responses = async () => [
    ...(await Promise.all(
      [createKeyPage, createKeyPage, '/', '/settings/security'].map((path) => admin.get(path)),
    )),
    await admin.get(`${uploadPage}?bytes=1`, { headers: { Accept: 'application/json' } }),
  ];
  /** Signs out another session, so that this one remains. */
  const accepts = async (csrf: string) => {
    const answer = await postForm(
      slipway,
      '/settings/sessions/end-others',
      { csrf },
      { Cookie: admin.cookie },
    );
    return answer.status === 303;
  };

  it('differ between responses, in all of their bytes, and are equal within one', async () => {
    const tokens = (await responses()).map((answer) => {
      const found = tokensIn(answer.text);
      const all = new Set(found.length > 0 ? found : [String(json(answer).csrf)]);
      expect(all.size).toBe(1);
      return [...all][0] ?? '';
    });
    expect(tokens).toHaveLength(5);
    for (const [at, token] of tokens.entries()) {
      expect(token).toMatch(/^[\w-]{86}$/);
      expect(await accepts(token)).toBe(true);
      for (const other of tokens.slice(at + 1)) {
        // A guess in the address would have to match six characters by chance.
        for (let start = 0; start + 6 <= token.length; start++)
          expect(other).not.toContain(token.slice(start, start + 6));
      }
    }
  });

  it('carry the token of the session under their mask, whatever the mask is', async () => {
    const [token = ''] = tokensIn((await admin.get('/')).text);
    const [pad, masked] = halves(token);
    const bare = xor(masked, pad);
    const [otherPad, otherMasked] = halves(tokensIn((await admin.get('/')).text)[0] ?? '');
    expect(xor(otherMasked, otherPad)).toEqual(bare);
    const chosen = Buffer.alloc(32, 7);
    expect(await accepts(Buffer.concat([chosen, xor(bare, chosen)]).toString('base64url'))).toBe(true);
    expect(await accepts(bare.toString('base64url'))).toBe(false);
  });

  it('are refused when one byte of the mask or of the token differs, or the length', async () => {
    const [token = ''] = tokensIn((await admin.get('/')).text);
    const bytes = Buffer.from(token, 'base64url');
    const changed = [0, 31, 32, 63].map((at) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy.toString('base64url');
    });
    const cut = bytes.subarray(1).toString('base64url');
    for (const wrong of [...changed, cut, `${token}A`, `${token}=`, token.slice(0, 43), token.slice(43)])
      expect([wrong, await accepts(wrong)]).toEqual([wrong, false]);
    const other = await signIn(slipway, 'admin');
    const [foreign = ''] = tokensIn((await other.get('/')).text);
    expect(await accepts(foreign)).toBe(false);
  });
});
