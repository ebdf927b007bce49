import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import {
  type FormFields,
  type Person,
  personOrSignIn,
  readSessionForm,
} from '../access/session-form-http.ts';
import { pageSettingsPath, platformAppPath } from '../apps/addresses.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../data.ts';
import { invalid, notFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { pageSettingsTexts } from '../web/page-settings-texts.ts';
import { readRevision, SettingsRefused, type TypedSettings, typedOf } from './page-settings.ts';
import { loadBuildChoices } from './page-settings-builds.ts';
import type { PageChange, PageSettings } from './page-settings-change.ts';
import { renderPageSettings } from './page-settings-page.tsx';

export interface PageSettingsRouteParts {
  data: Data;
  frames: PageFrames;
  viewAccess: ViewAccess;
  pageSettings: PageSettings;
}

interface SettingsAddress {
  Params: { accessKey: string };
  Querystring: { before?: unknown; done?: unknown };
}

type SettingsRequest = FastifyRequest<SettingsAddress>;

/** A note of `maxReleaseNoteBytes` may come as three times as many characters, beside everything else. */
export const maxSettingsFormBytes = 256 * 1024;
const servedOnPage = 20;
const missing = () => notFound('there is nothing at this address');

/** A page's settings, for those who manage it; its rules hold none of them off. For everybody else they are not there. */
export function pageSettingsRoutes(parts: PageSettingsRouteParts): RouteModule {
  const address = '/distributions/:accessKey/settings';
  return (server) => {
    server.get<SettingsAddress>(address, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      return person ? answerSettings(parts, request, reply, person) : reply;
    });
    server.post<SettingsAddress>(address, { bodyLimit: maxSettingsFormBytes }, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      return person ? answerForm(parts, request, reply, person) : reply;
    });
  };
}

async function findManaged(
  parts: PageSettingsRouteParts,
  request: SettingsRequest,
  person: Person,
): Promise<PageChange> {
  const page = await parts.data.distributions.findPage(request.params.accessKey);
  const app = page && (await parts.data.apps.findAppById(page.appId));
  if (!page || !app || !(await parts.viewAccess.manages(person.actor, app))) throw missing();
  return { by: person.actor, app, page };
}

const doneSentences: ReadonlyMap<unknown, string> = new Map([
  ['saved', pageSettingsTexts.saved],
  ['made', pageSettingsTexts.made],
  ['readdressed', pageSettingsTexts.moved],
  ['withdrawn', pageSettingsTexts.withdrawnNow],
  ['offered', pageSettingsTexts.offeredNow],
]);

async function answerSettings(
  parts: PageSettingsRouteParts,
  request: SettingsRequest,
  reply: FastifyReply,
  person: Person,
  refused: { fault: SettingsRefused; typed: TypedSettings | null; confirmation: string } | null = null,
) {
  const { data, frames } = parts;
  const { app, page } = await findManaged(parts, request, person);
  const { before, done } = request.query;
  const current = await data.builds.findBuild(page.buildId);
  if (!current) throw missing();
  const typed = refused?.typed ?? typedOf(page, current.revision);
  const listed = await loadServed(data, page.id, before);
  const html = renderPageSettings({
    frame: frames.of(request, person),
    app,
    page,
    typed,
    faults: refused?.fault.faults ?? {},
    builds: await loadBuildChoices(data, app.id, [current.revision, readRevision(typed.revision)]),
    served: listed.served,
    olderAddress: listed.last && `${pageSettingsPath(page.accessKey)}?before=${listed.last}#served`,
    done: refused ? null : (doneSentences.get(done) ?? null),
    confirmation: refused?.confirmation ?? '',
  });
  return frames.send(refused ? reply.code(400) : reply, html);
}

async function loadServed(data: Data, pageId: string, before: unknown) {
  const position = typeof before === 'string' && /^[0-9a-z]{26}$/.test(before) ? before : null;
  const found = await data.pageSettings.listServedBuilds(pageId, {
    most: servedOnPage + 1,
    before: position,
  });
  const served = found.slice(0, servedOnPage);
  return { served, last: found.length > servedOnPage ? (served.at(-1)?.id ?? null) : null };
}

async function answerForm(
  parts: PageSettingsRouteParts,
  request: SettingsRequest,
  reply: FastifyReply,
  person: Person,
) {
  const form = readSessionForm(person, request.body);
  const change = await findManaged(parts, request, person);
  const act = form.text('act');
  const deed = Object.hasOwn(deeds, act) ? deeds[act] : undefined;
  if (!deed) throw invalid('the form asks for nothing that is known here');
  return deed(parts, change, form).then(
    (address) => reply.redirect(address, 303),
    (error: unknown) => {
      if (!(error instanceof SettingsRefused)) throw error;
      const confirmation = form.optional('confirmation') ?? '';
      const typed = error.faults.confirmation ? null : (error.typed ?? readTyped(form));
      return answerSettings(parts, request, reply, person, { fault: error, typed, confirmation });
    },
  );
}

/** Each answers where to go afterwards. */
type Deed = (parts: PageSettingsRouteParts, change: PageChange, form: FormFields) => Promise<string>;

const back = (accessKey: string, done: string) => `${pageSettingsPath(accessKey)}?done=${done}`;

const deeds: Readonly<Record<string, Deed>> = {
  save: async ({ pageSettings }, change, form) => {
    await pageSettings.save(change, readTyped(form));
    return back(change.page.accessKey, 'saved');
  },
  withdraw: async ({ pageSettings }, change, form) => {
    await pageSettings.setWithdrawn(change, readGivenRevision(form), true);
    return `${back(change.page.accessKey, 'withdrawn')}#served`;
  },
  offer: async ({ pageSettings }, change, form) => {
    await pageSettings.setWithdrawn(change, readGivenRevision(form), false);
    return `${back(change.page.accessKey, 'offered')}#served`;
  },
  readdress: async ({ pageSettings }, change) => back(await pageSettings.readdress(change), 'readdressed'),
  delete: async ({ pageSettings }, change, form) => {
    await pageSettings.remove(change, form.text('confirmation'));
    const { owner, platform, packageName } = change.app;
    return platformAppPath(owner, platform, packageName);
  },
};

function readGivenRevision(form: FormFields): number {
  const revision = readRevision(form.text('revision'));
  if (revision === null) throw invalid('the form names no revision');
  return revision;
}

function readTyped(form: FormFields): TypedSettings {
  return {
    name: form.text('name'),
    active: form.flag('active'),
    access: form.optional('access') ?? '',
    passcode: form.text('passcode'),
    expires: form.text('expires'),
    installs: form.text('installs'),
    recount: form.flag('recount'),
    networks: form.text('networks'),
    note: form.text('note'),
    revision: form.text('revision'),
    seenRevision: form.text('seen-revision'),
    seenNote: form.text('seen-note'),
  };
}
