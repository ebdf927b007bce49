/** Testers of a User's App can access that App, and nothing else of the owner. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxTestersOfApp } from '../../src/accounts/invitations/join-place.ts';
import { createAppTesters } from '../../src/apps/testers/app-testers.ts';
import { acceptInvitations } from '../support/accept-invitations.ts';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { get, type UploadResult, upload, uploaded } from '../support/interface-client.ts';
import { formOf, postedForms } from '../support/page-forms.ts';
import { addUser } from '../support/sample-rows.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

const packageName = 'com.example.given';
const appAddress = `/users/olga/platforms/android/apps/${packageName}`;
const people = `${appAddress}/people`;
const minute = 60_000;
const removals = (html: string) =>
  postedForms(html).filter(({ action }) => action.endsWith('/people/remove'));

describe('access to an app', () => {
  let slipway: TestService;
  // Never the same time twice, so that lists by time have one order.
  let now = Date.UTC(2026, 10, 21);
  const clock = () => {
    now += 1;
    return now;
  };
  const keys: Record<string, string> = {};
  const browsers: Record<string, BrowserSession> = {};
  let android: UploadResult;
  let ios: UploadResult;
  let secret: UploadResult;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', now: clock });
    for (const name of ['olga', 'tess', 'ines', 'stranger', 'dev']) {
      keys[name] = await slipway.user(name);
      browsers[name] = await signIn(slipway, name);
    }
    await slipway.project('crew', { members: { dev: 'developer', stranger: 'tester' } });
    const own = { owner: 'olga', key: keys.olga };
    android = await uploaded(slipway, {
      ...own,
      file: buildApk({ packageName, label: 'Given app' }),
      fields: { distribution_name: 'main' },
    });
    ios = await uploaded(slipway, {
      ...own,
      file: buildIpa({ bundleIdentifier: packageName, name: 'Fruit half' }),
    });
    secret = await uploaded(slipway, {
      ...own,
      file: buildApk({ packageName: 'com.example.kept', label: 'Kept app' }),
    });
    await uploaded(slipway, {
      owner: 'crew',
      key: keys.dev,
      file: buildApk({ packageName: 'com.example.crew', label: 'Crew app' }),
    });
  });
  afterAll(() => slipway.close());

  const as = (name: string) => {
    const browser = browsers[name];
    if (!browser) throw new Error(`${name} is not signed in`);
    return browser;
  };
  const tokens = new Map<string, string>();
  const tokenOf = async (name: string) => {
    const token = tokens.get(name) ?? postedForms((await as(name).get('/')).text)[0]?.fields.csrf ?? '';
    tokens.set(name, token);
    return token;
  };
  const post = (name: string, address: string, fields: Record<string, string>) =>
    postForm(slipway, address, fields, { Cookie: as(name).cookie });
  const invite = async (login: string, name = 'olga', address = people) =>
    post(name, `${address}/add`, { csrf: await tokenOf(name), login, proof: testPassword });
  const give: typeof invite = async (login, name, address) => {
    const answer = await invite(login, name, address);
    if (answer.headers.location?.endsWith('?done=invited')) await acceptInvitations(slipway, login, clock);
    return answer;
  };
  const take = async (userName: string) => {
    const { fields, action } = formOf((await as('olga').get(people)).text, 'remove', {
      user: (await slipway.data.owners.findOwner(userName))?.id ?? '',
    });
    return post('olga', action, fields);
  };
  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const namesPerPage = async () => {
    const app = await slipway.data.apps.findApp(
      (await slipway.data.owners.findOwner('olga'))?.id ?? '',
      'android',
      packageName,
    );
    return (await slipway.data.appTesters.list(app?.id ?? '', 600)).map(({ user }) => user.name);
  };

  it.each(['tess', ' TESS ', 'tess@example.com', 'Tess@Example.COM'])(
    'can be granted to %j and removed again',
    async (login) => {
      const given = await give(login);
      expect(given.status).toBe(303);
      expect((await as('olga').get(given.headers.location ?? '')).text).toContain(
        'Invited. They get access when they accept.',
      );
      expect(await namesPerPage()).toEqual(['tess']);
      expect((await as('olga').get(people)).text).toContain('Remove tess');
      expect((await give('tess')).headers.location).toBe(`${people}?done=already`);
      expect((await take('tess')).status).toBe(303);
      expect(await namesPerPage()).toEqual([]);
      const owner = await slipway.data.owners.findOwner('olga');
      expect(
        (await slipway.data.audit.list(owner?.id ?? '', 2)).map(({ action, subject }) => [action, subject]),
      ).toEqual([
        ['access.taken', `tess: ${packageName} (android)`],
        ['access.given', `tess: ${packageName} (android)`],
      ]);
    },
  );

  it('starts when the person accepts the invitation, with no access and no build emails before', async () => {
    const answer = await invite('ines');
    expect(answer.headers.location).toBe(`${people}?done=invited`);
    expect((await as('olga').get(people)).text).toContain('Cancel the invitation for ines');
    expect(await namesPerPage()).toEqual([]);
    expect((await as('ines').get(appAddress)).status).toBe(404);
    expect((await invite('ines')).headers.location).toMatch(/done=pending$/);
    const home = (await as('ines').get('/')).text;
    expect(home).toContain('You have a pending invitation.');
    const { action, fields } = formOf((await as('ines').get('/settings/invitations')).text, 'decline');
    expect((await post('ines', action, fields)).status).toBe(303);
    expect((await as('olga').get(people)).text).not.toContain('Cancel the invitation');
    await invite('ines');
    const cancel = formOf((await as('olga').get(people)).text, 'cancel');
    expect((await post('olga', cancel.action, cancel.fields)).headers.location).toBe(
      `${people}?done=canceled`,
    );
    expect((await as('ines').get('/settings/invitations')).text).toContain('No pending invitations.');
  });

  it('cannot be regained with an invitation that predates the grant and its removal', async () => {
    await invite('ines');
    const ines = (await slipway.data.owners.findUserForSignIn('ines'))?.user;
    const admin = (await slipway.data.owners.findUserForSignIn('admin'))?.user;
    const olga = (await slipway.data.owners.findOwner('olga'))?.id ?? '';
    const app = await slipway.data.apps.findApp(olga, 'android', packageName);
    if (!ines || !app || !admin) throw new Error('the test needs two people and an app');
    const [left] = await slipway.data.invitations.listOfUser(ines.id, clock(), 9);
    const testers = createAppTesters({ data: slipway.data, now: clock, canSendMail: false });
    expect(await testers.give(admin, app, 'ines')).toBe('added');
    expect(await testers.remove(admin, app, ines)).toBe(true);
    const accepted = await post('ines', `/settings/invitations/${left?.id}/accept`, {
      csrf: await tokenOf('ines'),
    });
    expect(accepted.status).toBe(404);
    expect(await namesPerPage()).toEqual([]);
  });

  it('opens the app, its builds, files and members-only pages, and lists it on the home page', async () => {
    const pageKey = android.distribution?.access_key ?? '';
    const settings = `/distributions/${pageKey}/settings/access`;
    const { action, fields } = formOf((await as('olga').get(settings)).text, 'save');
    expect((await post('olga', action, { ...fields, access: 'members' })).status).toBe(303);
    const file = android.file.replace(/\?.*/, '');
    const places = [appAddress, android.path, android.revision_url, `/distributions/${pageKey}`, file];
    const statuses = async () => {
      const bySession = await Promise.all(places.map((place) => as('tess').get(place)));
      const byKey = await Promise.all(places.map((place) => get(slipway, place, keys.tess)));
      return [...bySession, ...byKey].map(({ status }) => status);
    };
    expect(await statuses()).toEqual(Array.from({ length: 10 }, () => 404));
    expect((await as('tess').get('/')).text).not.toContain('Given app');
    await give('tess');
    expect(await statuses()).toEqual(Array.from({ length: 10 }, () => 200));
    const home = (await as('tess').get('/')).text;
    expect(home).toContain('Given app');
    expect(home).not.toContain('Kept app');
    expect(home).not.toContain('Fruit half');
    const both = (await as('tess').get(android.path)).text;
    expect(both).toContain('Given app');
    expect(both).not.toContain('Fruit half');
    expect(both).not.toContain(ios.secret);
    await take('tess');
    expect(await statuses()).toEqual(Array.from({ length: 10 }, () => 404));
    expect((await as('tess').get('/')).text).not.toContain('Given app');
  });

  it('opens no other app, owner page, upload or settings', async () => {
    await give('tess');
    const pageKey = android.distribution?.access_key ?? '';
    const closed = [
      ...['/users/olga', ios.revision_url, secret.path, secret.revision_url, people],
      ...[`/distributions/${pageKey}/settings`, `${appAddress}/pages/new`],
      ...[ios.file.replace(/\?.*/, ''), secret.file.replace(/\?.*/, '')],
    ];
    for (const place of closed) {
      expect([place, (await as('tess').get(place)).status]).toEqual([place, 404]);
      expect([place, (await get(slipway, place, keys.tess)).status]).toEqual([place, 404]);
    }
    const sent = await upload(slipway, { owner: 'olga', key: keys.tess, file: buildApk({ packageName }) });
    expect(sent.status).toBe(403);
    const page = (await as('tess').get(appAddress)).text;
    const links = readElements(page).flatMap(({ attributes }) => attributes.get('href') ?? []);
    for (const link of new Set(links.filter((href) => href.startsWith('/') && !href.startsWith('/assets')))) {
      if (link === '/upload') continue;
      expect([link, (await as('tess').get(link)).status]).toEqual([link, 200]);
    }
    expect(page).not.toContain('name="login"');
    for (const action of ['add', 'remove']) {
      const csrf = await tokenOf('tess');
      const tried = await post('tess', `${people}/${action}`, { csrf, login: 'stranger', user: 'x' });
      expect(tried.status).toBe(404);
    }
    expect(await namesPerPage()).toEqual(['tess']);
    await take('tess');
  });

  it.each(['nobody', 'nobody@example.com', 'crew', '', ' ', 'a'.repeat(5000), '<b>', "' or 1=1", 'tess@'])(
    'cannot be granted to %j, and the form keeps the input',
    async (login) => {
      now += 15 * minute;
      const refused = await give(login);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('No user has this name or email.');
      expect(formOf(refused.text, 'add').fields.login).toBe(login.trim());
      expect(await namesPerPage()).toEqual([]);
    },
  );

  it('rejects malformed forms', async () => {
    const csrf = await tokenOf('olga');
    const bodies = [
      ['add', ''],
      ['add', 'login=tess&login=ines'],
      ['add', 'login=te%00ss'],
      ['remove', ''],
      ['remove', 'user=x&user=y'],
    ];
    for (const [action, body] of bodies) {
      const headers = { Cookie: as('olga').cookie };
      const answer = await postForm(slipway, `${people}/${action}`, `csrf=${csrf}&${body}`, headers);
      expect([action, body, answer.status]).toEqual([action, body, 400]);
    }
    const unknown = await post('olga', `${people}/remove`, { csrf, user: 'nobody' });
    expect([unknown.status, unknown.headers.location]).toEqual([303, people]);
    expect((await give('olga')).text).toContain('because you own the app');
    expect(await namesPerPage()).toEqual([]);
  });

  it('can be granted to a list of people at once, with a result for each', async () => {
    now += 15 * minute;
    await give('ines');
    const list = 'Tess <tess@example.com>, ines; nobody@example.com\nolga\nwho is this';
    const { text, status } = await invite(list);
    expect(status).toBe(200);
    const results = [...text.matchAll(/<tr>[\s\S]*?<\/tr>/g)].slice(1).map(([row]) =>
      row
        .replaceAll(/<[^>]*>/g, '|')
        .split(/\|+/)
        .slice(1, 4),
    );
    expect(results).toEqual([
      ['tess@example.com', 'Invited', 'They get access when they accept.'],
      ['ines', 'Has access', 'They already have access.'],
      ['nobody@example.com', 'Unknown', 'No user has this name or email.'],
      ['olga', 'Not added', 'You already have access because you own the app.'],
      ['who is this', 'Invalid', 'This is neither a name nor an email address.'],
    ]);
    expect(text).toContain('1 of 5 added or invited.');
    expect((await invite('tess, ines')).text).toContain('Already invited');
    const cancel = formOf((await as('olga').get(people)).text, 'cancel');
    await post('olga', cancel.action, cancel.fields);
    await take('ines');
    expect(await namesPerPage()).toEqual([]);
  });

  it('is granted to nobody on a list of more than 60 people', async () => {
    now += 15 * minute;
    const list = ['tess', ...Array.from({ length: 100 }, (_, at) => `guess-${at}`)].join('\n');
    const refused = await invite(list);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('At most 60 people at once.');
    expect(formOf(refused.text, 'add').fields.login).toBe(list.replaceAll('\n', '\r\n'));
    expect((await as('olga').get(people)).text).not.toContain('Cancel the invitation');
  });

  it('rate-limits an owner who tries many addresses, each person on a list counted', async () => {
    now += 15 * minute;
    const list = (length: number) => Array.from({ length }, (_, at) => `guess-${at}`).join(',');
    for (const length of [40, 19]) expect((await invite(list(length))).status).toBe(200);
    expect((await invite('guess@example.com')).status).toBe(400);
    expect((await give('tess')).status).toBe(429);
    expect(await namesPerPage()).toEqual([]);
    now += 15 * minute;
    expect((await give('tess')).status).toBe(303);
    await take('tess');
  });

  it('is limited to a maximum number of people', async () => {
    now += 15 * minute;
    const app = await slipway.data.apps.findApp(
      (await slipway.data.owners.findOwner('olga'))?.id ?? '',
      'ios',
      packageName,
    );
    const address = people.replace('android', 'ios');
    await slipway.data.transaction(async (tx) => {
      for (let at = 0; at < maxTestersOfApp; at++) {
        const { id } = await addUser(tx, `many-${at}`);
        await tx.appTesters.add({ appId: app?.id ?? '', userId: id, limit: maxTestersOfApp, now });
      }
    });
    const refused = await give('tess', 'olga', address);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(`at most ${maxTestersOfApp} people`);
    // Everybody is in the list once, 50 to a page.
    const names = new Set<string>();
    let next: string | null = address;
    for (let pages = 0; next !== null; pages++) {
      expect(pages).toBeLessThan(maxTestersOfApp / 50);
      const { text } = await as('olga').get(next);
      const shown = removals(text).map(({ fields }) => fields.user ?? '');
      expect(shown).toHaveLength(50);
      for (const id of shown) names.add(id);
      next = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? null;
      expect(text.includes('Owns the app')).toBe(pages === 0);
    }
    expect(names.size).toBe(maxTestersOfApp);
    const found = (await as('olga').get(`${address}?q=MANY-17`)).text;
    expect(removals(found)).toHaveLength(11);
    expect(found).not.toContain('Owns the app');
    expect((await as('olga').get(`${address}?q=olga`)).text).toContain('Owns the app');
    expect((await as('olga').get(`${address}?q=%25`)).text).toContain('Nobody found');
    const part = (await as('olga').get(`${address}?q=many-499&part=people`)).text;
    expect(part).not.toContain('<html');
    expect(part).toContain('many-499');
    expect(found).toMatch(/Testers[^<]*<[^>]*>\s*500/);
    // The export is read in parts: everybody once, after the owner.
    const file = await as('olga').get(`${address}.csv`);
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const [head, first, ...others] = file.text.trimEnd().split('\r\n');
    expect([head, first]).toEqual(['"person","access","since"', '"olga","self",""']);
    expect(new Set(others).size).toBe(maxTestersOfApp);
    expect(others.filter((line) => /^"many-17","shared","2026-11-21T/.test(line))).toHaveLength(1);
  });

  it('is decided by the teams for apps of a Project', async () => {
    const crewApp = '/users/crew/platforms/android/apps/com.example.crew';
    for (const place of [`${crewApp}/people`]) {
      const page = await as('dev').get(place);
      expect(page.status).toBe(200);
      expect(page.text).toContain('The teams of the Project decide who sees this app.');
      expect(page.text).not.toContain('name="login"');
      expect(page.text).toContain('Developer team');
      expect(page.text).toContain('Tester team');
      // Developers see the teams, but only owners change them.
      expect(page.text).not.toContain('in the Project"');
    }
    const owner = await slipway.data.owners.findOwner('crew');
    await slipway.data.owners.addTeamMember(owner?.id ?? '', 'owner', await idOf('ines'), now);
    const asOwner = (await as('ines').get(`${crewApp}/people`)).text;
    expect(asOwner).toContain('Manage stranger in the Project');
    expect(asOwner).toContain('/organizations/crew/people?q=stranger');
    expect(asOwner).toContain('Owner team');
    expect((await as('ines').get(`${crewApp}/people?q=str`)).text).not.toContain('Developer team');
    expect((await as('ines').get(`${crewApp}/people.csv`)).text).toMatch(/"stranger","tester","2026-/);
    for (const place of ['people', 'people.csv'])
      expect((await as('stranger').get(`${crewApp}/${place}`)).status).toBe(404);
    expect((await give('tess', 'dev', `${crewApp}/people`)).status).toBe(404);
    // Earlier rows that may remain in the table grant no access.
    const app = await slipway.data.apps.findApp(owner?.id ?? '', 'android', 'com.example.crew');
    const tess = await slipway.data.owners.findOwner('tess');
    const row = { appId: app?.id ?? '', userId: tess?.id ?? '', limit: 9, now };
    expect(await slipway.data.transaction((tx) => tx.appTesters.add(row))).toBe('given');
    expect((await as('tess').get(crewApp)).status).toBe(404);
  });
});
