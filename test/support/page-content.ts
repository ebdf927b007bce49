/** More content for the installation of `route-callers.ts`: several rows in every state for each list. */
import { newHexKey, newIdentifier } from '../../src/core/identifier.ts';
import type { Database } from '../../src/db/database.ts';
import type { PageAccessKind } from '../../src/distributions/distribution-page.ts';
import { checkFacts } from '../../src/insight/checks/check-facts.ts';
import { installation } from '../../src/jobs/outbox.ts';
import { androidInfo, withLibrary } from '../insight/checks/analyses.ts';
import { buildApk } from './build-apk.ts';
import { buildIpa, createSigningIdentity, type ProfileSpec } from './build-ipa.ts';
import { uploaded } from './interface-client.ts';
import type { Caller, RouteCallers } from './route-callers.ts';
import { signApk } from './sign-apk.ts';
import { createTestKey } from './test-key.ts';
import type { TestService } from './test-service.ts';

/** UDID of the device that `route-callers.ts` registers. */
const udid = '00008110-001A2B3C4D5E6F70';
const dayMs = 24 * 60 * 60_000;

export interface PageContent {
  /** Distribution pages of the Android app, by why they do not open. */
  closedPages: Readonly<Record<string, string>>;
  /** Revisions of the Android app, by the state of the build. */
  revisions: Readonly<Record<'converting' | 'failed' | 'ready' | 'invalid', number>>;
  /** Links of `crew` and of the app of `olga`. */
  inviteLinks: { project: string; app: string };
  /** The token of an invitation to `crew`. */
  invitation: string;
}

export async function addPageContent(
  slipway: TestService,
  database: Database,
  kit: RouteCallers,
): Promise<PageContent> {
  const { data } = slipway;
  const { queries: db } = database;
  const { names } = kit;
  const now = Date.now();
  let rows = 0;
  /** In this order, and after the rows that the service creates in the meantime. */
  const nextIdentifier = () => newIdentifier(now + 60_000 + rows++);
  const idOf = async (name: string) => (await data.owners.findOwner(name))?.id ?? '';
  const [crew, olga, tess] = [await idOf('crew'), await idOf('olga'), await idOf('tess')];
  const submit = async (caller: Caller, path: string, fields: Record<string, string> = {}) => {
    const answer = await kit.call(caller, path, { fields, multipart: false });
    if (answer.status >= 400) throw new Error(`${path} was refused with ${answer.status}: ${answer.text}`);
    return answer;
  };

  // Builds: enough for a second page, in every state, some deleted.
  const first = await db
    .selectFrom('builds')
    .selectAll()
    .where('id', '=', names.build ?? '')
    .executeTakeFirstOrThrow();
  const [appId, buildId] = [first.app_id, first.id];
  const addBuild = async (changes: Partial<typeof first> = {}) => {
    const revision = await data.apps.takeNextRevision({
      ...{ ownerId: crew, platform: 'android' as const, packageName: names.app ?? '' },
      ...{ secret: newHexKey(), now },
    });
    await db
      .insertInto('builds')
      .values({
        ...first,
        id: newIdentifier(now + revision.lastRevision),
        revision: revision.lastRevision,
        package_blob: `packages/${revision.lastRevision}`,
        icon_blob: null,
        icon_state: 'none',
        ...{
          branch: 'main',
          label: 'PR 412',
          commit_id: '9f31c2ab77d0',
          build_url: 'https://ci.example.com/1',
        },
        ...changes,
      })
      .execute();
    return revision.lastRevision;
  };
  for (let count = 0; count < 30; count++) await addBuild();
  for (let count = 0; count < 3; count++) await addBuild({ deleted_at: now, deleted_by: 'olga' });
  const bundle = { apk_percent: 40, apk_state: 'converting' };
  const revisions = {
    converting: await addBuild(bundle),
    failed: await addBuild({ ...bundle, apk_state: 'failed', apk_error: 'The bundle is damaged.' }),
    ready: await addBuild({
      ...{ apk_state: 'ready', apk_blob: 'apks/ready', apk_bytes: 21_000_000, apk_sha256: 'ab'.repeat(32) },
    }),
    invalid: await addBuild({
      verification: JSON.stringify({
        verified: false,
        verifiedFromSdk: null,
        problems: ['Page 17 differs.'],
      }),
      upload_warnings: JSON.stringify(['The message was cut.']),
      ...{ simulator_blob: 'packages/simulator', simulator_bytes: 1000, protected: 1 },
    }),
  };
  // Signed, so that the pages offer them: on iOS to the registered devices.
  const identity = createSigningIdentity();
  const profile: ProfileSpec = { type: 'ad-hoc', identity, devices: [udid] };
  const packages = {
    'app.apk': signApk(buildApk({ packageName: names.app, versionCode: 2, minSdk: 24 }), {
      v2: [{ key: createTestKey() }],
    }),
    'app.ipa': buildIpa({ bundleIdentifier: names.iosApp, version: '2', identity, profile }),
  };
  const key = await slipway.projectKey('crew');
  for (const [fileName, content] of Object.entries(packages))
    await uploaded(slipway, {
      owner: 'crew',
      key,
      parts: [
        { name: 'file', content, fileName },
        { name: 'distribution_name', value: 'nightly' },
        { name: 'release_note', value: 'New: a banner\n\nTry it' },
      ],
    });
  await uploaded(slipway, { owner: 'olga', key: await ownKey(slipway, 'olga') });

  // Pages: a long history, and one for each way not to open.
  const page = await db
    .selectFrom('distribution_pages')
    .selectAll()
    .where('access_key', '=', names.page ?? '')
    .executeTakeFirstOrThrow();
  const rules: Record<string, { access?: PageAccessKind } & Partial<typeof page>> = {
    passcode: { access: 'passcode', passcode_hash: 'hash' },
    members: { access: 'members' },
    groups: { access: 'groups' },
    expired: { expires_at: 1 },
    inactive: { active: 0 },
    full: { max_installs: 1, installs: 1 },
    network: { networks: JSON.stringify(['192.0.2.0/24']) },
  };
  const closedPages: Record<string, string> = {};
  for (const [name, changes] of Object.entries(rules)) {
    closedPages[name] = newHexKey();
    // The page that was updated last is the first by name.
    const updated_at = page.updated_at - name.length * 7 - name.charCodeAt(0);
    const row = {
      ...page,
      id: nextIdentifier(),
      access_key: closedPages[name],
      name,
      updated_at,
      ...changes,
    };
    await db.insertInto('distribution_pages').values(row).execute();
  }
  const builds = await db
    .selectFrom('builds')
    .select('id')
    .where('app_id', '=', appId)
    .orderBy('revision')
    .limit(30)
    .execute();
  await db
    .insertInto('distribution_updates')
    .values(
      builds.map(({ id }, at) => ({
        ...{ id: newIdentifier(at + 1), page_id: page.id, build_id: id, release_note: 'A note' },
        ...{ withdrawn: at % 2, created_at: at + 1 },
      })),
    )
    .execute();

  // Checks: failed, warned and accepted. They replace those of builds that were uploaded.
  await slipway.service.outbox.idle();
  // Whether testers are emailed before people who manage the app depends on how fast the analysis was.
  const mails = await db.selectFrom('mails').selectAll().where('state', '=', 'kept').execute();
  const placeOf = (mail: (typeof mails)[number]) => `${mail.build_id} ${mail.address}`;
  mails.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  for (const { id } of mails)
    await db.updateTable('mails').set({ id: nextIdentifier() }).where('id', '=', id).execute();
  const analysis = withLibrary({ path: 'lib/arm64-v8a/libglide-webp.so', minAlignment: 4096 });
  const info = { ...androidInfo(), targetSdkVersion: 35 };
  const [, , checked = { id: '' }] = builds;
  for (const { id } of builds.slice(0, 3)) {
    const earlier = { revision: 1, downloadBytes: 700_000, installBytes: null, info, facts: null };
    const facts = checkFacts({ info, analysis, previous: earlier, defaultBranch: null });
    await data.checks.store(id, facts, now);
  }
  await db
    .updateTable('apps')
    .set({ checks: JSON.stringify({ destinations: ['google_play'] }) })
    .where('id', '=', appId)
    .execute();
  await db
    .insertInto('store_rules')
    .values({
      ...{ id: 'added-1', kind: 'target_api', threshold: 37, source: 'https://example.com/rules' },
      ...{ from_day: '2027-08-31', updated_at: now },
    })
    .execute();
  await db
    .insertInto('check_acceptances')
    .values({
      ...{ build_id: checked.id, check_id: 'play-page-size', reason: 'Fixed in the next release.' },
      ...{ accepted_by: 'olga', created_at: now },
    })
    .execute();

  // Activity of the last days.
  const day = (ago: number) => new Date(now - ago * dayMs).toISOString().slice(0, 10);
  for (const ago of [0, 1, 5, 9])
    for (const kind of ['view', 'install'])
      await db
        .insertInto('page_counts')
        .values({
          ...{ page_id: page.id, build_id: buildId, day: day(ago), platform: 'android', kind },
          times: 1204,
          people: 31,
          members: 2,
        })
        .execute();
  await db
    .insertInto('install_systems')
    .values(
      [16, 15, 14, 13, 12, 11, 10, 9].map((major) => ({
        page_id: page.id,
        build_id: buildId,
        day: day(0),
        system: `Android ${major}`,
        installs: major,
      })),
    )
    .execute();
  for (const [user_id, page_id, model, installs] of [
    [tess, page.id, 'Pixel 9', 1],
    [olga, null, null, 0],
  ] as const) {
    const installed_at = installs === 0 ? null : now;
    await db
      .insertInto('member_activity')
      .values({
        ...{
          id: nextIdentifier(),
          app_id: appId,
          build_id: buildId,
          page_id,
          user_id,
          system: 'Android 16',
          model,
        },
        ...{
          opens: 3,
          opened_at: now,
          installs,
          first_installed_at: installed_at,
          installed_at,
          last_at: now,
        },
      })
      .execute();
  }

  // Feedback with a reply, and without.
  const feedback = await db.selectFrom('feedback').selectAll().executeTakeFirstOrThrow();
  await db
    .updateTable('feedback')
    .set({
      sender: 'tess',
      email: 'tess@example.com',
      body: 'It stops after login.\nThe screen stays white.',
    })
    .execute();
  await db
    .insertInto('feedback')
    .values({ ...feedback, id: nextIdentifier(), state: 'closed' })
    .execute();
  await db
    .insertInto('feedback_replies')
    .values({
      id: nextIdentifier(),
      feedback_id: feedback.id,
      author: 'olga',
      body: 'Fixed in #2.',
      state: 'sent',
      created_at: now,
    })
    .execute();

  // Webhooks and their deliveries, background work and mail that failed.
  for (const [at, state] of (['sent', 'waiting', 'dead', 'stopped'] as const).entries())
    await db
      .insertInto('hook_deliveries')
      .values({
        ...{
          id: `msg_${at}`,
          hook_id: names.appWebhook ?? '',
          event_id: `${at}`,
          event: 'build.uploaded',
          facts: JSON.stringify({ current: { id: `${at}`, owner: 'crew', data: {} } }),
          state,
        },
        ...{
          attempts: at + 1,
          due_at: now + dayMs,
          status: at === 0 ? 200 : null,
          fault: at === 0 ? null : 'timeout',
        },
        ...{ duration_ms: 84, created_at: now, updated_at: now },
      })
      .execute();
  const job = {
    payload: JSON.stringify({ buildId }),
    run_at: now + dayMs,
    leased_until: null,
    created_at: now,
    queued_for: installation,
  };
  for (const [kind, attempts] of [
    ['draw-icon', 1000],
    ['verify-signature', 3],
  ] as const)
    await db
      .insertInto('outbox')
      .values({ ...job, id: nextIdentifier(), kind, attempts, last_error: 'The package cannot be read.' })
      .execute();
  const mail = await db.selectFrom('mails').selectAll().orderBy('id').executeTakeFirstOrThrow();
  await db
    .insertInto('mails')
    .values({
      ...mail,
      id: nextIdentifier(),
      user_id: await idOf('sam'),
      state: 'dead',
      last_error: '550 no such mailbox',
    })
    .execute();
  await db
    .insertInto('mail_choices')
    .values({ user_id: olga, app_id: appId, wanted: 1, updated_at: now })
    .execute();

  // Objects of accounts and Projects.
  await db
    .insertInto('group_members')
    .values({ group_id: names.group ?? '', user_id: tess, created_at: now })
    .execute();
  await db
    .insertInto('page_groups')
    .values({ page_id: page.id, group_id: names.group ?? '' })
    .execute();
  await db.updateTable('devices').set({ user_id: olga }).execute();
  await db
    .insertInto('passkeys')
    .values({
      id: nextIdentifier(),
      user_id: tess,
      credential_id: 'c',
      public_key: 'k',
      signature_count: 0,
      transports: '["usb"]',
      name: 'Laptop',
      created_at: now,
      last_used_at: now,
    })
    .execute();
  for (const owner of ['crew', 'olga']) {
    const key = await db
      .selectFrom('api_keys')
      .selectAll()
      .where('owner_id', '=', await idOf(owner))
      .orderBy('id')
      .executeTakeFirstOrThrow();
    const used = {
      created_at: key.created_at + 1,
      last_used_at: now,
      last_used_network: '192.0.2.7',
      created_by_name: 'mia',
      previous_until: now + dayMs,
      rotated_at: now,
    };
    await db
      .insertInto('api_keys')
      .values({ ...key, ...used, id: nextIdentifier(), key_hash: `used by ${owner}` })
      .execute();
    await db
      .insertInto('api_keys')
      .values({
        ...key,
        id: nextIdentifier(),
        key_hash: `revoked by ${owner}`,
        created_at: key.created_at + 2,
        revoked_at: now,
      })
      .execute();
  }
  await db
    .insertInto('branding')
    .values({
      id: nextIdentifier(),
      workspace_id: null,
      name: 'Harbour',
      accent: '#0044aa',
      support: 'help@example.com',
      logo: null,
      logo_name: null,
    })
    .execute();
  const link = { name: 'Everyone', days: '7', max_people: '50', group: '' };
  const created = async (path: string) => {
    const { headers } = await submit('owner', `${path}/create`, link);
    return headers.location?.split('/').at(-1) ?? '';
  };
  const app = `/users/olga/platforms/android/apps/${names.app}`;
  const invited = await submit('owner', '/organizations/crew/invitations/create', {
    email: '',
    team: 'tester',
  });
  await submit('owner', `${app}/people/add`, { login: 'sam' });
  await submit('owner', `/organizations/crew/retention/save`, { keep: 'some', newest: '20', days: '30' });
  return {
    closedPages,
    revisions,
    inviteLinks: {
      project: await created('/organizations/crew/invite-links'),
      app: await created(`${app}/people/invite-links`),
    },
    invitation: /\/invitation\/([\w-]+)/.exec(invited.text)?.[1] ?? '',
  };
}

async function ownKey(slipway: TestService, name: string): Promise<string> {
  const { createIssueKey } = await import('../../src/accounts/keys/issue-key.ts');
  const issue = createIssueKey({ data: slipway.data, now: Date.now });
  const request = {
    ownerKind: 'user',
    ownerName: name,
    name: 'laptop',
    expiresAt: null,
    by: 'command-line',
  } as const;
  return (await issue({ ...request, notify: false })).key;
}
