/** The Pages tab of an app with more pages than it shows at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newHexKey } from '../../src/core/identifier.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { addApp } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const count = 43;
const pagesPerPart = 20;

describe.each(dialects)('pages of an app on %s', (dialect) => {
  let slipway: TestService;
  let admin: BrowserSession;
  const path = '/users/admin/platforms/android/apps/com.example.sample/pages';
  beforeAll(async () => {
    // All pages have the same time of update, so that only their identifiers order them.
    slipway = await startTestService({ dialect, blobs: 'memory', now: () => Date.UTC(2026, 10, 1) });
    const owner = await slipway.data.owners.findOwner('admin');
    const { appId, builds } = await addApp(slipway.data, owner?.id ?? '', { count });
    const now = Date.UTC(2026, 10, 1);
    for (const [at, { id }] of builds.entries())
      await slipway.data.distributions.insertPage({
        ...{ appId, now, buildId: id, name: `branch-${at + 1}`, accessKey: newHexKey(), releaseNote: '' },
      });
    admin = await signIn(slipway, 'admin');
  });
  afterAll(() => slipway.close());

  const namesOf = (html: string) =>
    [...html.matchAll(/<bdi class="cut">(branch-\d+)</g)].map(([, name]) => name);
  const olderOf = (html: string) => /<a href="([^"]+)" rel="next"/.exec(html)?.[1];

  it('lists every page once, twenty at a time', async () => {
    const parts: (string | undefined)[][] = [];
    for (let address: string | undefined = path; address; ) {
      const html = (await admin.get(address)).text;
      parts.push(namesOf(html));
      expect(html.includes('rel="prev"')).toBe(address !== path);
      address = olderOf(html);
    }
    expect(parts.map(({ length }) => length)).toEqual([pagesPerPart, pagesPerPart, count - 2 * pagesPerPart]);
    expect(new Set(parts.flat()).size).toBe(count);
  });

  it('starts from the beginning when the position is invalid', async () => {
    const first = namesOf((await admin.get(path)).text);
    for (const before of ['x', '1.2', `zzzzzzzzzzzz.${'0'.repeat(26)}`]) {
      expect(namesOf((await admin.get(`${path}?before=${before}`)).text)).toEqual(first);
    }
  });
});
