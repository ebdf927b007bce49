/** Editing the message of a build. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { maxMessageBytes } from '../../src/apps/builds/build-changes.ts';
import { maxTextBytes } from '../../src/uploads/upload-fields.ts';
import { type BuildKit, buildPath, ownerName, startBuildKit } from '../support/build-actions-kit.ts';

describe('build message', () => {
  let kit: BuildKit;
  let revision = 0;
  beforeAll(async () => {
    kit = await startBuildKit();
  });
  beforeEach(async () => {
    revision = (await kit.upload({ fields: { message: 'First\nwords' } })).revision;
  });
  afterAll(() => kit.close());

  const save = (message: string, changes: Record<string, string> = {}) =>
    kit.submit(buildPath(revision), 'message', { message, ...changes });
  const kept = async () => {
    const { data } = kit.slipway;
    return (await data.builds.findBuildByRevision(await kit.appId(), revision))?.message;
  };
  const audited = async () => {
    const owner = await kit.slipway.data.owners.findOwner(ownerName);
    const rows = await kit.slipway.data.audit.list(owner?.id ?? '', 99);
    return rows.filter(
      ({ action, subject }) => action === 'build.message-changed' && subject.endsWith(` ${revision}`),
    );
  };

  it('is saved with normalized line endings and recorded in the audit log', async () => {
    const answer = await save('New <b>words</b>\r\nand 日本語 📦');
    expect(answer).toMatchObject({ status: 303, location: `${buildPath(revision)}?done=saved` });
    expect(await kept()).toBe('New <b>words</b>\nand 日本語 📦');
    const page = (await kit.dev.get(answer.location)).text;
    expect(page).toContain('Message saved.');
    expect(page).not.toContain('<b>words');
    expect((await audited()).map(({ details }) => details)).toEqual([
      expect.objectContaining({ from: 'First\nwords', to: 'New <b>words</b>\nand 日本語 📦' }),
    ]);
  });

  it('changes nothing when the message is the same', async () => {
    expect((await save('First\r\nwords')).status).toBe(303);
    expect(await kept()).toBe('First\nwords');
    expect(await audited()).toEqual([]);
  });

  it('can be cleared and set again', async () => {
    await save('');
    expect(await kept()).toBe('');
    expect((await kit.dev.get(buildPath(revision))).text).toContain('Add message');
    await save('Again');
    expect(await kept()).toBe('Again');
  });

  it('has the same size limit as in an upload, and a longer one is rejected with the input kept', async () => {
    expect(maxMessageBytes).toBe(maxTextBytes);
    const limit = `${'語'.repeat(maxMessageBytes / 3 - 1)}abc`;
    expect(Buffer.byteLength(limit)).toBe(maxMessageBytes);
    expect((await save(limit)).status).toBe(303);
    expect(await kept()).toBe(limit);
    const more = await save(`${limit}x`);
    expect(more.status).toBe(400);
    expect(more.text).toContain('Message too long: 32,767 bytes. The limit is 32,766 bytes.');
    expect(more.text).toContain(`${limit}x</textarea>`);
    expect(more.text).toContain('aria-invalid');
    expect(await kept()).toBe(limit);
    expect((await save('a'.repeat(600_000))).status).toBe(413);
  });

  it('does not overwrite a concurrent change, and keeps the input', async () => {
    const seen = /name="seen" value="([^"]+)"/.exec((await kit.dev.get(buildPath(revision))).text)?.[1] ?? '';
    await save('Theirs');
    const late = await save('Mine', { seen });
    expect(late.status).toBe(400);
    expect(late.text).toContain('Someone else changed the message');
    expect(late.text).toContain('Mine</textarea>');
    expect(await kept()).toBe('Theirs');
    const again = /name="seen" value="([^"]+)"/.exec(late.text)?.[1] ?? '';
    expect((await save('Mine', { seen: again })).status).toBe(303);
    expect(await kept()).toBe('Mine');
  });

  it('rejects incomplete forms and invalid characters', async () => {
    const sections: Record<string, string>[] = [{}, { message: 'x' }, { message: 'a\0b', seen: '' }];
    for (const fields of sections)
      expect((await kit.post(`${buildPath(revision)}/message`, fields)).status).toBe(400);
    expect(await kept()).toBe('First\nwords');
  });
});
