/** Publishing a build to an existing or a new distribution page. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appPath, type BuildKit, buildPath, ownerName, startBuildKit } from '../support/build-actions-kit.ts';

describe('publishing a build', () => {
  let kit: BuildKit;
  beforeAll(async () => {
    kit = await startBuildKit();
    await kit.upload({ fields: { distribution_name: 'QA', message: 'First' } });
    await kit.upload({ fields: { message: 'Second' } });
  });
  afterAll(() => kit?.close());

  const publish = (revision: number, fields: Record<string, string>) =>
    kit.post(`${buildPath(revision)}/publish`, { page: '', note: '', ...fields });
  const pageNamed = async (name: string) => {
    const pages = await kit.slipway.data.appPages.listPages({ kind: 'manager' }, await kit.appId(), 9);
    return pages.find((page) => page.name === name);
  };
  const jobs = async () => {
    await kit.slipway.service.outbox.idle();
    const ownerId = (await kit.slipway.data.owners.findOwner(ownerName))?.id ?? '';
    return (await kit.slipway.data.audit.list(ownerId, 99)).map(({ action }) => action);
  };

  it('offers the pages of the app and the message of the build', async () => {
    const form = (await kit.dev.get(`${buildPath(2)}/publish`)).text;
    expect(form).toContain('<option value="QA">');
    expect(form).toContain('Second');
    expect((await kit.dev.get(`${buildPath(2)}/publish?page=Beta`)).text).toContain('value="Beta"');
  });

  it('serves the build on an existing page, with its note, and keeps the link', async () => {
    const before = await pageNamed('QA');
    const answer = await publish(2, { page: 'QA', note: '**Try** the banner' });
    expect(answer).toMatchObject({
      status: 303,
      location: `/distributions/${before?.accessKey}/settings?done=published`,
    });
    expect((await kit.dev.get(answer.location)).text).toContain('Build published.');
    expect(await pageNamed('QA')).toMatchObject({ revision: 2, accessKey: before?.accessKey });
    const tester = (await kit.dev.get(`/distributions/${before?.accessKey}`)).text;
    expect(tester).toContain('<strong>Try</strong> the banner');
    expect(await jobs()).toContain('page.published');
  });

  it('creates a page with a new name; an empty note stands for the message', async () => {
    const answer = await publish(1, { page: ' Beta ', note: ' ' });
    expect(answer.status).toBe(303);
    const page = await pageNamed('Beta');
    expect(page).toMatchObject({ revision: 1 });
    expect((await kit.dev.get(`/distributions/${page?.accessKey}`)).text).toContain('First');
    expect(await jobs()).toContain('page.created');
  });

  it('restores a build that was withdrawn from the page', async () => {
    const accessKey = (await pageNamed('QA'))?.accessKey ?? '';
    await kit.post(`/distributions/${accessKey}/settings/withdraw`, { revision: '1' });
    await publish(1, { page: 'QA' });
    await publish(2, { page: 'QA' });
    const settings = (await kit.dev.get(`/distributions/${accessKey}/settings`)).text;
    expect(settings).not.toContain('Withdrawn builds cannot be installed');
  });

  it('refuses names and notes that no page can have, and keeps the input', async () => {
    for (const [fields, sentence] of [
      [{ page: ' ', note: 'kept' }, 'name'],
      [{ page: 'x'.repeat(256), note: 'kept' }, '255'],
      [{ page: 'QA', note: 'x'.repeat(70_000) }, 'too long'],
    ] as const) {
      const answer = await publish(2, fields);
      expect(answer.status).toBe(400);
      expect(answer.text.toLowerCase()).toContain(sentence);
      expect(answer.text).toContain('There is 1 error');
    }
    expect(await kit.slipway.data.appPages.listPages({ kind: 'manager' }, await kit.appId(), 9)).toHaveLength(
      2,
    );
  });

  it('refuses a build that was deleted meanwhile', async () => {
    await kit.upload();
    const form = await kit.dev.get(`${buildPath(3)}/publish`);
    expect(form.status).toBe(200);
    await kit.submit(buildPath(3), 'delete');
    expect((await publish(3, { page: 'QA' })).status).toBe(404);
    expect((await kit.dev.get(appPath)).status).toBe(200);
  });
});
