/** Page settings over HTTP: permissions, the requests of a browser, and the stored result. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import type { Answer } from '../support/http-client.ts';
import { get, type UploadResult, upload, uploaded } from '../support/interface-client.ts';
import { formOf, postedForms } from '../support/page-forms.ts';
import { addApp } from '../support/sample-rows.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

const packageName = 'com.example.settings';
const file = buildApk({ packageName, label: 'Settled', versionName: '1.0' });
const appAddress = `/users/crew/platforms/android/apps/${packageName}`;
const asBrowser = { headers: { Accept: 'text/html' } };

describe('page settings', () => {
  let slipway: TestService;
  // Never the same time twice, so that lists by time have one order.
  let now = Date.UTC(2026, 10, 21);
  const clock = () => {
    now += 1;
    return now;
  };
  const keys: Record<string, string> = {};
  const browsers: Record<string, BrowserSession> = {};
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', now: clock });
    for (const name of ['mina', 'olga', 'tess']) {
      keys[name] = await slipway.user(name);
      browsers[name] = await signIn(slipway, name);
    }
    await slipway.project('crew', { members: { mina: 'developer', olga: 'owner', tess: 'tester' } });
  });
  afterAll(() => slipway.close());

  const as = (name: string) => {
    const browser = browsers[name];
    if (!browser) throw new Error(`${name} is not signed in`);
    return browser;
  };
  const put = (fields: Record<string, string>): Promise<UploadResult> =>
    uploaded(slipway, { owner: 'crew', key: keys.mina, file, fields });
  const newPage = async (name: string, message = 'first note') => {
    const { distribution, revision } = await put({ distribution_name: name, message });
    const accessKey = distribution?.access_key ?? '';
    return { accessKey, revision, address: `/distributions/${accessKey}/settings` };
  };
  const pageOf = async (accessKey: string) => {
    const page = await slipway.data.distributions.findPage(accessKey);
    if (!page) throw new Error('the page is gone');
    return page;
  };
  /** Builds without packages; returns their identifiers. */
  const addBuilds = async (accessKey: string, count: number): Promise<string[]> => {
    const { appId } = await pageOf(accessKey);
    const app = await slipway.data.apps.findAppById(appId);
    const { builds } = await addApp(slipway.data, app?.owner.id ?? '', { packageName, count });
    return builds.map(({ id }) => id);
  };
  const crewId = async () => (await slipway.data.owners.findOwner('crew'))?.id ?? '';
  const auditOf = async () => slipway.data.audit.list(await crewId(), 50);
  const post = (name: string, address: string, fields: Record<string, string> | string): Promise<Answer> =>
    postForm(slipway, address, fields, { Cookie: as(name).cookie });
  /** The choices that show the changed fields. */
  const shownBy = (changes: Record<string, string | null>): Record<string, string> => ({
    ...('expires' in changes ? { expiry: 'date' } : {}),
    ...('installs' in changes ? { 'limits-installs': 'on' } : {}),
    ...('networks' in changes ? { 'limits-networks': 'on' } : {}),
  });
  /** Opens the form, changes fields (null: the field is not sent) and sends it. */
  const act = async (
    place: string,
    action: string,
    changes: Record<string, string | null>,
    name = 'mina',
  ) => {
    const form = formOf((await as(name).get(place)).text, action);
    return post(name, form.action, withChanges(form.fields, { ...shownBy(changes), ...changes }));
  };
  const partOf = (field: string) => {
    if (['name', 'feedback'].includes(field)) return '/appearance';
    return ['note', 'revision', 'other-revision', 'mandatory-from'].includes(field) ? '' : '/access';
  };
  /** Saves each part that has one of the fields; the first refusal, or else the last answer. */
  const change = async (address: string, changes: Record<string, string | null>): Promise<Answer> => {
    const ofParts = Map.groupBy(Object.entries(changes), ([field]) => partOf(field));
    let answer: Answer | undefined;
    for (const [part, entries] of ofParts) {
      answer = await act(`${address}${part}`, 'save', Object.fromEntries(entries));
      if (answer.status !== 303) return answer;
    }
    return answer ?? act(address, 'save', {});
  };
  const places = (address: string) =>
    ['', '/access', '/appearance', '/history', '/delete'].map((part) => `${address}${part}`);
  const tokens = new Map<string, string>();
  const csrfOf = async (name: string) => {
    const token = tokens.get(name) ?? tokenOf((await as(name).get('/')).text);
    tokens.set(name, token);
    return token;
  };

  describe('permissions', () => {
    it('exempt people who manage the page from its rules', async () => {
      const { address, accessKey } = await newPage('strict');
      const rules = { access: 'passcode', passcode: 'open sesame', networks: '203.0.113.0/24', active: null };
      expect((await change(address, { ...rules, installs: '1' })).status).toBe(303);
      expect((await as('mina').get(address)).status).toBe(200);
      expect((await get(slipway, `/distributions/${accessKey}`, null, asBrowser)).status).not.toBe(200);
      expect((await change(address, { networks: '', active: 'on', access: 'unlisted' })).status).toBe(303);
      expect((await get(slipway, `/distributions/${accessKey}`, null, asBrowser)).status).toBe(200);
    });
  });

  const snapshot = async (accessKey: string) => {
    const page = await pageOf(accessKey);
    return {
      page,
      history: await slipway.data.distributions.listUpdates(page.id, { limit: 50 }),
      audit: await auditOf(),
      rows: await slipway.data.builds.countRows(),
    };
  };

  describe('saving', () => {
    it('stores every rule, confirms it and records the changes without the passcode', async () => {
      const { address, accessKey } = await newPage('ruled');
      const answer = await change(address, {
        name: 'Größer & <b>',
        active: null,
        access: 'passcode',
        passcode: 'open sesame',
        expires: '2099-01-31T18:00',
        installs: '25',
        networks: '10.0.0.0/8\r\n2001:db8::/32',
        note: 'Line one\r\nline two',
      });
      expect(answer.status).toBe(303);
      expect(answer.headers.location).toBe(`${address}?done=saved`);
      expect((await as('mina').get(`${address}/access?done=saved`)).text).toContain('Saved.');
      const page = await pageOf(accessKey);
      expect(page).toMatchObject({
        name: 'Größer & <b>',
        active: false,
        access: 'passcode',
        maxInstalls: 25,
        installs: 0,
        expiresAt: Date.UTC(2099, 0, 31, 18),
        networks: ['10.0.0.0/8', '2001:db8::/32'],
        releaseNote: 'Line one\nline two',
      });
      expect(page.passcodeHash).toMatch(/^\$argon2id\$/);
      const shown = await as('mina').get(answer.headers.location ?? '');
      expect(shown.text).toContain('Saved.');
      expect(shown.text).not.toContain('open sesame');
      expect(shown.text).not.toContain(page.passcodeHash ?? '');
      const fieldsAt = async (part: string) =>
        formOf((await as('mina').get(`${address}${part}`)).text, 'save').fields;
      expect(await fieldsAt('')).toMatchObject({ note: 'Line one\r\nline two' });
      expect(await fieldsAt('/appearance')).toMatchObject({ name: 'Größer & <b>' });
      expect(await fieldsAt('/access')).toMatchObject({
        access: 'passcode',
        passcode: '',
        expires: '2099-01-31T18:00',
        installs: '25',
        networks: '10.0.0.0/8\r\n2001:db8::/32',
      });
      expect(await fieldsAt('/access')).not.toHaveProperty('active');
      const entries = (await auditOf()).slice(0, 3);
      expect(entries).toMatchObject([
        { details: { changes: { releaseNote: 'changed' } } },
        { details: { changes: { passcode: 'set' } } },
        {
          action: 'page.changed',
          actorName: 'mina',
          subject: `${packageName} (android) page ruled`,
          details: { changes: { name: ['ruled', 'Größer & <b>'] } },
        },
      ]);
      expect(JSON.stringify(entries)).not.toMatch(/sesame|argon/);
    });

    it('writes nothing when nothing changed', async () => {
      const { address, accessKey } = await newPage('untouched', 'two\nlines\n');
      const before = await snapshot(accessKey);
      expect((await change(address, {})).status).toBe(303);
      expect(await snapshot(accessKey)).toEqual(before);
    });

    it('keeps the passcode if the field is empty, and removes it with the rule', async () => {
      const { address, accessKey } = await newPage('coded');
      await change(address, { access: 'passcode', passcode: 'open sesame' });
      const { passcodeHash } = await pageOf(accessKey);
      await change(address, { installs: '3' });
      expect(await pageOf(accessKey)).toMatchObject({ passcodeHash, maxInstalls: 3 });
      await change(address, { passcode: 'another one' });
      expect((await pageOf(accessKey)).passcodeHash).not.toBe(passcodeHash);
      await change(address, { access: 'members' });
      expect(await pageOf(accessKey)).toMatchObject({ passcodeHash: null, access: 'members' });
      const refused = await change(address, { access: 'passcode' });
      expect(refused.status).toBe(400);
      expect(await pageOf(accessKey)).toMatchObject({ passcodeHash: null, access: 'members' });
    });

    it('shows all errors next to their fields, keeps the input and saves nothing', async () => {
      await newPage('taken');
      const { address, accessKey } = await newPage('faulty');
      const before = await snapshot(accessKey);
      const submitted = {
        access: 'passcode',
        passcode: 'abc',
        expires: '2001-01-01T00:00',
        installs: 'many',
        networks: 'office <b>\r\n10.0.0.0/8',
      };
      const refused = await change(address, submitted);
      expect(refused.status).toBe(400);
      const elements = readElements(refused.text);
      const invalid = elements.filter(({ attributes }) => attributes.has('aria-invalid'));
      expect(invalid.map(({ attributes }) => attributes.get('name'))).toEqual([
        ...['passcode', 'networks', 'expires', 'installs'],
      ]);
      expect(invalid.every(({ attributes }) => attributes.has('autofocus'))).toBe(true);
      for (const { attributes } of invalid) {
        const described = attributes.get('aria-describedby')?.split(' ') ?? [];
        const errors = elements.find(({ attributes: own }) => own.get('id') === described.at(-1));
        expect(errors?.text).not.toBe('');
      }
      expect(elements.find(({ attributes }) => attributes.get('id') === 'networks-errors')?.text).toBe(
        '“office <b>” is not a network or an IP address.',
      );
      expect(elements.filter(({ attributes }) => attributes.get('role') === 'alert')).toHaveLength(1);
      expect(formOf(refused.text, 'save').fields).toMatchObject(submitted);
      for (const [changes, name, expected] of [
        [{ name: 'taken', feedback: 'on' }, 'name', 409],
        [{ revision: '999', note: 'kept <i>' }, 'revision', 400],
      ] as const) {
        const { status, text } = await change(address, changes);
        const wrong = readElements(text).filter(({ attributes }) => attributes.has('aria-invalid'));
        expect([status, wrong.map(({ attributes }) => attributes.get('name'))]).toEqual([expected, [name]]);
        const { revision: _, ...kept } = { revision: '', ...changes };
        expect(formOf(text, 'save').fields).toMatchObject(kept);
      }
      expect(await snapshot(accessKey)).toEqual(before);
    });

    it('saves one part only, whatever the others became meanwhile', async () => {
      const { address, accessKey } = await newPage('divided');
      const { action, fields } = formOf((await as('mina').get(`${address}/appearance`)).text, 'save');
      await change(address, { access: 'members', installs: '7', note: 'changed meanwhile' });
      expect((await post('mina', action, { ...fields, name: 'renamed' })).status).toBe(303);
      expect(await pageOf(accessKey)).toMatchObject({
        ...{ name: 'renamed', access: 'members', maxInstalls: 7, releaseNote: 'changed meanwhile' },
      });
    });

    it('brings the focus to the groups, and keeps those that were deleted out of the way', async () => {
      const { address, accessKey } = await newPage('grouped');
      const refused = await change(address, { access: 'groups' });
      const [group] = readElements(refused.text).filter(
        ({ attributes }) => attributes.get('id') === 'groups',
      );
      expect([refused.status, group?.attributes.has('autofocus'), group?.attributes.get('tabindex')]).toEqual(
        [...[400, true, '-1']],
      );
      const { id } = await pageOf(accessKey);
      const page = await pageOf(accessKey);
      await slipway.data.pageSettings.saveRules(id, { ...page, access: 'groups', recount: false });
      // The last group of the page was deleted: a change of something else must not ask for another.
      expect((await change(address, { name: 'grouped no more' })).status).toBe(303);
    });

    it('resets the install count on request', async () => {
      const { address, accessKey } = await newPage('counted');
      const { id } = await pageOf(accessKey);
      expect((await change(address, { installs: '9', recount: 'on' })).status).toBe(303);
      expect(await pageOf(accessKey)).toMatchObject({ id, installs: 0, maxInstalls: 9 });
    });
  });

  describe('the live build', () => {
    it('adds a history entry with its own note when it changes, and none when only the note changes', async () => {
      const { address, accessKey, revision } = await newPage('built');
      const newer = await put({ message: 'not on the page' });
      expect((await change(address, { note: 'better words' })).status).toBe(303);
      const first = await snapshot(accessKey);
      expect(first.history.map(({ releaseNote }) => releaseNote)).toEqual(['better words']);
      expect(first.page.updatedAt).toBe(first.history[0]?.createdAt);
      expect((await change(address, { revision: String(newer.revision) })).status).toBe(303);
      const second = await snapshot(accessKey);
      expect(second.history.map((update) => [update.revision, update.releaseNote])).toEqual([
        [newer.revision, 'not on the page'],
        [revision, 'better words'],
      ]);
      expect(second.page.buildId).toBe(second.history[0]?.buildId);
      expect((await auditOf())[0]?.details).toMatchObject({ changes: { build: [revision, newer.revision] } });
      expect((await get(slipway, `/distributions/${accessKey}`, null, asBrowser)).text).toContain(
        `#${newer.revision}`,
      );
    });

    it('gets its previous note on a rollback, unless another is entered', async () => {
      const { address, accessKey, revision } = await newPage('rolled');
      expect((await change(address, { note: 'of the *first*' })).status).toBe(303);
      const newer = await put({ distribution_key: accessKey, release_note: '## of the *second*' });
      const noteAfter = async (chosen: number, note?: string) => {
        const changes = { revision: String(chosen), ...(note === undefined ? {} : { note }) };
        expect((await change(address, changes)).status).toBe(303);
        const page = await pageOf(accessKey);
        const shown = await get(slipway, `/distributions/${accessKey}`, null, asBrowser);
        const [live] = readElements(shown.text).filter(
          ({ attributes }) => attributes.get('class') === 'note',
        );
        return [page.releaseNote, live?.text];
      };
      expect(await noteAfter(revision)).toEqual(['of the *first*', 'of the first']);
      expect(await noteAfter(newer.revision)).toEqual(['## of the *second*', 'of the second']);
      expect(await noteAfter(revision, 'typed for it')).toEqual(['typed for it', 'typed for it']);
      expect(await noteAfter(newer.revision)).toEqual(['## of the *second*', 'of the second']);
      expect(await noteAfter(revision)).toEqual(['typed for it', 'typed for it']);

      const text = (await get(slipway, `/distributions/${accessKey}`, null, asBrowser)).text;
      const lines = readElements(text)
        .filter(({ attributes }) => attributes.get('class')?.startsWith('history-line'))
        .map((line) => line.text);
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(new RegExp(`#${revision}.*Live`));
      expect(lines[1]).toContain('of the second');
      expect(lines[1]).not.toMatch(/Live|##|\*/);
      const other = await get(slipway, `/distributions/${accessKey}/${newer.revision}`, null, asBrowser);
      expect(other.text).toContain('Not the live build');
      expect(other.text).not.toMatch(/latest/i);
      const settings = (await as('mina').get(address)).text;
      expect(settings).toContain('of the second');
      expect(settings).not.toContain('## of the');
    });

    it('is never reverted by a form that was opened before an upload', async () => {
      const { address, accessKey } = await newPage('raced');
      const { fields } = formOf((await as('mina').get(address)).text, 'save');
      const newer = await put({ distribution_key: accessKey, release_note: 'from CI' });
      expect((await post('mina', `${address}/save`, { ...fields, 'mandatory-from': '1' })).status).toBe(303);
      const after = await snapshot(accessKey);
      expect(after.page).toMatchObject({ mandatoryFrom: 1, releaseNote: 'from CI' });
      expect(after.history.map(({ revision }) => revision)[0]).toBe(newer.revision);
      expect(after.history).toHaveLength(2);
    });

    it('does not get a note written for another build until the author confirms', async () => {
      const { address, accessKey } = await newPage('noted');
      const { fields } = formOf((await as('mina').get(address)).text, 'save');
      const newer = await put({ distribution_key: accessKey, release_note: 'from CI' });
      const refused = await post('mina', `${address}/save`, { ...fields, note: 'for the old one' });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(`Build #${newer.revision} was published on this page in the meantime`);
      expect(await pageOf(accessKey)).toMatchObject({ releaseNote: 'from CI' });
      const again = formOf(refused.text, 'save').fields;
      expect(again).toMatchObject({ note: 'for the old one', revision: String(newer.revision) });
      expect((await post('mina', `${address}/save`, again)).status).toBe(303);
      expect(await pageOf(accessKey)).toMatchObject({ releaseNote: 'for the old one' });
    });

    it('must belong to the app', async () => {
      const { address, accessKey } = await newPage('chosen');
      const before = await snapshot(accessKey);
      const { action, fields } = formOf((await as('mina').get(address)).text, 'save');
      for (const revision of ['0', '-1', '999999', '1e3', '', 'x', '9'.repeat(30), "1' or '1'='1"]) {
        const refused = await post('mina', action, { ...fields, revision });
        expect([revision, refused.status]).toEqual([revision, 400]);
        expect(refused.text).toContain('That build no longer exists.');
      }
      expect(await snapshot(accessKey)).toEqual(before);
    });

    it('can be rolled back from the publish history, with the note that the build had', async () => {
      const unknown = await put({});
      const { address, accessKey, revision } = await newPage('rolled-back');
      await put({ distribution_key: accessKey, release_note: 'the middle one' });
      const middle = await put({ distribution_key: accessKey, release_note: 'the middle one' });
      const latest = await put({ distribution_key: accessKey, release_note: 'the latest' });
      const settings = (await as('mina').get(address)).text;
      const forms = postedForms(settings).filter(({ action }) => action === `${address}/roll-back`);
      expect(forms.map(({ fields }) => fields.revision)).not.toContain(String(latest.revision));
      const form = forms.find(({ fields }) => fields.revision === String(middle.revision));
      const done = await post('mina', form?.action ?? '', form?.fields ?? {});
      expect(done.headers.location).toBe(`${address}?done=rolled-back`);
      const after = await snapshot(accessKey);
      expect(after.page).toMatchObject({ releaseNote: 'the middle one' });
      expect(after.history[0]).toMatchObject({ revision: middle.revision, withdrawn: false });
      // Again: the page already serves it. And builds that the page never served.
      expect((await post('mina', `${address}/roll-back`, form?.fields ?? {})).status).toBe(409);
      for (const other of [unknown.revision, 999_999]) {
        const fields = { ...form?.fields, revision: String(other) };
        expect((await post('mina', `${address}/roll-back`, fields)).status).toBe(404);
      }
      expect(await snapshot(accessKey)).toEqual(after);
      expect(revision).toBeLessThan(middle.revision);
    });

    it('can be a withdrawn build, which is then restored', async () => {
      const { address, accessKey, revision } = await newPage('returned');
      await put({ distribution_key: accessKey });
      expect((await act(address, 'withdraw', { revision: String(revision) })).status).toBe(303);
      expect((await change(address, { revision: String(revision) })).status).toBe(303);
      const { history } = await snapshot(accessKey);
      expect(history.map((update) => [update.revision, update.withdrawn])[0]).toEqual([revision, false]);
      expect(history.filter(({ withdrawn }) => withdrawn)).toEqual([]);
    });
  });

  describe('published builds', () => {
    it('can be withdrawn and restored, each with an audit log entry', async () => {
      const { address, accessKey, revision } = await newPage('history');
      await put({ distribution_key: accessKey });
      const withdrawn = async () =>
        (await snapshot(accessKey)).history.map((update) => [update.revision, update.withdrawn]);
      const done = await act(address, 'withdraw', {});
      expect(done.status).toBe(303);
      expect(await withdrawn()).toEqual([
        [revision + 1, false],
        [revision, true],
      ]);
      expect((await as('mina').get(done.headers.location ?? '')).text).toContain('Withdrawn');
      expect((await auditOf())[0]).toMatchObject({ action: 'page.build-withdrawn', details: { revision } });
      expect((await act(address, 'restore', {})).status).toBe(303);
      expect(await withdrawn()).toEqual([
        [revision + 1, false],
        [revision, false],
      ]);
      expect((await auditOf())[0]).toMatchObject({ action: 'page.build-offered', details: { revision } });
    });

    it('cannot be withdrawn while live', async () => {
      const { address, accessKey, revision } = await newPage('present');
      const csrf = await csrfOf('mina');
      const before = await snapshot(accessKey);
      const refused = await post('mina', `${address}/withdraw`, { csrf, revision: String(revision) });
      expect(refused.status).toBe(409);
      const unknown = await post('mina', `${address}/withdraw`, { csrf, revision: '999999' });
      expect(unknown.status).toBe(404);
      expect(await snapshot(accessKey)).toEqual(before);
    });

    it('are paginated', async () => {
      const { address, accessKey, revision } = await newPage('long');
      const { id } = await pageOf(accessKey);
      const builds = await addBuilds(accessKey, 21);
      for (const buildId of builds)
        await slipway.data.distributions.updatePage(id, { buildId, releaseNote: '', now: clock() });
      const start = await as('mina').get(address);
      expect(start.text).toContain(`href="${address}/history"`);
      const first = await as('mina').get(`${address}/history`);
      const older = readElements(first.text).find(({ attributes }) => attributes.get('rel') === 'next');
      const second = await as('mina').get(older?.attributes.get('href')?.replace(/#.*/, '') ?? '');
      const shown = (html: string) =>
        [...html.matchAll(/Withdraw build #(\d+)/g)].map(([, one]) => Number(one));
      expect(shown(start.text)).toEqual([revision + 20, revision + 19]);
      expect([...shown(first.text), ...shown(second.text)]).toEqual(
        Array.from({ length: 21 }, (_, at) => revision + 20 - at),
      );
      for (const before of ['x', '%00', `${'z'.repeat(26)}&before=a`, '%27%20or%201=1']) {
        expect((await as('mina').get(`${address}/history?before=${before}`)).status).toBe(200);
      }
    });
  });

  describe('a page', () => {
    it('gets a new link, and the old one stops working', async () => {
      const { address, accessKey } = await newPage('moving');
      const moved = await act(`${address}/access`, 'rotate-link', {});
      expect(moved.status).toBe(303);
      const [, next = ''] =
        /^\/distributions\/([0-9a-f]{40})\/settings\/access\?done=readdressed$/.exec(
          moved.headers.location ?? '',
        ) ?? [];
      expect(next).not.toBe('');
      expect(next).not.toBe(accessKey);
      for (const gone of [address, `/distributions/${accessKey}`]) {
        expect((await as('mina').get(gone)).status).toBe(404);
      }
      expect((await get(slipway, `/distributions/${next}`, null, asBrowser)).status).toBe(200);
      expect(
        (
          await upload(slipway, {
            owner: 'crew',
            key: keys.mina,
            file,
            fields: { distribution_key: accessKey },
          })
        ).status,
      ).toBe(404);
      expect((await put({ distribution_name: 'moving' })).distribution?.access_key).toBe(next);
      expect((await auditOf()).some(({ action }) => action === 'page.readdressed')).toBe(true);
    });

    it('is deleted with its history, but not its builds, after its name is typed', async () => {
      const { address, accessKey, revision } = await newPage('leaving <b>');
      const before = await snapshot(accessKey);
      for (const confirmation of ['', 'leaving', 'LEAVING <B>']) {
        const refused = await act(`${address}/delete`, 'delete', { confirmation });
        expect(refused.status).toBe(400);
        expect(formOf(refused.text, 'delete').fields.confirmation).toBe(confirmation);
      }
      expect(await snapshot(accessKey)).toEqual(before);
      const gone = await act(`${address}/delete`, 'delete', { confirmation: 'leaving <b> ' });
      expect(gone.status).toBe(303);
      expect(gone.headers.location).toBe(appAddress);
      expect((await get(slipway, `/distributions/${accessKey}`, null, asBrowser)).status).toBe(404);
      expect((await as('mina').get(`${appAddress}/binaries/${revision}`)).status).toBe(200);
      expect(await slipway.data.builds.countRows()).toEqual({ ...before.rows, pages: before.rows.pages - 1 });
      expect((await auditOf())[0]).toMatchObject({ action: 'page.deleted', actorName: 'mina' });
    });

    it('is reported as deleted when it was deleted during an edit', async () => {
      const { address, accessKey } = await newPage('vanishing');
      await put({ distribution_key: accessKey });
      const parts = await Promise.all(places(address).map((place) => as('mina').get(place)));
      const forms = parts
        .flatMap(({ text }) => postedForms(text))
        .filter(({ action }) => action.startsWith(address));
      expect(forms.length).toBeGreaterThan(6);
      await act(`${address}/delete`, 'delete', { confirmation: 'vanishing' }, 'olga');
      for (const { action, fields } of forms) {
        const answer = await post('mina', action, { ...fields, confirmation: 'vanishing' });
        expect([action, answer.status]).toEqual([action, 404]);
      }
      expect(await slipway.data.distributions.findPage(accessKey)).toBeNull();
    });

    it('keeps one live build and a complete history when two people save concurrently', async () => {
      const { address, accessKey, revision } = await newPage('contended');
      for (let at = 0; at < 4; at++) await put({});
      const { fields: minas } = formOf((await as('mina').get(address)).text, 'save');
      const { fields: olgas } = formOf((await as('olga').get(address)).text, 'save');
      const saves = [1, 2, 3, 4].map((at) => {
        const [name, fields] = at % 2 ? (['mina', minas] as const) : (['olga', olgas] as const);
        return post(name, `${address}/save`, {
          ...fields,
          revision: String(revision + at),
          note: `note ${at}`,
          'mandatory-from': String(at),
        });
      });
      expect((await Promise.all(saves)).map(({ status }) => status)).toEqual([303, 303, 303, 303]);
      const { page, history } = await snapshot(accessKey);
      expect(history).toHaveLength(5);
      const at = page.mandatoryFrom ?? 0;
      expect(page.releaseNote).toBe(`note ${at}`);
      expect((await slipway.data.builds.findBuild(page.buildId))?.revision).toBe(revision + at);
    });

    it('keeps its name unique under concurrency', async () => {
      const pages = await Promise.all(['one-a', 'one-b', 'one-c'].map((name) => newPage(name)));
      const forms = await Promise.all(
        pages.map(async ({ address }) =>
          formOf((await as('mina').get(`${address}/appearance`)).text, 'save'),
        ),
      );
      const answers = await Promise.all(
        forms.map(({ action, fields }) => post('mina', action, { ...fields, name: 'the one' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
      for (const { status, text } of answers) {
        if (status === 409) expect(text).toContain('This app already has a page with that name.');
      }
    });
  });

  describe('a page created in the browser', () => {
    const place = `${appAddress}/pages/new`;
    const createPath = `${appAddress}/pages/create`;

    it('serves the chosen build, and redirects to its settings', async () => {
      const { revision } = await put({ message: 'says the build' });
      await put({});
      const { fields } = formOf((await as('olga').get(place)).text, 'create');
      expect(fields).toMatchObject({ name: '', note: '', revision: String(revision + 1) });
      const made = await post('olga', createPath, {
        ...fields,
        name: ' by hand ',
        revision: String(revision),
      });
      expect(made.status).toBe(303);
      const [, accessKey = ''] =
        /^\/distributions\/([0-9a-f]{40})\/settings\?done=made$/.exec(made.headers.location ?? '') ?? [];
      const { page, history, audit } = await snapshot(accessKey);
      expect(page).toMatchObject({
        name: 'by hand',
        active: true,
        access: 'unlisted',
        releaseNote: 'says the build',
      });
      expect(history.map((update) => update.revision)).toEqual([revision]);
      expect(audit[0]).toMatchObject({
        action: 'page.created',
        actorName: 'olga',
        details: { build: revision },
      });
      expect((await get(slipway, `/distributions/${accessKey}`, null, asBrowser)).status).toBe(200);
      expect((await put({ distribution_name: 'by hand' })).distribution?.access_key).toBe(accessKey);
    });

    it('is rejected with all errors, and the form keeps the input', async () => {
      await newPage('hand-taken');
      const rows = await slipway.data.builds.countRows();
      const { fields } = formOf((await as('mina').get(place)).text, 'create');
      const refused = await post('mina', createPath, {
        ...fields,
        name: 'hand-taken',
        revision: '999999',
        note: 'n'.repeat(40_000),
      });
      expect(refused.status).toBe(400);
      const invalid = readElements(refused.text).filter(({ attributes }) => attributes.has('aria-invalid'));
      expect(invalid.map(({ attributes }) => attributes.get('name'))).toEqual([
        'name',
        'other-revision',
        'note',
      ]);
      expect(formOf(refused.text, 'create').fields).toMatchObject({
        name: 'hand-taken',
        note: 'n'.repeat(40_000),
      });
      expect((await post('mina', createPath, { ...fields, name: '   ' })).status).toBe(400);
      expect(await slipway.data.builds.countRows()).toEqual(rows);
    });
  });

  describe('malformed forms', () => {
    let hostile: Awaited<ReturnType<typeof newPage>>;
    beforeAll(async () => {
      hostile = await newPage('hostile');
    });
    const filled = (field: string, text: string) => (valid: string) =>
      valid.replace(`${field}=`, `${field}=${text}`);
    const lines = filled('networks', 'a%0A'.repeat(10_000));
    const passcode = filled('passcode', 'p'.repeat(10_000));
    it.each<[string, (valid: string) => string, number, string?]>([
      ['nothing', () => '', 403],
      ['half a form', (valid) => valid.replace(/&networks=[^&]*/, ''), 400],
      ['networks twice', (valid) => `${valid}&networks=10.0.0.0%2F8`, 400],
      ['a box twice', (valid) => `${valid}&active=on`, 400],
      ['a zero in the name', filled('name', '%00'), 400, '/appearance'],
      ['a zero in the note', filled('note', '%00'), 400, ''],
      ['a name of 10,000 characters', filled('name', 'n'.repeat(10_000)), 400, '/appearance'],
      ['a long passcode', (valid) => passcode(valid.replace('access=unlisted', 'access=passcode')), 400],
      ['10,000 networks', (valid) => `${lines(valid)}&limits-networks=on`, 400],
      ['a body that is too large', (valid) => `${valid}&x=${'x'.repeat(300_000)}`, 413],
    ])('are rejected: %s', async (_name, make, status, part = '/access') => {
      const { address, accessKey } = hostile;
      const before = await snapshot(accessKey);
      const { action, fields } = formOf((await as('mina').get(`${address}${part}`)).text, 'save');
      const answer = await post('mina', action, make(`${new URLSearchParams(fields)}`));
      expect(answer.status).toBe(status);
      expect(answer.text.length).toBeLessThan(80_000);
      expect(await snapshot(accessKey)).toEqual(before);
    });

    it('accept a note of the maximum size in any encoding', async () => {
      const { address, accessKey } = await newPage('wordy');
      const note = 'ü'.repeat(16_383);
      expect((await change(address, { note })).status).toBe(303);
      expect((await pageOf(accessKey)).releaseNote).toBe(note);
    });
  });

  it('are linked from the app page for people who can open them', async () => {
    const { address } = await newPage('linked');
    const links = async (name: string) =>
      readElements((await as(name).get(appAddress)).text).map(({ attributes }) => attributes.get('href'));
    expect(await links('mina')).toEqual(expect.arrayContaining([address, `${appAddress}/pages/new`]));
    const tess = await links('tess');
    expect(tess).toContain(address.replace('/settings', ''));
    expect(tess.filter((href) => /.\/settings$|pages\/new$|people$/.test(href ?? ''))).toEqual([]);
    const app = await slipway.data.apps.findApp(await crewId(), 'android', packageName);
    const bySecret = await get(slipway, `${appAddress}?key=${app?.secret}`, null, asBrowser);
    expect(bySecret.text).not.toMatch(/\/settings"|pages\/new/);
    expect((await get(slipway, appAddress, keys.mina, asBrowser)).text).not.toMatch(/\/settings"|pages\/new/);
  });

  describe('the build selection', () => {
    it('offers all builds of an app with more than fifty by revision, without scripts', async () => {
      const { address, accessKey, revision } = await newPage('many');
      await addBuilds(accessKey, 51);
      const newest = revision + 51;
      expect((await change(address, { revision: String(newest) })).status).toBe(303);
      const form = formOf((await as('mina').get(address)).text, 'save').fields;
      expect(form).toMatchObject({ revision: String(newest), 'other-revision': '' });
      for (const submitted of [`#${revision}`, ` ${revision} `]) {
        expect((await change(address, { 'other-revision': String(newest) })).status).toBe(303);
        expect((await change(address, { 'other-revision': submitted })).status).toBe(303);
        const { page, history } = await snapshot(accessKey);
        expect(history[0]).toMatchObject({ revision, buildId: page.buildId });
      }
      const refused = await change(address, { 'other-revision': '999999' });
      expect(refused.status).toBe(400);
      expect(formOf(refused.text, 'save').fields['other-revision']).toBe('999999');
      expect(refused.text).toContain('That build no longer exists.');
    });
  });
});

function withChanges(
  fields: Record<string, string>,
  changes: Record<string, string | null>,
): Record<string, string> {
  const all = { ...fields, ...changes };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

/** The form token of the session, from the sign-out form. */
function tokenOf(html: string): string {
  return postedForms(html)[0]?.fields.csrf ?? '';
}
