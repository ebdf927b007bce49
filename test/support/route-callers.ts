/** Every kind of caller of a route, from anonymous to administrator, on one service with a Project and its content. */

import sharp from 'sharp';
import { symbolFileQueries } from '../../src/apps/files/symbol-file-queries.ts';
import { screenshotKey, symbolKey } from '../../src/blobs/blob-key.ts';
import { newIdentifier } from '../../src/core/identifier.ts';
import { groupQueries } from '../../src/owners/group-queries.ts';
import { commonName, createSigningKey } from '../../src/packages/apk/signing/signing-key.ts';
import { noFacts } from '../../src/webhooks/payload/event-facts.ts';
import { type BrowserSession, postForm, signIn } from './browser-session.ts';
import { appEntries, buildIpa } from './build-ipa.ts';
import { buildZip } from './build-zip.ts';
import { type Answer, type RequestOptions, send } from './http-client.ts';
import { bearer, uploaded } from './interface-client.ts';
import { multipart } from './multipart-body.ts';
import { postedForms } from './page-forms.ts';
import { addDevice, sampleMailAbout } from './sample-rows.ts';
import type { TestService } from './test-service.ts';

/** Callers with a browser session or a key. */
export const persons = [
  'owner',
  'developer',
  'tester',
  'auditor',
  'stranger',
  'elsewhere',
  'harbour',
  'administrator',
] as const;
export const keyHolders = [
  'developerKey',
  'auditorKey',
  'projectKey',
  'otherProjectKey',
  'administratorKey',
] as const;
export const shutOut = ['nobody', 'revokedKey', 'endedSession'] as const;
export const callers = [...persons, ...keyHolders, ...shutOut] as const;
export type Caller = (typeof callers)[number];
export type Person = (typeof persons)[number];

export interface RouteForm {
  fields: Record<string, string>;
  multipart: boolean;
  /** The method of an operation. It gets a request that it refuses only after it has admitted the caller. */
  operation?: string;
  hasBody?: boolean;
  /** Method of the form; POST by default. */
  method?: string;
}

/** No field is NUL. */
const refusedBody = '{"no such field":"\\u0000"}';

export interface RouteCallers {
  /** Values of path parameters, by name; `… of <caller>` is for that caller only. */
  names: Readonly<Record<string, string>>;
  /** Value of the `Cookie` header. */
  cookieOf(caller: Caller): string | undefined;
  /** A null `form` sends a GET. Forms carry the token of the session unless `csrf` is given. */
  call(caller: Caller, path: string, form: RouteForm | null, csrf?: string): Promise<Answer>;
  callWithKey(key: string, path: string, form: RouteForm | null): Promise<Answer>;
}

/** Each webhook of the fixture has one delivery. */
export const deliveryOf = (webhookId = '') => `msg_${webhookId}`;

const logins: Readonly<Record<Person, string>> = {
  owner: 'olga',
  developer: 'dev',
  tester: 'tess',
  auditor: 'audra',
  stranger: 'sam',
  elsewhere: 'else',
  harbour: 'hanna',
  administrator: 'admin',
};

/**
 * The Project `crew` with an app on both platforms, each on a page; `dock` in the Workspace `harbour`; `other` of other
 * people.
 */
export async function startCallers(slipway: TestService): Promise<RouteCallers> {
  const { data, owners } = slipway;
  const userKeys: Record<string, string> = {};
  for (const login of Object.values(logins)) {
    if (login !== 'admin') userKeys[login] = await slipway.user(login);
  }
  await slipway.project('crew', {
    members: { olga: 'owner', dev: 'developer', audra: 'auditor', tess: 'tester' },
  });
  // Before the uploads, whose emails go to everyone who is in the team when the analysis ends.
  const revoked = await slipway.user('gone');
  await owners.addToTeam({ projectName: 'crew', team: 'owner', userName: 'gone', by: 'command-line' });
  await slipway.project('other', { members: { else: 'owner' } });
  await slipway.project('dock', { workspace: 'harbour', members: { else: 'owner' } });
  const idOf = async (name: string) => (await data.owners.findOwner(name))?.id ?? '';
  const administrator = await idOf('admin');
  // The command line created these, so the administrator owns them first, but should not be a member here.
  for (const project of ['crew', 'other', 'dock']) {
    await data.owners.removeTeamMember(await idOf(project), 'owner', administrator);
  }
  for (const owner of ['crew', 'olga'])
    await data.signingKeys.insert({
      ownerId: await idOf(owner),
      number: 1,
      continues: false,
      origin: 'created',
      certificate: createSigningKey('ec', { name: [[commonName, 'Harbour']] }).certificate,
      encryptedKey: '',
      createdAt: Date.now(),
    });
  const workspace = await data.owners.findWorkspace('harbour');
  await data.workspaces.addPerson(workspace?.id ?? '', await idOf('hanna'), 'owner');
  await data.workspaces.removePerson(workspace?.id ?? '', administrator, 'owner');

  const android = await uploaded(slipway, {
    owner: 'crew',
    key: userKeys.dev ?? null,
    fields: { distribution_name: 'nightly' },
  });
  const ios = await uploaded(slipway, {
    owner: 'crew',
    key: userKeys.dev ?? null,
    parts: [
      { name: 'file', content: buildIpa(), fileName: 'app.ipa' },
      { name: 'distribution_name', value: 'nightly' },
      {
        name: 'ios_simulator_zip',
        content: buildZip(appEntries({ simulator: true }, 'Test.app/')),
        fileName: 'app.zip',
      },
    ],
  });
  await slipway.service.outbox.idle();
  const buildOf = ({ file }: { file: string }) => new URL(file).pathname.split('/')[2] ?? '';
  const page = await data.distributions.findPage(ios.distribution?.access_key ?? '');
  const device = (ownerId: string, chip = '00008110') =>
    addDevice(data, ownerId, page?.id ?? '', { udid: `${chip}-001A2B3C4D5E6F70`, now: Date.now() });
  const devices = [
    await device(await idOf('crew')),
    await device(await idOf('olga')),
    await device(await idOf('crew'), '00008120'),
  ];
  const [mail] = await data.mails.insertMails(
    [
      {
        buildId: buildOf(android),
        pageId: null,
        userId: await idOf('tess'),
        address: 'tess@example.com',
        about: sampleMailAbout,
        state: 'sent',
      },
    ],
    Date.now(),
  );
  const publisherOf = async (owner: string) =>
    data.trustedPublishers.insert(
      await idOf(owner),
      {
        ...{ name: 'Release', app: null, pageNamePattern: null, allowsSelfHosted: false },
        ...{ provider: 'gitlab', issuer: 'https://gitlab.com' },
        rules: [{ claim: 'project_path', equals: 'acme/tide' }],
        pinned: { 'acme/tide': { project_id: '42' } },
      },
      { id: await idOf('olga') },
      1,
    );
  const webhookOf = async (ownerId: string, appId: string | null) => {
    const id = newIdentifier(Date.now());
    const subscribedEvents = ['build.uploaded', 'build.deleted', 'owner.deleted', 'page.published'] as const;
    await data.webhooks.insertWebhook(
      {
        id,
        ownerId,
        appId,
        name: 'chat',
        kind: 'json',
        oldSecretUntil: null,
        state: 'on',
        shownAddress: 'https://example.com',
        encryptedAddress: '',
        encryptedSecret: '',
        subscribedEvents,
      },
      Date.now(),
    );
    const hostile = `<script>alert(1)</script> \u202e${'x'.repeat(120)}`;
    const attempt = { at: 1, kind: 'json', headers: { 'webhook-id': hostile } } as const;
    const failed = {
      status: null,
      fault: 'unreachable',
      detail: hostile,
      durationMs: 1,
      answer: null,
    } as const;
    const answered = {
      status: 500,
      fault: null,
      detail: null,
      answer: { headers: { server: hostile }, body: hostile },
    };
    await data.webhooks.insertDeliveries(
      [
        {
          id: deliveryOf(id),
          webhookId: id,
          event: 'build.uploaded',
          facts: JSON.stringify({
            ...noFacts('build.uploaded', 1),
            app: { name: hostile, packageName: hostile, platform: 'ios', path: '/' },
            current: { id, owner: hostile, data: {} },
            page: { name: hostile, releaseNote: hostile, path: '/' },
          }),
          ...{ state: 'dead', attempts: 9, dueAt: 1, status: 500, fault: null, durationMs: 1 },
          attemptLog: [
            { ...attempt, ...failed },
            { ...attempt, at: 2, durationMs: 2, ...answered },
          ],
        },
      ],
      id,
      Date.now(),
    );
    return id;
  };
  const groupOf = async (owner: string) =>
    groupQueries(data).insertGroup({ ownerId: await idOf(owner), name: 'QA', now: Date.now() });
  const app = await data.apps.findApp(await idOf('crew'), 'android', android.package_name);
  const androidPage = await data.distributions.findPage(android.distribution?.access_key ?? '');
  if (!androidPage) throw new Error('there is no page');
  await data.pageSettings.saveRules(androidPage.id, { ...androidPage, feedback: true, recount: false });
  const feedback = newIdentifier(Date.now());
  const screenshot = screenshotKey(feedback, 1);
  const picture = { width: 270, height: 600, channels: 3, background: '#2a6f97' } as const;
  const pictureBytes = await sharp({ create: picture }).webp().toBuffer();
  await slipway.blobs.putBytes(screenshot, pictureBytes);
  await data.feedback.insert(
    {
      id: feedback,
      appId: app?.id ?? '',
      buildId: buildOf(android),
      pageId: androidPage.id,
      pageName: 'nightly',
      text: 'It stops',
      email: null,
      sender: null,
      device: 'iPhone',
      status: 'new',
      createdAt: Date.now(),
    },
    [{ number: 1, blob: screenshot, sizeBytes: pictureBytes.length, sha256: '0'.repeat(64) }],
  );
  const symbols = newIdentifier(Date.now());
  const symbolBlob = symbolKey(buildOf(android), 'made-up');
  const mapping = Buffer.from('com.example.Tide -> a.a:');
  await slipway.blobs.putBytes(symbolBlob, mapping);
  await symbolFileQueries(data).insert({
    id: symbols,
    buildId: buildOf(android),
    appId: app?.id ?? '',
    fileName: 'mapping.txt',
    facts: { kind: 'mapping', binaries: [{ name: 'mapping', architecture: null, id: '7fd82e2' }] },
    blob: symbolBlob,
    sizeBytes: mapping.length,
    sha256: '0'.repeat(64),
    uploadedBy: 'olga',
    createdAt: Date.now(),
  });
  const ended = await signIn(slipway, 'gone');
  const endedBy = await tokenOf(ended);
  await postForm(slipway, '/sign-out', { csrf: endedBy }, { Cookie: ended.cookie });
  const goneId = await idOf('gone');
  for (const key of await data.keys.listKeys(goneId)) await data.keys.revokeKey(goneId, key.id, Date.now());

  const browsers = new Map<Caller, BrowserSession>();
  const tokens = new Map<Caller, string>();
  for (const person of persons) {
    const browser = await signIn(slipway, logins[person]);
    browsers.set(person, browser);
    tokens.set(person, await tokenOf(browser));
  }
  browsers.set('endedSession', ended);
  tokens.set('endedSession', endedBy);
  const keys = new Map<Caller, string>([
    ['developerKey', userKeys.dev ?? ''],
    ['auditorKey', userKeys.audra ?? ''],
    ['projectKey', await slipway.projectKey('crew')],
    ['otherProjectKey', await slipway.projectKey('other')],
    ['administratorKey', slipway.adminKey],
    ['revokedKey', revoked],
  ]);
  return {
    names: {
      app: android.package_name,
      iosApp: ios.package_name,
      page: android.distribution?.access_key ?? '',
      iosPage: ios.distribution?.access_key ?? '',
      build: buildOf(android),
      iosBuild: buildOf(ios),
      device: devices[0]?.id ?? '',
      ownDevice: devices[1]?.id ?? '',
      'device of developer': devices[2]?.id ?? '',
      mail: mail ?? '',
      feedback,
      symbols,
      person: 'sam',
      member: await idOf('tess'),
      workspaceMember: await idOf('else'),
      appWebhook: await webhookOf(await idOf('crew'), app?.id ?? ''),
      webhook: await webhookOf(await idOf('crew'), null),
      group: await groupOf('crew'),
      ownGroup: await groupOf('olga'),
      ownWebhook: await webhookOf(await idOf('olga'), null),
      publisher: await publisherOf('crew'),
      ownPublisher: await publisherOf('olga'),
    },
    cookieOf: (caller) => browsers.get(caller)?.cookie,
    callWithKey: (key, path, form) => request({ key }, path, form),
    call: (caller, path, form, csrf) =>
      request(
        { cookie: browsers.get(caller)?.cookie, key: keys.get(caller), token: csrf ?? tokens.get(caller) },
        path,
        form,
      ),
  };

  function request(
    by: { cookie?: string | undefined; key?: string | undefined; token?: string | undefined },
    path: string,
    form: RouteForm | null,
  ): Promise<Answer> {
    const { cookie, key, token } = by;
    const headers = {
      Accept: path.startsWith('/api/') ? 'application/json' : 'text/html',
      ...(cookie ? { Cookie: cookie } : {}),
      ...(key ? bearer(key) : {}),
    };
    if (!form) return ask(path, { headers });
    if (form.operation)
      return ask(path, {
        method: form.operation,
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          'If-Match': '"another"',
          'Content-Length': String(form.hasBody ? refusedBody.length : 0),
        },
        ...(form.hasBody ? { body: refusedBody } : {}),
      });
    const fields = { ...(token === undefined ? {} : { csrf: token }), ...form.fields };
    const parts = Object.entries(fields).map(([name, value]) => ({ name, value }));
    const { contentType, body } = form.multipart
      ? multipart(parts)
      : {
          contentType: 'application/x-www-form-urlencoded',
          body: new URLSearchParams(fields).toString(),
        };
    return ask(path, {
      method: form.method ?? 'POST',
      headers: {
        ...headers,
        'Content-Type': contentType,
        'Content-Length': String(Buffer.byteLength(body)),
      },
      body,
    });
  }

  /** Pages are asked for without a connection, which thousands of requests would pay for; a stream of events needs one. */
  async function ask(path: string, options: RequestOptions): Promise<Answer> {
    if (options.method !== undefined || path.endsWith('/live')) return send(slipway.port, path, options);
    const headers = { Host: `127.0.0.1:${slipway.port}`, ...options.headers };
    const answer = await slipway.service.http.inject({ url: path, headers });
    const { statusCode: status, rawPayload: body, payload: text } = answer;
    return { status, headers: answer.headers as Answer['headers'], body, text };
  }
}

async function tokenOf(browser: BrowserSession): Promise<string> {
  return postedForms((await browser.get('/')).text)[0]?.fields.csrf ?? '';
}
