/** Queries about emails: races, order and differences between databases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newHexKey } from '../../src/core/identifier.ts';
import type { MailDraft } from '../../src/mail/mail-queries.ts';
import type { User } from '../../src/owners/owner.ts';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addApp, addUser, sampleMailAbout } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('queries about emails on %s', (dialect) => {
  let test: RecordedQueries;
  let data: RecordedQueries['data'];
  let ada: User;
  beforeAll(async () => {
    test = await openRecordedQueries(dialect);
    data = test.data;
    ada = await addUser(data, 'Ada');
  });
  afterAll(() => test.close());

  describe('mail', () => {
    const draft = (buildId: string, user: User, changes: Partial<MailDraft> = {}): MailDraft => ({
      buildId,
      pageId: null,
      userId: user.id,
      address: user.email ?? '',
      state: 'waiting',
      about: sampleMailAbout,
      ...changes,
    });

    it('is claimed by one of many concurrent callers, and changes only from its expected state', async () => {
      const { builds } = await addApp(data, ada.id, { packageName: 'com.mail.taken' });
      const [id = ''] = await data.mails.insertMails([draft(builds[0]?.id ?? '', ada)], 200);
      const second = await test.openSecond();
      const taken = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? data : second.data).mails.takeMail(id, 201)),
      );
      expect(taken.filter((mail) => mail !== null)).toMatchObject([
        { id, state: 'sending', attempts: 1, updatedAt: 201 },
      ]);
      const later = { state: 'waiting', lastError: 'no luck', now: 202 } as const;
      expect(await data.mails.changeMail(id, ['waiting', 'dead'], later)).toBe(false);
      expect(await data.mails.changeMail(id, ['sending'], later)).toBe(true);
      expect(await data.mails.findMail(id)).toMatchObject({
        state: 'waiting',
        lastError: 'no luck',
        attempts: 1,
      });
      expect(await data.mails.reviveMail(id, 203)).toBe(false);
      await data.mails.changeMail(id, ['waiting'], { state: 'dead', lastError: 'gone', now: 204 });
      expect(await data.mails.reviveMail(id, 205)).toBe(true);
      expect(await data.mails.findMail(id)).toMatchObject({
        state: 'waiting',
        lastError: null,
        attempts: 0,
        updatedAt: 205,
      });
    });

    it('is listed and counted like before when its build is deleted', async () => {
      await data.mails.deleteOldMails(9_000_000);
      const { builds } = await addApp(data, ada.id, { packageName: 'com.mail.outlived', platform: 'ios' });
      const [build] = builds;
      const [id = ''] = await data.mails.insertMails(
        [draft(build?.id ?? '', ada, { state: 'sent' })],
        9_500_000,
      );
      const list = async () =>
        (await data.mails.listMails({ state: 'sent', limit: 9 })).map(({ about }) => about);
      const { queries } = test.database;
      await queries
        .updateTable('builds')
        .set({ deleted_at: 1 })
        .where('id', '=', build?.id ?? '')
        .execute();
      expect([await list(), await data.mails.countMails('sent', 9)]).toEqual([[sampleMailAbout], 1]);
      await queries
        .deleteFrom('builds')
        .where('id', '=', build?.id ?? '')
        .execute();
      expect([await list(), await data.mails.countMails('sent', 9)]).toEqual([[sampleMailAbout], 1]);
      expect(await data.mails.findMail(id)).toMatchObject({ buildId: null });
    });

    it('contains the release note of its page, and nothing of other builds or pages', async () => {
      const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.mail.noted', count: 3 });
      const [first, second, third] = builds.map(({ id }) => id) as [string, string, string];
      const put = (buildId: string, name: string, releaseNote: string, now: number) =>
        data.distributions.putPageByName({ appId, name, releaseNote, buildId, now, accessKey: newHexKey() });
      const page = await put(first, 'main', 'one', 10);
      await put(second, 'main', 'two', 20);
      await put(first, 'main', 'one again', 30);
      await put(third, 'other', 'three', 40);
      expect(await data.mails.findReleaseNote(page.id, first)).toBe('one again');
      expect(await data.mails.findReleaseNote(page.id, second)).toBe('two');
      expect(await data.mails.findReleaseNote(page.id, third)).toBeNull();
    });

    it('is sent to the User who owns an app and to users with access to it', async () => {
      const owner = await addUser(data, 'mail-owner');
      const given = await addUser(data, 'mail-friend');
      const { appId } = await addApp(data, owner.id, { packageName: 'com.mail.own', platform: 'ios' });
      const other = await addApp(data, owner.id, { packageName: 'com.mail.other' });
      await data.appTesters.add({ appId, userId: given.id, limit: 9, now: 1 });
      const app = await data.apps.findAppById(appId);
      const to = app && (await data.mailChoices.listRecipients(app, { limit: 9 }));
      expect(to?.map(({ address }) => address).sort()).toEqual(
        ['mail-friend@example.com', 'mail-owner@example.com'].sort(),
      );
      const page = { limit: 9 };
      expect(await data.mailChoices.listChoices(given.id, page)).toEqual([
        {
          appId,
          platform: 'ios',
          packageName: 'com.mail.own',
          ownerName: 'mail-owner',
          appName: 'Sample',
          wanted: true,
        },
      ]);
      await data.mailChoices.setChoice(owner.id, other.appId, true, 1);
      const own = await data.mailChoices.listChoices(owner.id, page);
      expect(own.map(({ packageName, wanted }) => [packageName, wanted])).toEqual([
        ['com.mail.own', true],
        ['com.mail.other', true],
      ]);
      const some = await data.mailChoices.listChoices(owner.id, { ...page, appIds: [other.appId, 'none'] });
      expect(some.map(({ appId: id }) => id)).toEqual([other.appId]);
      expect(await data.mailChoices.listChoices(owner.id, { ...page, appIds: [] })).toEqual([]);
      // Another User's app of the same name.
      const third = await addApp(data, given.id, { packageName: 'com.mail.own' });
      await data.appTesters.add({ appId: third.appId, userId: owner.id, limit: 9, now: 1 });
      const fourth = await addApp(data, given.id, { packageName: 'com.mail.other' });
      await data.appTesters.add({ appId: fourth.appId, userId: owner.id, limit: 9, now: 1 });
      const all = await data.mailChoices.listChoices(owner.id, page);
      expect(all.map(({ platform, packageName }) => [platform, packageName])).toEqual([
        ['ios', 'com.mail.own'],
        ['android', 'com.mail.other'],
        ['android', 'com.mail.other'],
        ['android', 'com.mail.own'],
      ]);
      for (const [at, place] of all.entries()) {
        const [after, before] = await Promise.all([
          data.mailChoices.listChoices(owner.id, { after: place, limit: 9 }),
          data.mailChoices.listChoices(owner.id, { before: place, limit: 9 }),
        ]);
        expect([before, after]).toEqual([all.slice(0, at), all.slice(at + 1)]);
      }
      const last = all[3];
      expect(await data.mailChoices.listChoices(owner.id, { after: all[0], limit: 2 })).toEqual(
        all.slice(1, 3),
      );
      expect(await data.mailChoices.listChoices(owner.id, { before: last, limit: 2 })).toEqual(
        all.slice(1, 3),
      );
      const gone = { platform: 'ios', packageName: 'com.mail.p', appId: 'gone' } as const;
      expect(await data.mailChoices.listChoices(owner.id, { after: gone, limit: 9 })).toEqual(all.slice(1));
    });
  });

  it('read no table that can grow as a whole', () => test.expectNoScans());
});
