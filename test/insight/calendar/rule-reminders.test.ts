/** Reminders of rules that begin soon: to whom, when, how often, and what silences them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineQueries } from '../../../src/db/data.ts';
import type { Queries } from '../../../src/db/database.ts';
import { ruleCalendarQueries } from '../../../src/insight/calendar/rule-calendar-queries.ts';
import { createRuleRoundJob, dueReminder } from '../../../src/insight/calendar/rule-reminders.ts';
import { correctionMs } from '../../../src/insight/calendar/rule-rounds.ts';
import { dayMs } from '../../../src/insight/checks/evaluate-checks.ts';
import { effectiveRules, type RuleChange } from '../../../src/insight/checks/store-rules.ts';
import { createMemoryMailer } from '../../../src/mail/memory-mailer.ts';
import { type ApiClient, createApiClient } from '../../api/api-client.ts';
import { postForm, signIn } from '../../support/browser-session.ts';
import { buildApk } from '../../support/build-apk.ts';
import { send } from '../../support/http-client.ts';
import { uploaded } from '../../support/interface-client.ts';
import { addPerson, mailSettings, settleOutbox } from '../../support/mail-service.ts';
import { dialects } from '../../support/test-database.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const rows = defineQueries((db: Queries) => db);
const begins = Date.parse('2027-03-10');
const daysBefore = (days: number) => begins - days * dayMs;
const added = { kind: 'target_api', threshold: 99, source: 'https://example.com/rules' } as const;
const change = (given: Partial<RuleChange> = {}): RuleChange => ({
  id: 'added-1',
  added,
  from: '2027-03-10',
  isMuted: false,
  changedAt: 1,
  ...given,
});

describe('the day of a reminder', () => {
  const due = (today: string, given: Partial<RuleChange> = {}) => {
    const rule = effectiveRules([change(given)]).find(({ id }) => id === 'added-1');
    return rule ? (dueReminder(rule, today)?.days ?? null) : null;
  };

  it.each([
    ['2027-02-07', null],
    ['2027-02-08', 30],
    ['2027-03-02', 30],
    ['2027-03-03', 7],
    ['2027-03-09', 7],
    ['2027-03-10', null],
    ['2027-03-11', null],
  ])('on %s is that of %s days', (today, days) => {
    expect(due(today)).toBe(days);
  });

  it('never comes for a muted rule', () => {
    expect(due('2027-02-08', { isMuted: true })).toBeNull();
  });
});

describe.each(dialects)('reminders of store rules on %s', { timeout: 60_000 }, (dialect) => {
  const clock = { now: 0 };
  let mailer = createMemoryMailer();
  let slipway: TestService;
  let api: ApiClient;
  beforeAll(async () => {
    clock.now = Date.parse('2027-01-04T09:00Z');
    slipway = await startTestService({
      dialect,
      now: () => clock.now,
      settings: { ...mailSettings, SLIPWAY_LANGUAGE: 'en' },
      mailer: { send: (message) => mailer.send(message), close: async () => undefined },
    });
    api = await createApiClient(slipway);
    for (const name of ['olga', 'dev', 'tess']) await addPerson(slipway, name);
    await slipway.project('crew', { members: { olga: 'owner', dev: 'developer', tess: 'tester' } });
    for (const app of ['tide', 'buoy', 'reef']) {
      await upload(app);
      const params = { owner: 'crew', platform: 'android', package: `com.example.${app}` };
      const body = { destinations: [app === 'reef' ? 'private' : 'google_play'] };
      await api.call('updateCheckSettings', 200, { params, body });
    }
  });
  afterAll(() => slipway?.close());
  beforeEach(async () => {
    mailer = createMemoryMailer();
    clock.now = Date.parse('2027-01-04T09:00Z');
    for (const table of [
      'store_rules',
      'store_rule_reminders',
      'check_acceptances',
      'mail_choices',
      'events',
    ] as const)
      await rows(slipway.data).deleteFrom(table).execute();
    // Only the rule of these tests.
    for (const { id } of effectiveRules([])) await saveRule({ id, added: null, from: null, isMuted: true });
    await saveRule();
  });

  const upload = async (app: string, branch = 'main') => {
    const file = buildApk({
      packageName: `com.example.${app}`,
      label: app,
      versionName: '1',
      versionCode: 1,
    });
    const result = await uploaded(slipway, {
      owner: 'crew',
      file,
      fields: { branch, distribution_name: branch },
    });
    await settleOutbox(slipway);
    return result;
  };
  const appOf = async (name: string) => {
    const { id = '' } = (await slipway.data.owners.findOwner('crew')) ?? {};
    const app = await slipway.data.apps.findApp(id, 'android', `com.example.${name}`);
    if (!app) throw new Error(name);
    return app;
  };
  const saveRule = (given: Partial<RuleChange> = {}) =>
    ruleCalendarQueries(slipway.data).saveRule(change(given));
  const round = async (at: number) => {
    clock.now = at;
    const job = createRuleRoundJob({ data: slipway.data, now: () => clock.now, wakeOutbox: () => undefined });
    await job({ kind: 'store-rule-round', after: '' }, '');
    await settleOutbox(slipway);
  };
  const sent = () => mailer.sent.map(({ to, subject }) => `${to.address}: ${subject}`).sort();
  interface Approaching {
    data: { app: { package_name: string }; check: { id: string; timing: string } };
  }
  const events = async (): Promise<string[]> => {
    const query = { type: 'store_rule.approaching' };
    const { value } = await api.call('listEvents', 200, { params: { owner: 'crew' }, query });
    return value.data.map(
      ({ data: { app, check } }: Approaching) => `${app.package_name} ${check.id}: ${check.timing}`,
    );
  };

  it('sends one email per person and day, 30 and 7 days before, and an event per app', async () => {
    await round(daysBefore(31));
    expect(sent()).toEqual([]);
    for (const days of [30, 29, 8]) await round(daysBefore(days) + 60_000);
    const subject = '2 apps of crew break a store rule from 10 Mar 2027';
    const both = [`dev@example.com: ${subject}`, `olga@example.com: ${subject}`];
    expect(sent()).toEqual(both);
    expect(await events()).toEqual([
      'com.example.buoy added-1: Will be refused from 10 Mar 2027',
      'com.example.tide added-1: Will be refused from 10 Mar 2027',
    ]);
    mailer.sent.length = 0;
    await round(daysBefore(7));
    expect(await events()).toHaveLength(4);
    for (const days of [6, 1, 0, -1]) await round(daysBefore(days) + 60_000);
    expect(sent()).toEqual(both);
  });

  it('lists the builds, what to do and the source, as text and HTML', async () => {
    await round(daysBefore(30));
    const [mail] = mailer.sent;
    for (const body of [mail?.text ?? '', mail?.html ?? '']) {
      expect(body).toContain('In 30 days, a rule of the stores begins that 2 apps of crew break.');
      expect(body).toContain('Google Play: Target API level 99 or higher');
      expect(body).toContain('What to do: Raise targetSdkVersion to 99 or higher');
      expect(body).toContain('https://example.com/rules');
      expect(body).toContain(
        'https://apps.example.com/users/crew/platforms/android/apps/com.example.tide/binaries/1/checks#added-1',
      );
    }
    expect(mail?.text).toContain('- tide #1 (Android)');
  });

  it('writes in the language of the recipient', async () => {
    const { id = '' } = (await slipway.data.owners.findOwner('olga')) ?? {};
    const inLanguage = (language: string | null) =>
      rows(slipway.data).updateTable('users').set({ language }).where('owner_id', '=', id).execute();
    await inLanguage('ja');
    await round(daysBefore(30));
    await inLanguage(null);
    expect(sent()[1]).toBe('olga@example.com: crewのアプリ2件が、2027/03/10からストアの規則に反します');
  });

  it('sends a reminder late if no server ran on its day, but never two at once', async () => {
    await round(daysBefore(5));
    expect(sent()).toHaveLength(2);
    await round(daysBefore(4));
    expect(sent()).toHaveLength(2);
  });

  it('reminds once if two nodes run the round at the same time', async () => {
    clock.now = daysBefore(30);
    const deps = { data: slipway.data, now: () => clock.now, wakeOutbox: () => undefined };
    const run = () => createRuleRoundJob(deps)({ kind: 'store-rule-round', after: '' }, '');
    await Promise.all([run(), run()]);
    await settleOutbox(slipway);
    expect(sent()).toHaveLength(2);
    expect(await events()).toHaveLength(2);
  });

  it('runs once a day by itself, from the day on which an app gets check settings', async () => {
    await rows(slipway.data).deleteFrom('outbox').where('kind', '=', 'store-rule-round').execute();
    clock.now = daysBefore(31);
    const params = { owner: 'crew', platform: 'android', package: 'com.example.tide' };
    await api.call('updateCheckSettings', 200, { params, body: { default_branch: 'trunk' } });
    for (const days of [31, 30, 29, 8, 7, 6]) {
      clock.now = daysBefore(days) + 1;
      await settleOutbox(slipway);
      expect(sent()).toHaveLength(days > 30 ? 0 : days > 7 ? 2 : 4);
    }
  });

  it('leaves out muted rules and accepted results', async () => {
    const [build] = await slipway.data.builds.listBuilds((await appOf('tide')).id, { limit: 1 });
    const acceptance = { checkId: 'added-1', reason: 'Not updated', by: 'olga', at: 1 };
    await slipway.data.checks.accept(build?.id ?? '', acceptance);
    await round(daysBefore(30));
    expect(sent()[0]).toBe('dev@example.com: buoy breaks a store rule from 10 Mar 2027');
    await saveRule({ isMuted: true });
    await round(daysBefore(7));
    expect(sent()).toHaveLength(2);
    expect(await events()).toHaveLength(1);
  });

  it('leaves it to the checks of an upload that came after the reminder was due', async () => {
    clock.now = daysBefore(29);
    await upload('tide');
    await round(daysBefore(28));
    expect(sent()[0]).toBe('dev@example.com: buoy breaks a store rule from 10 Mar 2027');
    // Seven days before, nobody has been told for weeks.
    await round(daysBefore(7));
    expect(sent()).toContain('dev@example.com: 2 apps of crew break a store rule from 10 Mar 2027');
  });

  it('judges the newest build that a page serves', async () => {
    const file = buildApk({ packageName: 'com.example.buoy', label: 'buoy', targetSdk: 99 });
    await uploaded(slipway, { owner: 'crew', file });
    await settleOutbox(slipway);
    await round(daysBefore(30));
    expect(mailer.sent[0]?.text).toContain('- buoy #1 (Android)');
  });

  it('reminds of a rule that an administrator adds late, after time to correct it', async () => {
    clock.now = daysBefore(3);
    const browser = await signIn(slipway, 'admin');
    await settleOutbox(slipway);
    mailer.sent.length = 0;
    const { text } = await browser.get('/store-rules');
    const form = {
      csrf: /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? '',
      kind: 'target_api',
      threshold: '98',
      from: '2027-03-09',
      source: 'https://example.com/98',
    };
    expect((await postForm(slipway, '/store-rules/add', form, { Cookie: browser.cookie })).status).toBe(303);
    clock.now += correctionMs - 1;
    await settleOutbox(slipway);
    expect(sent()).toEqual([]);
    clock.now += 1;
    await settleOutbox(slipway);
    expect(sent()[0]).toBe('dev@example.com: 2 apps of crew break a store rule from 9 Mar 2027');
    await round(daysBefore(2));
    expect(sent()).toHaveLength(2);
  });

  it('reminds again if the store postpones a rule', async () => {
    await round(daysBefore(30));
    await saveRule({ from: '2027-09-10', changedAt: clock.now });
    await round(daysBefore(7));
    expect(sent()).toHaveLength(2);
    await round(Date.parse('2027-08-11'));
    expect(sent()).toHaveLength(4);
  });

  it('leaves out apps that the person has turned off, and has a link that turns off all of them', async () => {
    await round(daysBefore(30));
    const mail = mailer.sent.find(({ to }) => to.address === 'olga@example.com');
    const address = new URL(/<(.+)>/.exec(mail?.headers['List-Unsubscribe'] ?? '')?.[1] ?? '');
    expect(mail?.text).toContain(address.href);
    const page = await send(slipway.port, address.pathname);
    expect(page.text).toContain('You receive emails about the apps of crew.');
    const done = await send(slipway.port, address.pathname, { method: 'POST' });
    expect(done.text).toContain('You no longer receive emails about the apps of crew.');
    mailer.sent.length = 0;
    await round(daysBefore(7));
    expect(sent().map((line) => line.split(':')[0])).toEqual(['dev@example.com']);

    const { id = '' } = (await slipway.data.owners.findOwner('dev')) ?? {};
    await slipway.data.mailChoices.setChoice(id, (await appOf('tide')).id, false, 1);
    await rows(slipway.data).deleteFrom('store_rule_reminders').execute();
    mailer.sent.length = 0;
    await round(daysBefore(6));
    expect(sent()).toEqual(['dev@example.com: buoy breaks a store rule from 10 Mar 2027']);
  });
});
