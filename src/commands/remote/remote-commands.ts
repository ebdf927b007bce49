/** Commands that work on a server, through `/api/v1`. */

import { formatBytes } from '../../core/byte-size.ts';
import { AppError, NotFound } from '../../core/errors.ts';
import { type CommandIo, print } from '../command-io.ts';
import { printable } from '../terminal-text.ts';
import { type ApiClient, type Resource, resourcesAt } from './api-client.ts';
import { minuteOf, printResource, printTable } from './print-table.ts';

/** The context of a call. */
export interface Call {
  io: CommandIo;
  api: ApiClient;
  json: boolean;
}

export interface AppSelector {
  owner: string;
  packageName: string;
  platform?: string | undefined;
}

type Path = readonly (string | number)[];

const field = (name: string) => (item: Resource) => item[name];
const done = ({ io, json }: Call, facts: object, sentence: string) => print(io, json, facts, sentence);

/** Returns the path of the app. Throws `NotFound`, and `invalid` if the owner has the package on both platforms. */
async function appPath({ api }: Call, { owner, packageName, platform }: AppSelector): Promise<Path> {
  if (platform !== undefined) return ['apps', owner, platform, packageName];
  const apps = await api.list(['owners', owner, 'apps']);
  const [app, another] = apps.filter((one) => one.package_name === packageName);
  if (!app) throw new NotFound(`${owner} has no app ${packageName}`);
  if (another) throw new AppError('invalid', `${owner} has ${packageName} on both platforms: add --platform`);
  return ['apps', owner, String(app.platform), packageName];
}

export async function listApps(call: Call, owner: string): Promise<void> {
  printTable(call.io, call.json, await call.api.list(['owners', owner, 'apps']), {
    package: field('package_name'),
    platform: field('platform'),
    name: field('name'),
    build: (app) => `#${app.last_revision}`,
    uploaded: (app) => minuteOf(app.last_upload_at),
  });
}

export async function showApp(call: Call, app: AppSelector): Promise<void> {
  printResource(call.io, call.json, await call.api.call('GET', await appPath(call, app)));
}

export async function deleteApp(call: Call, app: AppSelector): Promise<void> {
  const path = await appPath(call, app);
  await call.api.call('DELETE', path);
  const facts = { owner: app.owner, platform: path[2], package_name: app.packageName };
  done(call, { deleted: facts }, `Deleted ${app.packageName} with its builds, pages and files.`);
}

export async function rotateAppSecret(call: Call, app: AppSelector): Promise<void> {
  const path = await appPath(call, app);
  const rotated = await call.api.call('POST', [...path, 'secret', 'rotate']);
  done(
    call,
    rotated,
    `Rotated the secret of ${app.packageName}. The new one is ${rotated.secret}. Links with the old one no longer work.`,
  );
}

export async function listBuilds(
  call: Call,
  app: AppSelector,
  { limit, ...filters }: { limit: number; branch?: string; label?: string; commit?: string },
): Promise<void> {
  const path = await appPath(call, app);
  const builds = await call.api.list([...path, 'builds'], { limit, query: filters });
  printTable(call.io, call.json, builds, {
    build: (build) => `#${build.revision}`,
    version: (build) => `${build.version_name ?? ''} (${build.version_code})`.trim(),
    size: (build) => formatBytes(Number(build.size)),
    branch: field('branch'),
    label: field('label'),
    uploaded: (build) => minuteOf(build.uploaded_at),
    by: field('uploaded_by'),
    message: field('message'),
  });
}

export async function showBuild(call: Call, app: AppSelector, revision: number): Promise<void> {
  const path = [...(await appPath(call, app)), 'builds', revision];
  printResource(call.io, call.json, await call.api.call('GET', path));
}

export async function changeBuilds(
  call: Call,
  app: AppSelector,
  verb: 'delete' | 'restore' | 'protect',
  revisions: readonly number[],
): Promise<void> {
  const path = [...(await appPath(call, app)), 'builds', verb];
  const changed = await call.api.call('POST', path, { revisions });
  const words = { delete: 'Deleted', restore: 'Restored', protect: 'Protected' };
  const shown = [changed.revisions].flat().map((revision) => `#${revision}`);
  const undo = verb === 'delete' ? ' You can restore them for one day with: slipway build restore' : '';
  const facts = { [`${words[verb].toLowerCase()}`]: changed.revisions };
  done(call, facts, `${words[verb]} ${shown.join(', ')} of ${app.packageName}.${undo}`);
}

export async function listPages(call: Call, app: AppSelector): Promise<void> {
  const pages = await call.api.list([...(await appPath(call, app)), 'pages']);
  printTable(call.io, call.json, pages, {
    page: field('name'),
    build: (page) => `#${page.revision}`,
    access: (page) => (page.active ? page.access : 'closed'),
    installs: field('installs'),
    updated: (page) => minuteOf(page.updated_at),
    url: field('url'),
  });
}

/** Throws `NotFound`. */
async function findPage(call: Call, app: AppSelector, name: string): Promise<Resource> {
  const path = [...(await appPath(call, app)), 'pages', 'by-name', name];
  return call.api.call('GET', path).catch((error: unknown) => {
    throw error instanceof NotFound
      ? new NotFound(`${app.packageName} has no page ${printable(name)}`)
      : error;
  });
}

export async function showPage(call: Call, app: AppSelector, name: string): Promise<void> {
  printResource(call.io, call.json, await findPage(call, app, name));
}

interface PageChanges {
  open?: true;
  close?: true;
  access?: string;
  passcode?: string;
  group?: string[];
  network?: string[];
  expires?: string;
  maxInstalls?: number | 'none';
  mandatoryFrom?: number | 'none';
  feedback?: 'on' | 'off';
  note?: string;
  rename?: string;
}

export async function changePage(
  call: Call,
  app: AppSelector,
  name: string,
  changes: PageChanges,
): Promise<void> {
  const page = await findPage(call, app, name);
  const { open, close, network, expires, feedback, maxInstalls, mandatoryFrom } = changes;
  // JSON omits undefined values.
  const changed = await call.api.call('PATCH', ['pages', String(page.key)], {
    name: changes.rename,
    release_note: changes.note,
    active: open || close ? open === true : undefined,
    access: changes.access,
    passcode: changes.passcode,
    groups: changes.group,
    networks: network?.join() === 'all' ? [] : network,
    expires_at: expires === 'never' ? null : expires,
    max_installs: maxInstalls === 'none' ? null : maxInstalls,
    mandatory_from: mandatoryFrom === 'none' ? null : mandatoryFrom,
    feedback: feedback && feedback === 'on',
  });
  done(call, changed, `Changed the page ${printable(String(changed.name))}.`);
}

export async function deletePage(call: Call, app: AppSelector, name: string): Promise<void> {
  const page = await findPage(call, app, name);
  await call.api.call('DELETE', ['pages', String(page.key)]);
  done(call, { deleted: page.key }, `Deleted the page ${printable(name)}. Its link no longer works.`);
}

export async function publish(
  call: Call,
  app: AppSelector,
  given: { revision: number; page: string; note?: string; notify?: boolean },
): Promise<void> {
  const path = [...(await appPath(call, app)), 'pages', 'by-name', given.page];
  const page = await call.api.call('PUT', path, {
    revision: given.revision,
    release_note: given.note ?? '',
    notify: given.notify ?? false,
  });
  done(call, page, `Published #${given.revision} to ${printable(given.page)}: ${page.url}`);
}

export async function rollBack(
  call: Call,
  app: AppSelector,
  given: { revision: number; page: string },
): Promise<void> {
  const found = await findPage(call, app, given.page);
  const path = ['pages', String(found.key), 'roll-back'];
  const page = await call.api.call('POST', path, { revision: given.revision });
  done(call, page, `${printable(given.page)} serves #${given.revision} again: ${page.url}`);
}

export async function listTesters(call: Call, app: AppSelector): Promise<void> {
  const path = await appPath(call, app);
  const testers = await call.api.list([...path, 'testers']);
  const place = (await isProject(call, app)) ? ['projects', app.owner] : path;
  // Only owners of a Project see its invitations.
  const invitations = await call.api.list([...place, 'invitations']).catch((error: unknown) => {
    if (error instanceof NotFound) return [];
    throw error;
  });
  const invited = invitations
    .map(({ person, email, created_at: since }) => ({ name: person ?? email, reason: 'invited', since }))
    .filter(({ name }) => name !== null);
  printTable(call.io, call.json, [...testers, ...invited], {
    name: field('name'),
    reason: field('reason'),
    since: (tester) => minuteOf(tester.since),
  });
}

const isProject = async ({ api }: Call, { owner }: AppSelector) =>
  (await api.call('GET', ['owners', owner])).kind === 'project';

/** Adds people to the tester team of a Project, or to one app of a user. */
export async function addTesters(call: Call, app: AppSelector, logins: readonly string[]): Promise<void> {
  const path = await appPath(call, app);
  const added = await ((await isProject(call, app))
    ? call.api.call('POST', ['projects', app.owner, 'people'], { logins, team: 'tester' })
    : call.api.call('POST', [...path, 'testers'], { logins }));
  printTable(call.io, call.json, resourcesAt(added, 'people', call.api.origin), {
    login: field('login'),
    outcome: field('outcome'),
    detail: field('detail'),
  });
}

export async function removeTester(call: Call, app: AppSelector, name: string): Promise<void> {
  const path = await appPath(call, app);
  const ofProject = await isProject(call, app);
  if (ofProject) await call.api.call('DELETE', ['projects', app.owner, 'people', name]);
  else await call.api.call('POST', [...path, 'testers', name, 'remove']);
  const from = ofProject ? app.owner : app.packageName;
  done(call, { removed: name, from }, `Removed ${printable(name)} from ${from}.`);
}

export async function listDevices(call: Call, owner: string): Promise<void> {
  printTable(call.io, call.json, await call.api.list(['owners', owner, 'devices']), {
    udid: field('udid'),
    name: field('name'),
    model: field('product'),
    system: field('os_version'),
    user: field('user'),
    id: field('id'),
  });
}

export async function removeDevice(call: Call, owner: string, id: string): Promise<void> {
  await call.api.call('DELETE', ['owners', owner, 'devices', id]);
  done(call, { removed: id }, `Removed the device ${printable(id)}.`);
}

/** Returns the path of the keys of the user or Project, or by default those of the signed-in person. */
async function keysPath({ api }: Call, owner: string | undefined): Promise<Path> {
  return ['owners', owner ?? String((await api.call('GET', ['me'])).name), 'keys'];
}

export async function listKeys(call: Call, owner: string | undefined): Promise<void> {
  printTable(call.io, call.json, await call.api.list(await keysPath(call, owner)), {
    id: field('id'),
    name: field('name'),
    state: field('state'),
    scopes: field('scopes'),
    expires: (key) => minuteOf(key.expires_at),
    used: (key) => minuteOf(key.last_used_at),
  });
}

export async function addKey(
  call: Call,
  owner: string | undefined,
  given: { name: string; scopes?: string[]; days: number | null; restrictedTo: string[] },
): Promise<void> {
  const made = await call.api.call('POST', await keysPath(call, owner), {
    name: given.name,
    scopes: given.scopes ?? ['upload', 'read', 'manage'],
    expires_in_days: given.days,
    restricted_to: given.restrictedTo,
  });
  done(call, made, String(made.api_key));
}

export async function revokeKey(call: Call, owner: string | undefined, id: string): Promise<void> {
  await call.api.call('DELETE', [...(await keysPath(call, owner)), id]);
  done(call, { revoked: id }, `Revoked the key ${printable(id)}.`);
}

export async function rotateKey(
  call: Call,
  owner: string | undefined,
  id: string,
  overlapDays: number,
): Promise<void> {
  const path = [...(await keysPath(call, owner)), id, 'rotate'];
  const made = await call.api.call('POST', path, { overlap_days: overlapDays });
  done(call, made, String(made.api_key));
}

/** The owner or app that a webhook belongs to. */
export type WebhookPlace = { owner: string; app?: AppSelector };

const webhooksPath = async (call: Call, { owner, app }: WebhookPlace): Promise<Path> =>
  app ? [...(await appPath(call, app)), 'webhooks'] : ['owners', owner, 'webhooks'];

export async function listWebhooks(call: Call, place: WebhookPlace): Promise<void> {
  printTable(call.io, call.json, await call.api.list(await webhooksPath(call, place)), {
    id: field('id'),
    name: field('name'),
    url: field('shown_url'),
    state: field('state'),
    events: field('events'),
  });
}

export async function addWebhook(
  call: Call,
  place: WebhookPlace,
  given: { url: string; name?: string; kind?: string; events?: string[] },
): Promise<void> {
  const made = await call.api.call('POST', await webhooksPath(call, place), given);
  done(call, made, `Added. Its secret, shown only now: ${made.secret}`);
}

export async function removeWebhook(call: Call, place: WebhookPlace, id: string): Promise<void> {
  await call.api.call('DELETE', [...(await webhooksPath(call, place)), id]);
  done(call, { removed: id }, `Removed the webhook ${printable(id)}.`);
}

export async function testWebhook(call: Call, place: WebhookPlace, id: string): Promise<void> {
  const sent = await call.api.call('POST', [...(await webhooksPath(call, place)), id, 'test']);
  done(call, sent, 'Sent a test event.');
}
