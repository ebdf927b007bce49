import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type FormFields, readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { checkDescription } from '../owners/make-owners.ts';
import { ownerSettingsPath } from '../owners/owner-addresses.ts';
import { readBuildLimit, readStorageLimit } from '../owners/quota.ts';
import { effectiveRule } from '../owners/retention.ts';
import { projectTexts } from '../web/project-texts.ts';
import { faultsOf, isFaulty } from './form-faults.ts';
import { findKnownOwner, type KnownOwner, missing } from './overseen-owner-http.ts';
import type { OwnerChanges } from './owner-changes.ts';
import { type OwnerSettingsProps, renderOwnerSettings } from './owner-settings-page.tsx';
import { rulesOf } from './retention-rules.ts';

export interface OwnerSettingsRouteParts {
  data: Data;
  frames: PageFrames;
  ownerChanges: OwnerChanges;
}

interface SettingsAddress {
  Params: { owner: string };
  Querystring: { done?: unknown };
}

type SettingsRequest = FastifyRequest<SettingsAddress>;

const words = projectTexts.settings;
const doneSentences: ReadonlyMap<unknown, string> = new Map([
  ['saved', words.saved],
  ['quota', words.quotaSet],
]);

/** What a Project says about itself, what an Owner stores and may store. Limits are for administrators to set. */
export function ownerSettingsRoutes(parts: OwnerSettingsRouteParts): RouteModule {
  const oversees = ({ standing }: Pick<KnownOwner, 'standing'>) => standing.oversees;
  const show = async (request: SettingsRequest, reply: FastifyReply) => {
    const known = await findKnownOwner(parts, request, reply, oversees);
    return known ? answerPage(parts, request, reply, known, null) : reply;
  };
  const setQuota = async (request: SettingsRequest, reply: FastifyReply) => {
    const administers = ({ standing }: Pick<KnownOwner, 'standing'>) => standing.administrator;
    const known = await findKnownOwner(parts, request, reply, administers);
    if (!known) return reply;
    return changeQuota(parts, request, reply, known, readSessionForm(known.person, request.body));
  };
  return (server) => {
    server.get<SettingsAddress>('/organizations/:owner/settings', show);
    server.get<SettingsAddress>('/users/:owner/settings', show);
    server.post<SettingsAddress>('/organizations/:owner/quota', setQuota);
    server.post<SettingsAddress>('/users/:owner/quota', setQuota);
    server.post<SettingsAddress>('/organizations/:owner/settings', async (request, reply) => {
      const known = await findKnownOwner(parts, request, reply, oversees);
      if (!known) return reply;
      const form = readSessionForm(known.person, request.body);
      if (form.text('act') !== 'describe') throw invalid('the form asks for nothing that is known here');
      return describe(parts, request, reply, known, form.text('description'));
    });
  };
}

async function describe(
  parts: OwnerSettingsRouteParts,
  request: SettingsRequest,
  reply: FastifyReply,
  known: KnownOwner,
  typed: string,
) {
  if (known.owner.kind !== 'project') throw missing();
  const description = typed.replace(/\r\n?/g, '\n').trim();
  const faults = faultsOf({ description: () => checkDescription(description) });
  if (isFaulty(faults)) return answerPage(parts, request, reply, known, { description, faults });
  await parts.ownerChanges.describe(known.person.actor, known.owner, description);
  return reply.redirect(`${ownerSettingsPath(known.owner)}?done=saved`, 303);
}

async function changeQuota(
  parts: OwnerSettingsRouteParts,
  request: SettingsRequest,
  reply: FastifyReply,
  known: KnownOwner,
  form: FormFields,
) {
  const [storage, builds] = [form.text('storage'), form.text('builds')];
  const faults = faultsOf({
    storage: () => readStorageLimit(storage),
    builds: () => readBuildLimit(builds),
  });
  if (isFaulty(faults)) return answerPage(parts, request, reply, known, { storage, builds, faults });
  const quota = { maxStorageBytes: readStorageLimit(storage), maxBuilds: readBuildLimit(builds) };
  await parts.ownerChanges.setQuota(known.person.actor, known.owner, quota);
  return reply.redirect(`${ownerSettingsPath(known.owner)}?done=quota`, 303);
}

async function answerPage(
  { data, frames }: OwnerSettingsRouteParts,
  request: SettingsRequest,
  reply: FastifyReply,
  { person, owner, standing }: KnownOwner,
  refused: OwnerSettingsProps['refused'],
) {
  const quota = await data.quotas.find(owner.id);
  if (!quota) throw missing();
  const html = renderOwnerSettings({
    frame: frames.of(request, person),
    owner,
    standing,
    viewerId: person.actor.user.id,
    usage: await data.quotas.usageOf(owner.id),
    quota,
    retention: effectiveRule(await rulesOf(data, owner)).rule,
    done: refused ? null : (doneSentences.get(request.query.done) ?? null),
    refused,
  });
  return frames.send(refused ? reply.code(400) : reply, html);
}
