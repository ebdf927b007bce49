/** Projects, Workspaces, home and the audit log in a real browser: after actions, and without JavaScript. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { browserTimeoutMs, hasChromium, openPage, visit } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { addManyProjects, longNames } from '../support/many-projects.ts';
import { faultsOf } from '../support/page-checks.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const longName = 'a-person-with-a-rather-long-name-of-sixty-three-characters-in-a';

describe.skipIf(!hasChromium)(
  'Projects and Workspaces in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      for (const name of ['olga', 'mina', 'jo', longName]) await slipway.user(name);
      await slipway.workspace('harbour', 'admin', 'Harbour Labs');
      await slipway.project('tidewatch-mobile', {
        workspace: 'harbour',
        members: { mina: 'developer', jo: 'tester', [longName]: 'developer' },
      });
      await slipway.project('ferry', { members: { olga: 'owner' } });
      const put = (owner: string, file: Buffer, message: string) =>
        uploaded(slipway, { owner, file, fields: { message, distribution_name: 'main' } });
      const label = 'Tidewatch';
      const packageName = 'com.example.tidewatch';
      await put('tidewatch-mobile', buildApk({ packageName, label, versionName: '2.4.0' }), 'A banner');
      await put('tidewatch-mobile', buildIpa({ bundleIdentifier: packageName, name: label }), 'The same');
      await put(
        'ferry',
        buildApk({ packageName: 'com.example.ferry.timetable.with.a.long.name', label: 'Ferry' }),
        '',
      );
      await put('admin', buildApk({ packageName: 'com.example.scratch', label: 'Scratch' }), '');
      const project = await slipway.data.owners.findOwner('tidewatch-mobile');
      await slipway.data.quotas.set(project?.id ?? '', {
        maxStorageBytes: 5000,
        maxBuilds: 100,
        maxProjects: null,
      });
    });
    afterAll(async () => {
      await slipway?.close();
    });

    it('are accessible with long names and after refusals', async () => {
      const page = await openPage(slipway, { person: 'admin' });
      const look = async (name: string) => expect([name, await faultsOf(page)]).toEqual([name, []]);
      for (const path of [
        '/?q=nothing',
        '/organizations/tidewatch-mobile/people',
        '/organizations/tidewatch-mobile/settings',
        '/organizations/tidewatch-mobile/audit?actor=nobody&from=soon',
      ]) {
        await visit(page, path);
        await look(path);
      }
      await visit(page, '/projects/new');
      await page.fill('#name', 'ferry');
      await page.fill('#description', 'Boats');
      await page.getByRole('button', { name: 'Create Project' }).click();
      await page.getByRole('alert').waitFor();
      await look('new-project-refused');
      await visit(page, '/organizations/tidewatch-mobile/people');
      await page.fill('#login', 'nobody');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await look('people-refused');
    });

    it('stay small and usable for a member of a thousand Projects with the longest names', async () => {
      await slipway.user('busy');
      const busyId = (await slipway.data.owners.findOwner('busy'))?.id ?? '';
      const look = { displayName: 'W'.repeat(100), iconUrl: '/i.png' };
      const fleet = await slipway.data.owners.insertWorkspace({
        name: 'w'.repeat(64),
        ...look,
        createdAt: 1,
      });
      await slipway.data.workspaces.addPerson(fleet.id, busyId, 'owner');
      await addManyProjects(slipway, busyId, longNames('fleet', 1000), {
        workspace: fleet,
        description: 'What this Project is for. '.repeat(150),
      });
      const page = await openPage(slipway, { person: 'busy' });
      const paths = ['/', '/projects', '/projects?q=fleet-05', '/upload', `/enterprises/${fleet.name}`];
      for (const path of [...paths, '/workspaces', '/projects/new']) {
        await visit(page, path);
        expect([path, await faultsOf(page)]).toEqual([path, []]);
      }
      await visit(page, '/');
      await page.getByRole('link', { name: 'All 1,000 Projects' }).click();
      await page.getByLabel('Search Projects').pressSequentially('fleet-0777');
      await expect.poll(() => page.getByRole('status').textContent(), { timeout: 20_000 }).toBe('1 Project');
      await page.getByRole('link', { name: /^fleet-0777/ }).click();
      await page.getByRole('heading', { level: 1, name: /^fleet-0777/ }).waitFor();
    });

    it('search while typing and show the number of results', async () => {
      const page = await openPage(slipway, { person: 'admin', viewport: { width: 1440, height: 900 } });
      await visit(page, '/');
      const lines = page.locator('.app-table .plain');
      await lines.first().waitFor();
      const before = await lines.count();
      await page.locator('#q').pressSequentially('tide');
      await expect.poll(() => page.getByRole('status').textContent(), { timeout: 20_000 }).toBe('2 apps');
      expect(await lines.count()).toBe(2);
      expect(page.url()).toBe(`${slipway.origin}/?q=tide`);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('q');
      await page.locator('#q').fill('tidezz');
      await expect
        .poll(() => page.getByRole('status').textContent(), { timeout: 20_000 })
        .toBe('No matching apps');
      await page.locator('#q').fill('');
      await expect.poll(() => lines.count(), { timeout: 20_000 }).toBe(before);
      // The session ended in another browser: the next key leads to the sign-in page, not to a partial page in the list.
      await page.context().clearCookies();
      await page.locator('#q').pressSequentially('f');
      await page.getByRole('heading', { name: 'From CI straight to the phone.' }).waitFor();
    });

    it('work without scripts', async () => {
      const page = await openPage(slipway, { person: 'olga', javaScriptEnabled: false });
      await visit(page, '/');
      const button = (name: string) => page.getByRole('button', { name, exact: true }).click();
      await page.fill('#q', 'ferry');
      await button('Search');
      expect(new URL(page.url()).search).toBe('?q=ferry');
      await page.getByRole('link', { name: 'New Project' }).click();
      await page.fill('#name', 'quay');
      await page.fill('#description', 'For the quay');
      await button('Create Project');
      await page.getByRole('status').filter({ hasText: 'Project created.' }).waitFor();
      await page.getByRole('link', { name: 'People', exact: true }).click();
      await page.fill('#login', 'jo@example.com');
      await page.selectOption('#new-team', 'developer');
      await button('Add');
      await page.getByText('They join when they accept.', { exact: true }).waitFor();
      const theirs = await openPage(slipway, { person: 'jo', javaScriptEnabled: false });
      await visit(theirs, '/');
      await theirs.getByRole('link', { name: 'View invitations' }).click();
      await theirs.getByRole('button', { name: /^Accept/ }).click();
      await theirs.getByText('You have joined.').waitFor();
      await page.reload();
      await page.getByLabel('Team of jo', { exact: true }).selectOption('owner');
      await button('Change the team of jo');
      await page.getByRole('status').filter({ hasText: 'Team changed.' }).waitFor();
      await page.getByLabel('Actions for jo').click();
      await page.getByLabel('Remove jo from the Project').click();
      await button('Remove');
      expect(await page.textContent('main')).not.toContain('Team of jo');
      await page.getByRole('link', { name: 'Settings' }).last().click();
      await page.fill('#description', 'For the quay and the pier');
      await button('Save');
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.selectOption('#action', 'team.left');
      await button('Apply');
      expect(await page.textContent('.audit')).toContain('olga removed jo from the owner team');
      await page.getByRole('link', { name: 'Settings' }).last().click();
      await page.getByRole('link', { name: 'Delete' }).click();
      await page.fill('#confirmation', 'quay');
      await button('Delete Project permanently');
      await page.getByRole('status').filter({ hasText: 'Project deleted.' }).waitFor();
      expect(await page.textContent('main')).not.toContain('quay');
    });
  },
);
