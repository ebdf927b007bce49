/** Entries of the audit log as sentences in both languages: actor, action, object, key and changes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageAt } from '../../src/core/language/catalog.ts';
import { pageSettingList } from '../../src/distributions/distribution-page.ts';
import { readableDetails } from '../../src/projects/audit/audit-details.ts';
import { readableSubject } from '../../src/projects/audit/audit-subject.ts';
import { auditTexts } from '../../src/projects/audit/audit-texts.ts';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { uploaded } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const row = (action: string, subject: string, details: Record<string, unknown> = {}) => ({
  ...{ id: '01', at: 1, actorName: 'mina', action, subject, details },
});

describe('a subject of the audit log', () => {
  it.each([
    ['build.uploaded', 'com.example.tide (ios) revision 4', 'com.example.tide #4 (iOS)', null],
    ['build.deleted', 'com.example.tide (android) builds 1–7', 'com.example.tide #1–7 (Android)', null],
    ['retention.removed', 'com.example.tide (android) build 3', 'com.example.tide #3 (Android)', null],
    [
      'page.changed',
      'com.example.tide (ios) page Beta page (ios)',
      'Beta page (ios) of com.example.tide (iOS)',
      null,
    ],
    [
      'hook.made',
      'hooks.example.com for com.example.tide (ios)',
      'hooks.example.com of com.example.tide (iOS)',
      null,
    ],
    ['app.deleted', 'com.example.tide (ios)', 'com.example.tide (iOS)', null],
    ['team.joined', 'tess tester team', 'tess', 'the tester team'],
    ['invitation.made', 'tess: crew', 'tess', 'crew'],
    ['invitation.changed', 'tess: developer team', 'tess', 'the developer team'],
    ['access.given', 'tess: com.example.tide', 'tess', 'com.example.tide'],
    ['sign-in.refused', 'a name that nobody has', 'an unknown name', null],
    ['some.thing-else', '=HYPERLINK("x")', '=HYPERLINK("x")', null],
  ])('of %s reads %j as words', (action, subject, name, place) => {
    expect(readableSubject(row(action, subject), new Map())).toEqual({ name, place });
  });

  it('names invited people by their address while the invitation is open, and then by a hint', () => {
    const made = row('invitation.made', 'tester team', {
      invitation: 'i1',
      mailed: true,
      to: 'h…@example.com',
    });
    const name = (addresses: [string, string][], details = made.details) =>
      readableSubject({ ...made, details }, new Map(addresses));
    const place = 'the tester team';
    expect(name([['i1', 'hana@example.com']])).toEqual({ name: 'hana@example.com', place });
    expect(name([])).toEqual({ name: 'h…@example.com', place });
    expect(name([], { invitation: 'i1', mailed: true })).toEqual({ name: 'someone by email', place });
    expect(name([], { invitation: 'i1', mailed: false })).toEqual({ name: 'someone by link', place });
  });
});

describe('details of the audit log', () => {
  it('have a label for every setting of a page', () => {
    expect(pageSettingList.filter((name) => !messageAt(auditTexts.details.fields, name))).toEqual([]);
  });

  it('say what changed, without identifiers', () => {
    const changes = {
      ...{ access: ['unlisted', 'passcode'], passcode: 'set', expiresAt: [null, Date.UTC(2026, 10, 25)] },
      ...{ networks: [[], ['10.0.0.0/8']], active: [true, false], later: [1, 2] },
    };
    expect(readableDetails(row('page.changed', 'x', { page: 'p1', changes }))).toEqual([
      'Access: anyone with the link → link and passcode',
      'Passcode: set',
      'Expiry: none → 25 Nov 2026',
      'Networks: none → 10.0.0.0/8',
      'Open: yes → no',
      'later: 1 → 2',
    ]);
    expect(
      readableDetails(row('build.uploaded', 'x', { build: 'b', page: null, disableNotify: false })),
    ).toEqual([]);
    const retained = { app: 'a', revisions: [1, 2], bytes: 2048, rule: { newest: 3 } };
    expect(readableDetails(row('retention.removed', 'x', retained))).toEqual([
      'Builds: #1, #2',
      'Size: 2 KiB',
    ]);
    expect(readableDetails(row('build.message-changed', 'x', { from: '', to: 'Ropes' }))).toEqual([
      'none → Ropes',
    ]);
    expect(readableDetails(row('sign-in.refused', 'x', { way: 'passkey', why: 'wrong', tries: 10 }))).toEqual(
      ['Method: passkey', 'Reason: wrong name, password or code', 'Attempts: 10'],
    );
    expect(readableDetails(row('x.y', 'x', { note: { deep: [1] } }))).toEqual(['note: {"deep":[1]}']);
  });

  it('say which rule and limits were set', () => {
    const place = (action: string, subject: string, details = {}) =>
      readableSubject(row(action, subject, details), new Map()).place;
    const rule = { newest: 3, days: 90 };
    expect(place('retention.set', 'crew: the newest 3 and builds of the last 90 days', rule)).toBe(
      'the newest 3 builds, builds of the last 90 days',
    );
    expect(place('retention.set', 'crew: everything', { newest: null, days: null })).toBe('everything');
    expect(place('retention.set', 'crew: no rule of its own')).toBe('what the inherited rule keeps');
    expect(place('quota.set', 'crew: 1 GiB', { maxStorageBytes: 2 ** 30, maxBuilds: null })).toBe(
      'Storage: 1 GiB',
    );
    expect(place('quota.set', 'crew: no limits', { maxStorageBytes: null })).toBe('no limits');
  });
});

describe('the audit log', () => {
  let slipway: TestService;
  let people: SignedInPeople;
  let browser: BrowserSession;
  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      settings: {
        SLIPWAY_URL: 'https://apps.example.com',
        SLIPWAY_SMTP_URL: 'smtp://127.0.0.1:1',
        SLIPWAY_MAIL_FROM: 'slipway@example.com',
      },
    });
    people = await signInPeople(slipway, ['olga']);
    browser = await signIn(slipway, 'olga');
    await slipway.project('crew', { members: { olga: 'owner' } });
  });
  afterAll(() => slipway.close());

  const sentences = async (language: string) => {
    const { text } = await browser.get('/organizations/crew/audit', {
      headers: { 'Accept-Language': language },
    });
    return [...text.matchAll(/<div class="audit-line"><div>(.*?)<\/div>/g)].map(([, line = '']) =>
      line
        .replaceAll(/<\/(p|li)>/g, ' | ')
        .replaceAll(/<[^>]+>/g, '')
        .replace(/[ |]+$/, ''),
    );
  };

  it('says who uploaded with which key, who invited whom, and what changed on a page', async () => {
    const key = await slipway.projectKey('crew');
    const file = buildApk({ packageName: 'com.example.tide' });
    const { distribution } = await uploaded(slipway, {
      owner: 'crew',
      key,
      file,
      fields: { distribution_name: 'Beta' },
    });
    await settleOutbox(slipway);
    const invite = { email: 'hana@example.com', team: 'tester', proof: testPassword };
    expect((await people.post('olga', '/organizations/crew/invitations/create', invite)).status).toBeLessThan(
      400,
    );
    const page = await slipway.data.distributions.findPage(distribution?.access_key ?? '');
    expect(page).not.toBeNull();
    const olga = await slipway.data.owners.findOwner('olga');
    const crew = (await slipway.data.owners.findOwner('crew'))?.id ?? '';
    if (olga?.kind !== 'user') throw new Error('no olga');
    await slipway.data.audit.record({
      at: Date.now(),
      actor: { kind: 'user', user: olga },
      action: 'page.changed',
      ownerId: crew,
      subject: 'com.example.tide (android) page Beta',
      details: { page: page?.id, changes: { access: ['unlisted', 'passcode'] } },
    });
    // Upload and page have the same time, and thus no order.
    const lastFour = async (language: 'en' | 'ja') => (await sentences(language)).slice(0, 4).sort();
    expect(await lastFour('en')).toEqual([
      'crew, with the API key test, created the distribution page Beta of com.example.tide (Android)',
      'crew, with the API key test, uploaded com.example.tide #1 (Android)',
      'olga edited the distribution page Beta of com.example.tide (Android) | Access: anyone with the link → link and passcode',
      'olga invited hana@example.com to the tester team',
    ]);
    expect(await lastFour('ja')).toEqual([
      'crewがAPIキーtestでcom.example.tide #1（Android）をアップロード',
      'crewがAPIキーtestで配布ページcom.example.tide（Android）のBetaを作成',
      'olgaがhana@example.comをテスターチームに招待',
      'olgaが配布ページcom.example.tide（Android）のBetaを編集 | アクセス：リンクを知っている人→リンクとパスコード',
    ]);
    const own = (await people.get('olga', '/users/olga/audit')).text;
    expect(own).toContain('</bdi> signed in</p>');
    const raw = (await people.get('olga', '/organizations/crew/audit.jsonl')).text;
    expect(raw).toContain('"subject":"com.example.tide (android) revision 1"');
    expect(raw).not.toContain('hana@example.com');
  });
});
