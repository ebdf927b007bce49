/** The latest revision of an app, which open pages ask for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../support/browser-session.ts';
import { appPath, type BuildKit, startBuildKit } from '../support/build-actions-kit.ts';
import { send } from '../support/http-client.ts';

describe('the latest revision', () => {
  let kit: BuildKit;
  beforeAll(async () => {
    kit = await startBuildKit();
    await kit.upload();
  });
  afterAll(() => kit?.close());

  const latest = async (cookie: string) =>
    send(kit.slipway.port, `${appPath}/latest`, { headers: { Cookie: cookie } });

  it('follows uploads and is never cached', async () => {
    const before = await latest(kit.dev.cookie);
    expect(JSON.parse(before.text)).toEqual({ error: false, results: { revision: 1 } });
    expect(before.headers['cache-control']).toBe('private, no-store');
    await kit.upload();
    expect(JSON.parse((await latest(kit.dev.cookie)).text).results).toEqual({ revision: 2 });
  });

  it('is hidden from people who cannot see the app', async () => {
    const stranger = await signIn(kit.slipway, 'sam');
    const answer = await latest(stranger.cookie);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('revision');
  });

  it('is refused as soon as the session ends', async () => {
    const tester = await signIn(kit.slipway, 'tess');
    expect((await latest(tester.cookie)).status).toBe(200);
    await kit.post('/sign-out', {}, tester);
    expect((await latest(tester.cookie)).status).not.toBe(200);
  });

  it('starts the page with the revision that it shows', async () => {
    const page = (await kit.dev.get(appPath)).text;
    expect(page).toMatch(
      /role="status" data-live-stream="[^"]+\/live" data-live-news="[^"]+\/latest" data-revision="2"/,
    );
  });
});
