/** Replays what clients of DeployGate’s API sent and received, with its names mapped to those of a small installation. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { send } from '../support/http-client.ts';
import { bearer, uploaded, uploadParts } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

interface Exchange {
  source: string;
  method: string;
  path: string;
  content_type: string[];
  body: string;
  status: number;
  answer: string;
}

const file = fileURLToPath(new URL('../../../shared/fixtures/recorded-exchanges.jsonl', import.meta.url));
const exchanges: Exchange[] = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];

/** Every deliberate exception, which `docs/deploygate.md` explains: the status instead of the recorded one. */
const exceptions: Readonly<Record<string, number>> = {
  'POST …/apps/com.deploygate.sample/shared_teams': 400,
  'DELETE …/apps/com.deploygate.sample/shared_teams/test_team': 400,
  'DELETE …/apps/com.deploygate.sample/teams/test_team': 400,
  'POST /api/enterprises/test-enterprise/shared_teams': 400,
  'DELETE /api/enterprises/test-enterprise/shared_teams/test_shared_team': 400,
  'GET /api/enterprises/test-enterprise/users': 200,
};

const short = ({ method, path }: Exchange) =>
  `${method} ${path.replace(/^.*(?=\/apps\/com\.deploygate\.sample\/(?:shared_)?teams)/, '…')}`;

const apk = buildApk({ packageName: 'com.deploygate.sample' });
/** Every name that an exchange creates or changes; each has its own. */
const ownNames =
  /owner-one|person-(one|two)|mailed|test-enterprise(-two)?|test_organization|test-organization-two|dummy\.email\+test/g;
type Own = (text: string) => string;
const address = 'dummy.email+test@dummy.email';
const pageName = 'Sample (2022/05/26-14:02:08)';

describe.skipIf(exchanges.length === 0)('recorded exchanges (need ../shared/fixtures)', () => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
  });
  afterAll(() => slipway.close());

  /** Two Workspaces of `owner-one` with a Project each, an app, and people who are in a Project before they leave it. */
  const open = async ({ method, path }: Exchange, own: Own) => {
    const { owners, data } = slipway;
    const key = await slipway.user(own('owner-one'));
    for (const name of ['person-one', 'person-two']) await slipway.user(own(name));
    const by = 'command-line' as const;
    const mailed = { name: own('mailed'), email: own(address) };
    await owners.createUser({ ...mailed, passwordHash: null, administrator: false, by });
    const isCreation = method === 'POST' && path === '/api/organizations';
    for (const [workspaceName, name] of [
      [own('test-enterprise'), own('test_organization')],
      [own('test-enterprise-two'), own('test-organization-two')],
    ] as const) {
      const ownerName = own('owner-one');
      await owners.createWorkspace({ name: workspaceName, displayName: null, iconUrl: null, ownerName, by });
      if (isCreation) continue;
      await owners.createProject({ name, description: '', workspaceName, ownerName, by });
      const joinsTeam = method === 'POST' && path.includes('/teams/');
      if (method !== 'DELETE' && !joinsTeam) continue;
      for (const userName of ['person-one', 'person-two', 'mailed'])
        await owners.addToTeam({
          projectName: name,
          team: path.includes('/teams/admin/') && !joinsTeam ? 'owner' : 'tester',
          userName: own(userName),
          by,
        });
    }
    let accessKey = 'missing';
    if (/\/apps|\/distributions/.test(path)) {
      const owner = own(path.includes('/organizations/') ? 'test_organization' : 'owner-one');
      const fields = { distribution_name: pageName };
      const { distribution } = await uploaded(slipway, { owner, key, file: apk, fields });
      accessKey = distribution?.access_key ?? '';
    }
    if (path.endsWith('/members') && method === 'DELETE' && path.includes('/apps/')) {
      const owner = await data.owners.findOwner(own('owner-one'));
      const tester = await data.owners.findOwner(own('person-one'));
      const app = await data.apps.findApp(owner?.id ?? '', 'android', 'com.deploygate.sample');
      await data.appTesters.add({ appId: app?.id ?? '', userId: tester?.id ?? '', limit: 9, now: 1 });
    }
    return { key, accessKey };
  };

  /** Without the names of teams and pages that only the recording has. */
  const mapped = (text: string, accessKey: string, own: Own) =>
    own(text)
      .replaceAll('test_distribution', accessKey)
      .replaceAll('f.one%somebody%40example.com', encodeURIComponent(own(address)))
      .replaceAll('teams/admin/', 'teams/owner/')
      .replaceAll('test_team', 'tester');

  it.each(exchanges.map((exchange, index) => ({ name: short(exchange), exchange, index })))(
    '$name',
    async ({ exchange, index }) => {
      const suffix = `-${index}of${exchanges.length}`;
      const own: Own = (text) => text.replace(ownNames, `$&${suffix}`);
      const { key, accessKey } = await open(exchange, own);
      const isUpload = exchange.body.startsWith('<multipart');
      const form = isUpload ? multipart(uploadParts({ file: apk })) : null;
      // As Go sends them: without a length, a GET has no body.
      const body = form?.body ?? mapped(exchange.body, accessKey, own);
      const answer = await send(slipway.port, mapped(exchange.path, accessKey, own), {
        method: exchange.method,
        headers: {
          ...bearer(key),
          'Content-Type': form?.contentType ?? exchange.content_type[0] ?? '',
          ...(exchange.method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
        },
        ...(exchange.method === 'GET' ? {} : { body }),
      });
      const exception = exceptions[short(exchange)];
      expect([answer.status, answer.text]).toEqual([exception ?? exchange.status, answer.text]);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      const given = JSON.parse(answer.text.replaceAll(suffix, ''));
      if (answer.status >= 400) {
        expect(given).toMatchObject({ error: true, message: expect.any(String), because: given.message });
        return;
      }
      expect(given.error).toBe(false);
      // Recorded without a body.
      if (exchange.answer === '') return;
      const recorded = JSON.parse(exchange.answer);
      expect(differencesOf(recorded, given, 'answer')).toEqual([]);
      for (const sentence of sentencesOf(recorded))
        expect(sentencesOf(given)).toContain(sayingTeams(sentence, exchange));
    },
  );

  /** The sentence with the names that were sent. */
  const sayingTeams = (sentence: string, { path, body }: Exchange) =>
    sentence
      .replaceAll('test_team', 'tester')
      .replace(/\badmin\b/, path.includes('/teams/admin/') ? 'owner' : 'admin')
      .replace(/^person-one(?= was invited)/, body.startsWith('email=') ? address : 'person-one');
});

/** The fields and types of the recorded value that the given one lacks. Null fits every type, and an empty list has no items to compare. */
function differencesOf(recorded: unknown, given: unknown, path: string): string[] {
  if (recorded === null || given === null) return [];
  if (Array.isArray(recorded)) {
    if (!Array.isArray(given)) return [`${path} is no list`];
    return recorded.length > 0 && given.length > 0 ? differencesOf(recorded[0], given[0], `${path}[0]`) : [];
  }
  if (typeof recorded === 'object') {
    if (typeof given !== 'object') return [`${path} is no object`];
    return Object.entries(recorded).flatMap(([name, value]) => {
      const found: unknown = Reflect.get(given, name);
      return found === undefined
        ? [`${path}.${name} is missing`]
        : differencesOf(value, found, `${path}.${name}`);
    });
  }
  return typeof recorded === typeof given ? [] : [`${path} is no ${typeof recorded}`];
}

/** The sentences that clients compare or print. */
function sentencesOf({ message, results }: { message?: unknown; results?: unknown }): string[] {
  const inner = typeof results === 'object' && results !== null ? results : {};
  return [message, results, Reflect.get(inner, 'message'), Reflect.get(inner, 'invite')].filter(
    (one) => typeof one === 'string',
  );
}
