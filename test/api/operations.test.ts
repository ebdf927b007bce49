/** Every operation of the API, called as a program would, with every answer checked against the OpenAPI document. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailSettings } from '../support/mail-service.ts';
import { createPrivateSigstore } from '../support/private-sigstore.ts';
import { createStatementLog } from '../support/query-plans.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { type ApiClient, type ApiRequest, createApiClient } from './api-client.ts';
import { administrationWalk } from './walks/administration-walk.ts';
import { appWalk } from './walks/app-walk.ts';
import { keyWalk } from './walks/key-walk.ts';
import { pageWalk } from './walks/page-walk.ts';
import { peopleWalk } from './walks/people-walk.ts';
import { projectWalk } from './walks/project-walk.ts';
import { recordsWalk } from './walks/records-walk.ts';
import { trustedPublisherWalk } from './walks/trusted-publisher-walk.ts';
import { updateCheckWalk } from './walks/update-check-walk.ts';
import { webhookWalk } from './walks/webhook-walk.ts';

const walks = [
  recordsWalk,
  webhookWalk,
  peopleWalk,
  projectWalk,
  keyWalk,
  trustedPublisherWalk,
  appWalk,
  pageWalk,
  updateCheckWalk,
  administrationWalk,
];

/** Each request may record the use of its key. */
const unused = (item: unknown) => ({ ...(item as object), last_used: null });

describe.each(dialects)('the operations of the API on %s', (dialect) => {
  let slipway: TestService;
  let api: ApiClient;
  const log = createStatementLog();
  const sigstore = createPrivateSigstore();
  const folder = mkdtempSync(join(tmpdir(), 'slipway-roots-'));
  const roots = join(folder, 'trusted_root.json');
  beforeAll(async () => {
    writeFileSync(roots, JSON.stringify(sigstore.trustedRoot));
    slipway = await startTestService({
      dialect,
      logger: log.logger,
      blobs: 'memory',
      settings: {
        ...mailSettings,
        SLIPWAY_TRUSTED_ROOTS: roots,
        SLIPWAY_SLOW_QUERY_MS: '0',
        SLIPWAY_HOOK_NETWORKS: '127.0.0.0/8',
      },
    });
    api = await createApiClient(slipway);
    log.start();
  });
  afterAll(async () => {
    await slipway.close();
    rmSync(folder, { recursive: true });
  });

  it.each(walks)('$title', { timeout: 60_000 }, ({ run }) => run({ slipway, api, sigstore }));

  it('are all called by these tests', () => {
    expect([...api.called].sort()).toEqual([...api.operationIds].sort());
  });

  it('return the same list whatever the size of its pages', async () => {
    for (const name of ['North', 'South'])
      await api.call('createProject', 201, { body: { name, workspace: 'quay' } });
    const logins = ['quinn', 'sol'];
    await api.call('addPeople', 200, { params: { owner: 'North' }, body: { logins, team: 'tester' } });
    const app = { owner: 'admin', platform: 'android', package: 'com.example.records' };
    await api.call('addTesters', 200, { params: app, body: { logins } });
    const requests: Record<string, ApiRequest> = {
      listAccounts: {},
      listAuditLog: { params: { owner: 'admin' } },
      listEvents: { params: { owner: 'admin' } },
      listProjectAccess: { params: { owner: 'North' } },
      listWorkspaceAccess: { params: { workspace: 'quay' } },
      listPeople: { params: { owner: 'North' } },
      listPolicyViolations: { params: { workspace: 'quay' }, query: { email_domains: 'example.org' } },
      listProjects: {},
      listTesters: { params: app },
      listWorkspacePeople: { params: { workspace: 'quay' } },
      listWorkspaceProjects: { params: { workspace: 'quay' } },
    };
    // These lists change during the test or have one item left. The walks and the suites of their features page through them.
    const elsewhere = [
      'listPages',
      'listPageHistory',
      'listDevices',
      'listAppDevices',
      'listFeedback',
      'listMail',
      'listJobs',
      'listMemberActivity',
      'listProjectCredentials',
      'listWorkspaceCredentials',
      'searchLibraries',
    ];
    await slipway.service.outbox.idle();
    for (const [id, known] of api.lists) {
      if (elsewhere.includes(id)) continue;
      const request = requests[id] ?? known;
      const read = (limit: number, cursor?: string) => {
        const query = { ...request.query, limit: String(limit), ...(cursor === undefined ? {} : { cursor }) };
        return api.call(id, 200, { ...request, query });
      };
      const items: unknown[] = (await read(200)).value.data;
      expect([id, items.length > 1]).toEqual([id, true]);
      const pages: unknown[] = [];
      for (let cursor: string | undefined; pages.length < items.length; ) {
        const page = await read(Math.ceil(items.length / 3), cursor);
        pages.push(...page.value.data);
        cursor = page.value.next_cursor ?? undefined;
        // The events always have a next page, which programs ask for later.
        if (id !== 'listEvents')
          expect([id, cursor !== undefined]).toEqual([id, pages.length < items.length]);
      }
      expect([id, pages.map(unused)]).toEqual([id, items.map(unused)]);
    }
  });

  it('read no table that can grow as a whole', () => log.expectNoScans(slipway));
});
