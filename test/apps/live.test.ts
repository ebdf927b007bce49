/** The event stream of an app: what it sends, when it ends, and how many may be open. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defineQueries } from '../../src/db/data.ts';
import { defaultEventStreamLimits } from '../../src/http/sending/event-streams.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { appPath, type BuildKit, ownerName, startBuildKit } from '../support/build-actions-kit.ts';
import { type EventStreamReader, openEventStream } from '../support/event-stream.ts';
import { send } from '../support/http-client.ts';
import { bearer } from '../support/interface-client.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { openSecondNode } from '../support/second-node.ts';

const path = `${appPath}/live`;
const streams = { ...defaultEventStreamLimits, pollMs: 50, heartbeatMs: 200 };
const opened: EventStreamReader[] = [];

async function open(
  port: number,
  by: Pick<BrowserSession, 'cookie'>,
  address = path,
): Promise<EventStreamReader> {
  const stream = await openEventStream(`http://127.0.0.1:${port}`, address, { Cookie: by.cookie });
  opened.push(stream);
  return stream;
}
const factsOf = defineQueries((db) => ({
  verify: (verification: string | null) => db.updateTable('builds').set({ verification }).execute(),
  publish: (at: number) => db.updateTable('distribution_pages').set({ updated_at: at }).execute(),
}));
const changes = (stream: EventStreamReader) =>
  stream.events().flatMap(({ event, data }) => (event === 'change' ? [data as { revision: number }] : []));
const revisions = (stream: EventStreamReader) => changes(stream).map(({ revision }) => revision);

afterEach(() => {
  for (const stream of opened.splice(0)) stream.destroy();
});

describe('the event stream of an app', () => {
  let kit: BuildKit;
  beforeAll(async () => {
    kit = await startBuildKit({ limits: { streams, accessCheckMs: 100 } });
    await kit.upload({ fields: { distribution_name: 'main' } });
    await kit.slipway.service.outbox.idle();
  });
  afterAll(() => kit?.close());
  const port = () => kit.slipway.port;

  it('starts with the current state, in a form that proxies do not buffer, compress or store', async () => {
    const stream = await open(port(), kit.dev);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'private, no-store',
      'x-accel-buffering': 'no',
    });
    expect(stream.headers['content-encoding']).toBeUndefined();
    await expect.poll(() => revisions(stream)).toEqual([1]);
    expect(stream.text()).toMatch(/^retry: [1-5]\d{3}\n/);
  });

  it('announces a new build, a label and a protection', async () => {
    const stream = await open(port(), kit.dev);
    const { revision } = await kit.upload();
    await expect.poll(() => revisions(stream).at(-1)).toBe(revision);
    const id = (await kit.slipway.data.builds.findBuildByRevision(await kit.appId(), revision))?.id ?? '';
    for (const change of [
      () => kit.slipway.data.builds.changeLabel(id, 'beta'),
      () => kit.slipway.data.builds.setProtected(id, true),
    ]) {
      // Icon and verification of the new build may still arrive.
      const before = new Set(changes(stream).map((state) => JSON.stringify(state)));
      await change();
      await expect.poll(() => before.has(JSON.stringify(changes(stream).at(-1)))).toBe(false);
    }
  });

  it('announces a verification result and a published page', async () => {
    const facts = factsOf(kit.slipway.service.data);
    const stream = await open(port(), kit.dev);
    const states = () => changes(stream).map((state) => JSON.stringify(state));
    await expect.poll(states).toHaveLength(1);
    await facts.verify('{}');
    await expect.poll(states).toHaveLength(2);
    await facts.verify(null);
    await expect.poll(states).toHaveLength(3);
    expect(new Set(states()).size).toBe(2);
    await facts.publish(1);
    await expect.poll(states).toHaveLength(4);
  });

  it('announces changes of builds that are not among the newest to the pages that show them', async () => {
    const many = kit.newApp();
    await many.addBuilds(26);
    const [older, path] = [{ revision: 1 }, `${many.appPath}/live`];
    const page = await kit.dev.get(many.buildPath(older.revision));
    const [, address = ''] = /data-live-stream="([^"]+)"/.exec(page.text) ?? [];
    expect(address).toBe(`${path}?revision=${older.revision}`);
    const list = await kit.dev.get(`${many.appPath}?below=${older.revision + 1}`);
    expect(list.text).toContain(`data-live-stream="${address}"`);
    expect((await kit.dev.get(many.appPath)).text).toContain(`data-live-stream="${path}"`);
    const newest = await open(port(), kit.dev, path);
    const stream = await open(port(), kit.dev, address);
    await expect.poll(() => [changes(newest).length, changes(stream).length]).toEqual([1, 1]);
    expect(revisions(stream)).toEqual(revisions(newest));
    const build = await kit.slipway.data.builds.findBuildByRevision(await many.appId(), older.revision);
    await kit.slipway.data.builds.changeLabel(build?.id ?? '', 'beta');
    await expect.poll(() => changes(stream).length).toBe(2);
    expect(changes(newest)).toHaveLength(1);
  });

  it('sends heartbeats while nothing changes', async () => {
    const stream = await open(port(), kit.dev);
    await expect.poll(() => stream.text()).toContain(': heartbeat\n\n');
  });

  it('ends when the person leaves the team, and tells so', async () => {
    const tester = await signIn(kit.slipway, 'tess');
    const stream = await open(port(), tester);
    expect(stream.status).toBe(200);
    const change = { projectName: ownerName, team: 'tester', userName: 'tess', by: 'command-line' } as const;
    await kit.slipway.owners.removeFromTeam(change);
    await stream.ended;
    expect(stream.events().at(-1)?.event).toBe('end');
    expect((await open(port(), tester)).status).toBe(404);
    await kit.slipway.owners.addToTeam({ ...change, notify: false });
  });

  it('ends when the session ends', async () => {
    const tester = await signIn(kit.slipway, 'tess');
    const stream = await open(port(), tester);
    await kit.post('/sign-out', {}, tester);
    await stream.ended;
    expect(stream.events().at(-1)?.event).toBe('end');
  });

  it('is hidden from people who cannot see the app', async () => {
    const stranger = await signIn(kit.slipway, 'sam');
    expect((await send(port(), path, { headers: { Cookie: stranger.cookie } })).status).toBe(404);
  });

  it('answers HEAD without opening a stream', async () => {
    for (let at = 0; at <= streams.maxPerHolder; at++) {
      const answer = await send(port(), path, { method: 'HEAD', headers: { Cookie: kit.dev.cookie } });
      expect(answer.status).toBe(200);
    }
  });

  it('is limited to ten per person, and another one gets 429 until one is closed', async () => {
    const session = await signIn(kit.slipway, 'otto');
    const ten: EventStreamReader[] = [];
    for (let at = 0; at < 10; at++) ten.push(await open(port(), session));
    expect(ten.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const headers = { Cookie: (await signIn(kit.slipway, 'otto')).cookie };
    const refused = await send(port(), path, { headers: { ...headers, Accept: 'application/json' } });
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('60');
    expect((await open(port(), kit.dev)).status).toBe(200);
    ten[0]?.destroy();
    await expect.poll(async () => (await send(port(), path, { headers })).status).toBe(200);
  });
});

describe('event streams', () => {
  it('are limited per node, and do not count as concurrent requests once they are open', async () => {
    const settings = { SLIPWAY_MAX_REQUESTS_PER_ADDRESS: '2' };
    const kit = await startBuildKit({ limits: { streams: { ...streams, maxPerNode: 3 } }, settings });
    await kit.addBuilds(1);
    const owner = await signIn(kit.slipway, 'otto');
    for (const by of [kit.dev, kit.dev, owner]) expect((await open(kit.slipway.port, by)).status).toBe(200);
    expect((await kit.dev.get(appPath)).status).toBe(200);
    const headers = bearer(kit.devKey);
    expect((await send(kit.slipway.port, path, { headers })).status).toBe(429);
    await kit.close();
  });

  it('end properly after their maximum life, without the event for lost access', async () => {
    const kit = await startBuildKit({ limits: { streams: { ...streams, lifeMs: 300 } } });
    await kit.addBuilds(1);
    const stream = await open(kit.slipway.port, kit.dev);
    await stream.ended;
    expect(stream.events().map(({ event }) => event)).not.toContain('end');
    await kit.close();
  });

  it.runIf(runsEverything)('end as soon as the server shuts down, and do not delay it', async () => {
    const kit = await startBuildKit({ limits: { streams }, settings: { SLIPWAY_DRAIN_SECONDS: '4' } });
    await kit.addBuilds(1);
    const stream = await open(kit.slipway.port, kit.dev);
    let closed = false;
    const closing = kit.close().then(() => {
      closed = true;
    });
    await stream.ended;
    expect(closed).toBe(false);
    const late = await send(kit.slipway.port, path, { headers: { Cookie: kit.dev.cookie } });
    expect(late.status).toBe(503);
    await closing;
  });

  it.runIf(runsEverything)('announce a build that another node published', async () => {
    const kit = await startBuildKit({ dialect: 'postgres' });
    await kit.upload();
    const second = await openSecondNode(kit.slipway, {}, Date.now);
    const stream = await open(second.port, kit.dev);
    await expect.poll(() => revisions(stream)).toEqual([1]);
    await kit.upload();
    await expect.poll(() => revisions(stream).at(-1)).toBe(2);
    stream.destroy();
    await second.close();
    await kit.close();
  });
});
