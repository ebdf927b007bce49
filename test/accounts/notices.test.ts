/** Emails that notify people about changes to their account. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createSingleSignOn,
  createUnlinkIdentity,
  installationRules,
} from '../../src/accounts/single-sign-on/single-sign-on.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import { createProjectPeople } from '../../src/projects/people/project-people.ts';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import { postForm } from '../support/browser-session.ts';
import { send } from '../support/http-client.ts';
import { bearer } from '../support/interface-client.ts';
import { addPerson, settleOutbox } from '../support/mail-service.ts';
import { setUpApp } from '../support/second-factors.ts';
import { testPassword } from '../support/test-service.ts';

const fresh = 'seven grey gulls';
const change = { current: testPassword, password: fresh, again: fresh };

describe('emails about changes', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['mina', 'olga', 'pia']);
  });
  afterAll(() => slipway.close());

  const sentSince = async (before: number) => {
    await settleOutbox(slipway);
    return slipway.mailer.sent.slice(before);
  };

  it('tell everyone who manages the owner that others than trusted publishers may upload again', async () => {
    const key = await slipway.user('tru');
    await slipway.user('deva');
    await slipway.project('only', { members: { tru: 'owner', deva: 'developer' } });
    const set = async (owner: string, only: boolean) => {
      const { status } = await send(slipway.port, `/api/v1/owners/${owner}`, {
        method: 'PATCH',
        headers: { ...bearer(key), 'Content-Type': 'application/json' },
        body: JSON.stringify({ trusted_publishers_only: only }),
      });
      expect(status).toBe(200);
    };
    await settleOutbox(slipway);
    const before = slipway.mailer.sent.length;
    for (const owner of ['only', 'tru']) {
      await set(owner, true);
      await set(owner, false);
      await set(owner, false);
    }
    const sent = await sentSince(before);
    expect(sent.map(({ to, subject }) => [to.address, subject])).toEqual([
      ['tru@example.com', 'Your Project accepts builds with API keys again'],
      ['tru@example.com', 'Your account accepts builds with API keys again'],
    ]);
  });

  it('are sent immediately for an addition; an invitation is the only email before it is accepted', async () => {
    await slipway.user('inviter');
    await slipway.user('invitee');
    const by = 'command-line';
    const users = await Promise.all(
      ['inviter', 'invitee'].map((name) => slipway.data.owners.findOwner(name)),
    );
    const [inviter, invitee] = users;
    if (inviter?.kind !== 'user' || invitee?.kind !== 'user') throw new Error('no users');
    const { add, cancel, pending } = createProjectPeople({
      canSendMail: false,
      data: slipway.data,
      now: () => slipway.clock.now,
      wakeOutbox: () => undefined,
    });
    const before = slipway.mailer.sent.length;
    for (const name of ['asking-1', 'asking-2']) {
      const made = { name, description: '', workspaceName: null, ownerName: 'inviter', by } as const;
      const project = await slipway.owners.createProject(made);
      const actor = { kind: 'user', user: inviter } as const;
      expect(await add(actor, project, 'invitee', 'tester')).toBe('invited');
      const [open] = await pending(project);
      await cancel(inviter, project, open?.id ?? '');
      expect(await add(actor, project, 'invitee', 'tester')).toBe('invited');
    }
    await settleOutbox(slipway);
    const subjects = () =>
      slipway.mailer.sent
        .slice(before)
        .filter(({ to }) => to.address === 'invitee@example.com')
        .map(({ subject }) => subject);
    // The first was canceled before it was sent, and the others came within a day.
    expect(subjects().length).toBeLessThanOrEqual(1);
    await slipway.owners.addToTeam({ projectName: 'asking-1', team: 'tester', userName: 'invitee', by });
    await settleOutbox(slipway);
    expect(subjects()).toContain('You were added to a Project');
  });

  it('go to the person whose password was changed, with a link to set another', async () => {
    const before = slipway.mailer.sent.length;
    const mina = await slipway.browser('mina');
    await mina.submit('/settings/password', 'password', change);
    const [accountEmail, ...more] = await sentSince(before);
    expect(more).toEqual([]);
    expect(accountEmail).toMatchObject({
      to: { name: 'mina', address: 'mina@example.com' },
      subject: 'Your Slipway password was changed',
    });
    for (const words of [
      'This happened on 21 Nov 2026, 09:40 UTC in the account mina.',
      'https://apps.example.com/forgot-password',
      'You received this email because it concerns the security of your account on apps.example.com.',
    ]) {
      expect(accountEmail?.text).toContain(words);
      expect(accountEmail?.html).toContain(words);
    }
    expect(accountEmail?.text).not.toContain(fresh);
  });

  it('go to the old address when it changes', async () => {
    const olga = await slipway.browser('olga');
    await olga.submit('/settings', 'change', { email: 'olga@new.example' });
    const link = await slipway.linkInEmail('olga@new.example');
    const before = slipway.mailer.sent.length;
    expect((await olga.submit(link, 'confirm')).status).toBe(303);
    const letters = await sentSince(before);
    expect(letters.map(({ to, subject }) => [to.address, subject])).toEqual([
      ['olga@example.com', 'Your Slipway email address was changed'],
    ]);
    expect(letters[0]?.text).not.toContain('olga@new.example');
  });

  it('are not sent when a temporary password is replaced', async () => {
    const pia = await slipway.data.owners.findOwner('pia');
    const account = await slipway.data.accounts.findAccount(pia?.id ?? '');
    await slipway.data.accounts.setPassword(pia?.id ?? '', account?.passwordHash ?? '', true);
    const before = slipway.mailer.sent.length;
    const browser = await slipway.browser('pia');
    const chosen = await browser.submit('/welcome', 'welcome', { password: fresh, again: fresh });
    expect(chosen.status).toBe(303);
    expect(await sentSince(before)).toEqual([]);
  });

  it('go to the owner of a new API key, or to the owner team of a Project, without the key', async () => {
    await slipway.project('crew', { members: { mina: 'owner', pia: 'owner', olga: 'developer' } });
    const mina = await slipway.browser('mina', fresh);
    const before = slipway.mailer.sent.length;
    const own = await mina.submit('/settings/keys', 'create', { name: 'CI Click here', expires: '30' });
    const ofProject = await mina.submit('/organizations/crew/keys', 'create', {
      name: 'deploy',
      expires: '30',
    });
    const letters = (await sentSince(before)).filter(({ subject }) => subject.includes('API key'));
    const hintOf = (text: string) => /slw_[\w-]{43}/.exec(text)?.[0].slice(0, 8);
    expect(letters.map(({ to, subject }) => `${to.address} ${subject}`).sort()).toEqual([
      'mina@example.com A new API key was created for your Project',
      'mina@example.com A new API key was created for your account',
      'pia@example.com A new API key was created for your Project',
    ]);
    expect(letters[0]?.text).toContain(`Name: CI Click here (${hintOf(own.text)}…)`);
    expect(letters[0]?.text).toContain('https://apps.example.com/settings/keys');
    expect(letters[1]?.text).toContain(`Name: deploy (${hintOf(ofProject.text)}…)`);
    expect(letters[1]?.text).toContain('https://apps.example.com/organizations/crew/keys');
    for (const { text, html } of letters) expect(text + html).not.toMatch(/slw_[\w-]{5}/);
  });

  it('go to the person whose identity at a provider is linked or unlinked', async () => {
    const owner = await slipway.data.owners.findOwner('olga');
    if (owner?.kind !== 'user') throw new Error('there is no olga');
    const people = createSingleSignOn({
      data: slipway.data,
      now: () => slipway.clock.now,
      wakeOutbox: () => undefined,
      rules: installationRules({ signUp: 'invited', domains: [] }),
      signUpQuota: null,
    });
    const unlink = createUnlinkIdentity({
      data: slipway.data,
      now: () => slipway.clock.now,
      wakeOutbox: () => undefined,
    });
    const identity = { issuer: 'https://login.example.com', subject: 'olga-there', label: 'olga@there' };
    const sessionToken = (await slipway.browser('olga')).cookie.split('=')[1] ?? '';
    await settleOutbox(slipway);
    const before = slipway.mailer.sent.length;
    await people.link(
      { user: owner, sessionToken },
      { ...identity, email: null, emailConfirmed: false, names: [] },
    );
    expect(await unlink(owner, identity)).toBe(true);
    expect(await unlink(owner, identity)).toBe(false);
    expect((await sentSince(before)).map(({ subject }) => subject).sort()).toEqual([
      'Single sign-on was unlinked from your account',
      'Your account was linked to single sign-on',
    ]);
  });

  it('are not sent without an address, or to deleted users', async () => {
    const quiet = await addPerson(slipway, 'quiet', null);
    const before = slipway.mailer.sent.length;
    for (const userId of [quiet.id, 'nobody']) {
      const accountEmail = { about: 'notice', notice: 'app-on', userId, at: slipway.clock.now } as const;
      const until = slipway.clock.now + 1000;
      await slipway.data.outbox.add({ kind: 'send-account-email', accountEmail, until }, slipway.clock.now);
    }
    expect(await sentSince(before)).toEqual([]);
  });
});

describe('the email about a new sign-in', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['mina', 'olga']);
  });
  afterAll(() => slipway.close());

  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const signInAt = async (login: string, known = '') => {
    const answer = await postForm(
      slipway,
      '/sign-in',
      { login, password: testPassword },
      { 'User-Agent': firefox, ...(known === '' ? {} : { Cookie: known }) },
      { anonymous: true },
    );
    expect(answer.status).toBe(303);
    const cookie = answer.headers['set-cookie']?.find((one) => one.includes('slipway_known_browser='));
    return cookie?.split(';')[0] ?? '';
  };
  const sent = async () => {
    await settleOutbox(slipway);
    return slipway.mailer.sent.splice(0);
  };

  it('is sent if the browser is new, but not for the first sign-in of the account', async () => {
    const known = await signInAt('mina');
    expect(await sent()).toEqual([]);
    const both = await signInAt('mina', known);
    expect(await sent()).toEqual([]);
    await signInAt('mina');
    const [email, ...more] = await sent();
    expect(more).toEqual([]);
    expect(email).toMatchObject({
      to: { name: 'mina', address: 'mina@example.com' },
      subject: 'New sign-in to your account',
    });
    for (const words of [
      'Someone signed in to your account from a new browser.',
      'Browser: Firefox',
      'System: Linux',
      'IP address: 127.0.0.1',
      'Time: 21 Nov 2026, 09:40 UTC',
      'If you don’t recognize this sign-in, change your password now',
      'https://apps.example.com/settings/sessions',
    ]) {
      expect(email?.text).toContain(words);
      expect(email?.html).toContain(words);
    }
    // The first account of the browser stays known next to the second.
    await signInAt('olga');
    const all = await signInAt('olga', both);
    expect(await sent()).toHaveLength(1);
    await signInAt('mina', all);
    await signInAt('olga', all);
    expect(await sent()).toEqual([]);
  });

  it('is not sent to the person who has just changed the password in that browser', async () => {
    const mina = await slipway.browser('mina');
    await sent();
    const changed = await mina.submit('/settings/password', 'password', change);
    const cookie = changed.headers['set-cookie']?.find((one) => one.includes('slipway_known_browser='));
    const again = await postForm(
      slipway,
      '/sign-in',
      { login: 'mina', password: fresh },
      { Cookie: cookie?.split(';')[0] ?? '' },
      { anonymous: true },
    );
    expect(again.status).toBe(303);
    expect((await sent()).map(({ subject }) => subject)).toEqual(['Your Slipway password was changed']);
  });
});

describe('a server without mail', () => {
  it('completes every action, and leaves no jobs behind', async () => {
    const slipway = await startAccountsService('sqlite', ['mina'], { mail: false });
    try {
      const mina = await slipway.browser('mina');
      const { recoveryCodes } = await setUpApp(slipway, mina);
      expect(recoveryCodes).toHaveLength(10);
      expect((await mina.submit('/settings/password', 'password', change)).status).toBe(303);
      await settleOutbox(slipway);
      expect(slipway.mailer.sent).toEqual([]);
      expect(await slipway.data.outbox.nextRunAt(lanes.mail)).toBeNull();
    } finally {
      await slipway.close();
    }
  });
});
