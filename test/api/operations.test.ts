/** Every operation of the API, called as a program would, with every answer checked against the OpenAPI document. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailSettings } from '../support/mail-service.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { administrationWalk } from './walks/administration-walk.ts';
import { appWalk } from './walks/app-walk.ts';
import { keyWalk } from './walks/key-walk.ts';
import { pageWalk } from './walks/page-walk.ts';
import { peopleWalk } from './walks/people-walk.ts';
import { projectWalk } from './walks/project-walk.ts';
import { recordsWalk } from './walks/records-walk.ts';
import { updateCheckWalk } from './walks/update-check-walk.ts';
import { webhookWalk } from './walks/webhook-walk.ts';

const walks = [
  recordsWalk,
  webhookWalk,
  peopleWalk,
  projectWalk,
  keyWalk,
  appWalk,
  pageWalk,
  updateCheckWalk,
  administrationWalk,
];

describe('the operations of the API', () => {
  let slipway: TestService;
  let api: ApiClient;
  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      settings: { ...mailSettings, SLIPWAY_HOOK_NETWORKS: '127.0.0.0/8' },
    });
    api = await createApiClient(slipway);
  });
  afterAll(() => slipway.close());

  it.each(walks)('$title', { timeout: 60_000 }, ({ run }) => run({ slipway, api }));

  it('are all called by these tests', () => {
    expect([...api.called].sort()).toEqual([...api.operationIds].sort());
  });
});
