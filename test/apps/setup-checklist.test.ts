/** The checklist for administrators on an empty start page. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setupSteps } from '../../src/apps/lists/setup-checklist.tsx';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { uploaded } from '../support/interface-client.ts';
import { formOf } from '../support/page-forms.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const finding = (id: string, state: 'ok' | 'warning' | 'problem' | 'skipped') => ({
  id,
  state,
  found: `${id} is ${state}.`,
  advice: state === 'problem' ? 'Fix it.' : null,
});

describe('the steps', () => {
  const states = (checks: ReturnType<typeof finding>[] | null) =>
    setupSteps({ doctor: checks && { at: 1, checks }, hasProject: false, hasPeople: false }).map(
      ({ state, line }) => [state, line],
    );

  it('are open until the doctor has run', () => {
    expect(states(null).map(([state]) => state)).toEqual(['open', 'open', 'open', 'open']);
  });

  it('are done when every finding is good', () => {
    const found = states([finding('https', 'ok'), finding('certificate', 'ok'), finding('mail', 'ok')]);
    expect(found.slice(0, 2)).toEqual([
      ['done', 'https is ok.'],
      ['done', 'mail is ok.'],
    ]);
  });

  it('show the worst finding with its advice', () => {
    const found = states([
      finding('https', 'ok'),
      finding('certificate', 'warning'),
      finding('address', 'problem'),
    ]);
    expect(found[0]).toEqual(['warning', 'address is problem. Fix it.']);
  });

  it('offer a test email once email is set up', () => {
    const sendsTest = (state: 'ok' | 'problem') =>
      setupSteps({ doctor: { at: 1, checks: [finding('mail', state)] }, hasProject: false, hasPeople: false })
        .filter((step) => step.state === 'done' && step.sendsTest)
        .map(({ title }) => title);
    expect(sendsTest('ok')).toEqual(['Email']);
    expect(sendsTest('problem')).toEqual([]);
  });

  it('stay open when something could not be checked', () => {
    expect(states([finding('mail', 'skipped')])[1]).toEqual(['open', 'mail is skipped.']);
  });
});

describe('an empty start page', () => {
  let slipway: TestService;
  let admin: BrowserSession;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    admin = await signIn(slipway, 'admin');
  });
  afterAll(() => slipway?.close());

  const home = async (browser = admin) => (await browser.get('/')).text;

  it('shows administrators the checklist and a place to drop a package', async () => {
    const html = await home();
    expect(html).toContain('0 of 4 done');
    expect(html).toContain('data-drop="/users/admin/upload"');
    expect(html).toContain('/users/admin/ci');
  });

  it('runs the doctor and returns with what it found', async () => {
    const form = formOf(await home(), 'run');
    const answer = await postForm(slipway, form.action, form.fields, { Cookie: admin.cookie });
    expect([answer.status, answer.headers.location]).toEqual([303, '/']);
    const html = await home();
    expect(html).toContain('Check again');
    expect(html).toContain('Show details');
  });

  it('marks the Project and the people as done', async () => {
    await slipway.user('pia');
    await slipway.project('first', { members: { admin: 'owner' } });
    const html = await home();
    expect(html).toContain('You are a member of a Project.');
    expect(html).toContain('Other people have accounts or invitations.');
  });

  it('shows the checklist to administrators only, and until there is an app', async () => {
    expect(await home(await signIn(slipway, 'pia'))).not.toContain('Set up Slipway');
    await uploaded(slipway, { file: buildApk({ packageName: 'com.example.first' }) });
    expect(await home()).not.toContain('Set up Slipway');
  });
});
