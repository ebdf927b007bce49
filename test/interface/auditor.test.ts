/** An auditor calls every declared route that changes something, by session and by key, with valid forms and tokens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open-database.ts';
import type { Route } from '../../src/http/routes/route.ts';
import { expectedOf, isForm, ownerPath } from '../support/declared-routes.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { type Caller, type RouteCallers, startCallers } from '../support/route-callers.ts';
import { watchRows } from '../support/row-changes.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** The controls of forms that change data, except those that leave the Project. The keyboard reaches them. */
const enabledControls = (html: string) =>
  (html.slice(html.indexOf('<main'), html.indexOf('</main>')).match(/<form [\s\S]*?<\/form>/g) ?? [])
    .filter((form) => /^[^>]*method="post"/.test(form) && !/^[^>]*\/leave"/.test(form))
    .flatMap((form) => form.match(/<(?:button|input|select|textarea)(?! disabled)[ >]/g) ?? []);

describe('the auditor of a Project', { timeout: 120_000 }, () => {
  let slipway: TestService;
  let kit: RouteCallers;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    kit = await startCallers(slipway);
    // Jobs of the sample data would change rows while the test compares them.
    await slipway.service.outbox.idle();
    await slipway.service.outbox.stop();
  });
  afterAll(() => slipway.close());

  const auditors: readonly Caller[] = ['auditor', 'auditorKey'];
  /** Routes of a place, as opposed to those of the person's own account and those for everyone. */
  const isOfPlace = ({ access }: Route) =>
    !access.roles.some((role) => ['public', 'link holder', 'signed in', 'key holder'].includes(role));
  const changing = () =>
    slipway.service.declared.filter((route) => route.method !== 'GET' && isOfPlace(route));

  it('is refused by every route that changes a place, except by those that leave it', async () => {
    await settleOutbox(slipway);
    const database = await openDatabase(slipway.config.database);
    const rows = await watchRows(database);
    // The content of the fixture is analyzed and announced.
    await slipway.service.outbox.idle();
    const before = await rows.read();
    const admitted = new Set<string>();
    const wrong: unknown[] = [];
    expect(changing().length).toBeGreaterThan(200);
    for (const route of changing()) {
      for (const caller of auditors) {
        const expected = expectedOf(route, caller);
        if (expected === 'in' || expected === 'expired form') {
          admitted.add(route.path);
          continue;
        }
        const form = isForm(route)
          ? { fields: {}, multipart: route.streamedBody !== undefined }
          : { fields: {}, multipart: false, operation: route.method, hasBody: route.method !== 'DELETE' };
        const { status, headers } = await kit.call(caller, ownerPath(route, kit), form);
        const isRefused =
          [401, 403, 404].includes(status) || (status === 303 && headers.location?.startsWith('/sign-in'));
        if (!isRefused) wrong.push([route.method, route.path, caller, status]);
      }
    }
    expect(wrong).toEqual([]);
    expect([...admitted].sort()).toEqual([
      '/api/v1/projects/:owner/leave',
      '/organizations/:owner/people/leave',
    ]);
    expect(rows.changes(before, await rows.read(), 0)).toEqual([]);
    await database.close();
  });

  const ownerPages = [
    'settings',
    'people',
    'audit',
    'keys',
    'hooks',
    'settings/trusted-publishing',
    'groups',
  ] as const;

  it('sees settings, people and the audit log without a button, but no invite link', async () => {
    for (const part of ownerPages) {
      const page = await kit.call('auditor', `/organizations/crew/${part}`, null);
      expect([part, page.status]).toEqual([part, 200]);
      expect(page.text).toContain('<main id="content" class="read-only">');
      expect(page.text).toContain('You are an auditor of this Project');
      expect([part, enabledControls(page.text)]).toEqual([part, []]);
    }
    const owners = await kit.call('owner', '/organizations/crew/settings', null);
    expect(owners.text).not.toContain('read-only');
    expect((await kit.call('auditor', '/organizations/crew/invite-links', null)).status).toBe(404);
    expect((await kit.call('auditor', '/', null)).text).not.toContain('read-only');
  });

  it('sees no invite links as a developer either, uploads like one, and sees pages of owners without a button', async () => {
    const { data } = slipway;
    const crew = (await data.owners.findOwner('crew'))?.id ?? '';
    const audra = (await data.owners.findOwner('audra'))?.id ?? '';
    await data.owners.addTeamMember(crew, 'developer', audra, 1);
    for (const [caller, path] of [
      ['auditor', '/organizations/crew/invite-links'],
      ['auditorKey', '/api/v1/projects/crew/invite-links'],
    ] as const) {
      expect((await kit.call(caller, path, null)).status).toBe(404);
      expect((await kit.call(caller, path, { fields: {}, multipart: false, method: 'HEAD' })).status).toBe(
        404,
      );
    }
    for (const part of ownerPages) {
      const { text } = await kit.call('auditor', `/organizations/crew/${part}`, null);
      expect([part, enabledControls(text)]).toEqual([part, []]);
      expect(text).toContain('read-only');
    }
    const app = `/users/crew/platforms/android/apps/${kit.names.app}`;
    for (const path of ['/organizations/crew/upload', `${app}/settings`]) {
      const { text } = await kit.call('auditor', path, null);
      expect(text).not.toContain('read-only');
      expect([path, enabledControls(text).length > 0]).toEqual([path, true]);
      expect(text).not.toContain('require-trusted');
    }
    const key = await kit.call('auditorKey', '/api/users/crew/apps', { fields: {}, multipart: true });
    expect(key.status).toBe(400);
    await data.owners.removeTeamMember(crew, 'developer', audra);
  });

  it('appears as a tester to clients of DeployGate', async () => {
    const { text } = await kit.call('auditorKey', '/api/organizations/crew', null);
    const { teams } = JSON.parse(text).results ?? JSON.parse(text).organization ?? JSON.parse(text);
    expect(teams).toEqual([
      { name: 'owner', role: 'owner', member_count: 2 },
      { name: 'developer', role: 'developer', member_count: 1 },
      { name: 'tester', role: 'tester', member_count: 2 },
    ]);
  });
});
