import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/identify-http.ts';
import { type FormFields, personOrSignIn, readSessionForm } from '../access/session-form-http.ts';
import { invalid, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { Actor } from '../owners/actor.ts';
import { buildTexts } from '../web/build-texts.ts';
import { uploadTexts } from '../web/upload-texts.ts';
import { distributionPath, pageSettingsPath, platformAppPath, revisionPath } from './addresses.ts';
import type { App, Build } from './app.ts';
import type { BuildCare } from './build-care.tsx';
import { type BuildChange, type BuildChanges, MessageRefused, messageDigest } from './build-changes.ts';
import type { BuildDeletion } from './build-deletion.ts';
import { buildLine, simulatorAddress, simulatorLink } from './build-lines.ts';
import { renderBuildPage } from './build-page.tsx';
import { renderBuildRefusal } from './build-refusal-page.tsx';
import { readChosenRevisions, readRevision } from './build-selection.ts';
import type { LinkSigner } from './link-signer.ts';
import { findManagedApp, type PlatformAppAddress } from './managed-app-http.ts';
import {
  type AppAddress,
  appAddresses,
  findVisibleApps,
  managesWithForms,
  type VisibleAppParts,
} from './visible-apps-http.ts';

export interface BuildRouteParts extends VisibleAppParts {
  links: LinkSigner;
  buildChanges: BuildChanges;
  buildDeletion: BuildDeletion;
}

interface BuildAddress {
  Params: AppAddress['Params'] & { revision: string };
  Querystring: { key?: unknown; done?: unknown };
}

interface BuildForm {
  Params: PlatformAppAddress & { revision: string };
  Querystring: { key?: unknown; done?: unknown };
  Body: unknown;
}

interface BuildsForm {
  Params: PlatformAppAddress;
  Body: unknown;
}

/** A message of `maxMessageBytes` may come as three times as many characters; a longer one is refused in words. */
const maxBuildFormBytes = 512 * 1024;
const missing = () => new NotFound();
const pathOf = ({ owner, platform, packageName }: App, revision: number) =>
  revisionPath(owner, platform, packageName, revision);

/** The page of one build, and what those who manage its App do to it and to several of its builds at once. */
export function buildRoutes(parts: BuildRouteParts): RouteModule {
  const managed = '/users/:owner/platforms/:platform/apps/:package/binaries';
  return (server) => {
    for (const address of appAddresses) {
      server.get<BuildAddress>(`${address}/binaries/:revision`, async (request, reply) => {
        const visible = await findVisibleApps(parts, request, reply);
        if (!visible) return reply;
        const [app] = visible.apps;
        const build = await findBuild(parts, app, request.params.revision);
        return answerBuildPage(parts, request, reply, { app, build, ...visible });
      });
    }
    server.post<BuildForm>(
      `${managed}/:revision`,
      { bodyLimit: maxBuildFormBytes },
      async (request, reply) => {
        const person = await personOrSignIn(parts.frames, request, reply);
        if (!person) return reply;
        const form = readSessionForm(person, request.body);
        const app = await findManagedApp(parts, person.actor, request.params);
        const build = await findBuild(parts, app, request.params.revision);
        return answerBuildForm(parts, request, reply, form, { app, build, caller: person, secret: null });
      },
    );
    server.post<BuildsForm>(managed, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      const form = readSessionForm(person, request.body);
      const app = await findManagedApp(parts, person.actor, request.params);
      const revisions = readChosenRevisions(request.body);
      const act = form.text('act');
      if (act === 'restore') return restoreBuilds(parts, reply, person.actor, app, revisions);
      if (act === 'delete') return deleteBuilds(parts, request, reply, person, app, revisions);
      throw invalid('the form asks for nothing that is known here');
    });
  };
}

async function findBuild({ data }: BuildRouteParts, app: App, text: string): Promise<Build> {
  const revision = readRevision(text);
  const build = revision === null ? null : await data.builds.findBuildByRevision(app.id, revision);
  if (!build) throw missing();
  return build;
}

interface BuildVisit {
  app: App;
  build: Build;
  caller: Caller | null;
  secret: string | null;
}

interface RefusedMessage {
  typed: string;
  sentence: string;
}

async function answerBuildPage(
  parts: BuildRouteParts,
  request: FastifyRequest<BuildAddress>,
  reply: FastifyReply,
  { app, build, caller, secret }: BuildVisit,
  refused: RefusedMessage | null = null,
) {
  const { data, links } = parts;
  const [older] = await data.builds.listBuilds(app.id, { below: build.revision, most: 1 });
  const [newer] = await data.builds.listBuilds(app.id, { above: build.revision, most: 1 });
  const pages = await data.distributions.pagesOfBuild(build.id);
  const manages = await managesWithForms(parts.viewAccess, caller, app);
  // The App's secret opens the page; simulator builds are for those who are members.
  const simulator = caller ? simulatorAddress(links, build) : null;
  if (simulator) reply.header('Link', simulatorLink(simulator));
  const html = renderBuildPage({
    frame: parts.frames.of(request, caller),
    app,
    appKey: secret,
    line: buildLine(links, build),
    simulatorAddress: simulator,
    verification: build.verification,
    pages: pages
      .map((page) => ({ ...page, address: distributionPath(page.accessKey) }))
      .sort((one, other) => Number(other.current) - Number(one.current)),
    newerRevision: newer?.revision ?? null,
    olderRevision: older?.revision ?? null,
    care: manages ? await careOf(parts, app, build, request.query.done, refused) : null,
  });
  return parts.frames.send(refused ? reply.code(400) : reply, html);
}

const doneSentences: ReadonlyMap<unknown, string> = new Map([
  ['protected', buildTexts.protectedNow],
  ['unprotected', buildTexts.unprotectedNow],
  ['saved', buildTexts.message.saved],
  ['restored', buildTexts.restoredOne],
  ['uploaded', uploadTexts.uploaded],
]);

async function careOf(
  { data }: BuildRouteParts,
  app: App,
  build: Build,
  done: unknown,
  refused: RefusedMessage | null,
): Promise<BuildCare> {
  const holding = await data.buildDeletion.holdingPages([build.id]);
  return {
    address: pathOf(app, build.revision),
    typedMessage: refused?.typed ?? build.message,
    seenMessage: messageDigest(build.message),
    messageFault: refused?.sentence ?? null,
    done: refused ? null : (doneSentences.get(done) ?? null),
    holding: holding.map(({ name, accessKey }) => ({ name, settingsAddress: pageSettingsPath(accessKey) })),
  };
}

async function answerBuildForm(
  parts: BuildRouteParts,
  request: FastifyRequest<BuildForm>,
  reply: FastifyReply,
  form: FormFields,
  visit: BuildVisit & { caller: Caller },
) {
  const { app, build, caller } = visit;
  const act = form.text('act');
  if (act === 'delete') return deleteBuilds(parts, request, reply, caller, app, [build.revision]);
  const deed = Object.hasOwn(deeds, act) ? deeds[act] : undefined;
  if (!deed) throw invalid('the form asks for nothing that is known here');
  try {
    const done = await deed(parts.buildChanges, { by: caller.actor, app, build }, form);
    return await reply.redirect(`${pathOf(app, build.revision)}?done=${done}`, 303);
  } catch (error) {
    if (!(error instanceof MessageRefused)) throw error;
    const present = await findBuild(parts, app, request.params.revision);
    const refused = { typed: form.text('message'), sentence: error.message };
    return answerBuildPage(parts, request, reply, { ...visit, build: present }, refused);
  }
}

/** Each answers what the page says afterwards. */
type Deed = (changes: BuildChanges, change: BuildChange, form: FormFields) => Promise<string>;

const deeds: Readonly<Record<string, Deed>> = {
  protect: async (changes, change) => {
    await changes.setProtected(change, true);
    return 'protected';
  },
  unprotect: async (changes, change) => {
    await changes.setProtected(change, false);
    return 'unprotected';
  },
  message: async (changes, change, form) => {
    await changes.saveMessage(change, form.text('message'), form.text('seen'));
    return 'saved';
  },
};

async function deleteBuilds(
  parts: BuildRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  app: App,
  revisions: readonly number[],
) {
  const deletion = await parts.buildDeletion.remove(caller.actor, app, revisions);
  if (deletion.kind === 'refused') {
    const html = renderBuildRefusal({ frame: parts.frames.of(request, caller), app, ...deletion });
    return parts.frames.send(reply.code(409), html);
  }
  const path = platformAppPath(app.owner, app.platform, app.packageName);
  return reply.redirect(`${path}?deleted=${deletion.revisions.join(',')}`, 303);
}

async function restoreBuilds(
  parts: BuildRouteParts,
  reply: FastifyReply,
  by: Actor,
  app: App,
  revisions: readonly number[],
) {
  const restored = await parts.buildDeletion.restore(by, app, revisions);
  const [only] = restored;
  if (only !== undefined && restored.length === 1) {
    return reply.redirect(`${pathOf(app, only)}?done=restored`, 303);
  }
  const path = platformAppPath(app.owner, app.platform, app.packageName);
  return reply.redirect(`${path}?restored=${restored.join(',')}`, 303);
}
