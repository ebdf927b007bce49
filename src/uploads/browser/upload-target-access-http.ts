/** The target of a browser upload: an owner, or one of its apps. */

import type { FastifyRequest } from 'fastify';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { requireTrusted } from '../../accounts/trusted-publishing/trusted-only.ts';
import { appPageQueries } from '../../apps/app-page-queries.ts';
import { uploadPath } from '../../apps/app-paths.ts';
import { findManagedApp } from '../../apps/managed-app-access-http.ts';
import type { ViewAccess } from '../../apps/view-access.ts';
import { AppError, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { acceptsPage, announcedBytesOf } from '../../http/routes/client.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import type { Actor, UserActor } from '../../owners/actor.ts';
import { listedOwners } from '../../owners/gate/find-workspace-gate.ts';
import type { Owner } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { uploadingTeams } from '../../owners/permissions.ts';
import { listByName, type NameListRequest } from '../../projects/lists/list-by-name-http.ts';
import { projectListQueries } from '../../projects/lists/project-list-queries.ts';
import { claimOfSession } from '../authorize-upload.ts';
import { idempotencyKeyOf } from '../upload-access-http.ts';
import {
  checkAnnouncedSize,
  checkFreeSpace,
  remainingQuotaOf,
  type UploadBodyDeps,
} from '../upload-body-http.ts';
import type { UploadTarget } from './browser-upload-page.tsx';
import { withUserMessage } from './upload-error-message.ts';
import type { FoundTargets } from './upload-targets-page.tsx';

interface UploadTargetParams {
  owner: string;
  platform?: string;
  package?: string;
}

/** Facts known before the body is read. */
export interface CheckedUpload {
  place: UploadTarget;
  /** Bytes left in the owner's quota. */
  remainingBytes: number;
  /** Without scripts, a refused form is read to the end, so that its input can be shown again. */
  refusal: AppError | null;
}

export type UploadTargetAccess<Subject> = Access<UploadTargetParams, Person, Subject>;

export interface UploadTargetAccessDeps extends UploadBodyDeps {
  access: RouteAccess;
  viewAccess: ViewAccess;
}

/** Other pages of an app can be entered by name. */
const maxListedPages = 100;

/** Finds the target in the path, for people who can upload to it; everyone else gets `NotFound`. */
export function createUploadTargetAccess(
  deps: UploadTargetAccessDeps,
  kind?: Owner['kind'],
): UploadTargetAccess<UploadTarget> {
  return {
    roles: ['developer'],
    credentials: ['session'],
    others: 'missing',
    identify: deps.access.person,
    authorize: ({ actor }, { owner, platform, package: packageName }) =>
      platform === undefined || packageName === undefined
        ? findOwnerPlace(deps, actor, owner, kind)
        : findAppPlace(deps, actor, { owner, platform, package: packageName }),
  };
}

/** Like `createUploadTargetAccess`, but also checks the announced size and the quota. */
export function withCheckedHead(
  deps: UploadBodyDeps,
  targetAccess: UploadTargetAccess<UploadTarget>,
): UploadTargetAccess<CheckedUpload> {
  return {
    ...targetAccess,
    authorize: async (person, address, request) => {
      const place = await targetAccess.authorize(person, address, request);
      try {
        const remainingBytes = await checkUploadHead(deps, place, person, request);
        return { place, remainingBytes, refusal: null };
      } catch (error) {
        if (!(error instanceof AppError) || !acceptsPage(request)) throw withUserMessage(error, deps.limits);
        return { place, remainingBytes: 0, refusal: error };
      }
    },
  };
}

async function checkUploadHead(
  deps: UploadBodyDeps,
  place: UploadTarget,
  person: Person,
  request: FastifyRequest,
): Promise<number> {
  await requireTrusted(deps.data, person.actor, place.owner, place.app);
  const announcedBytes = announcedBytesOf(request);
  checkAnnouncedSize(deps, announcedBytes);
  const expected = { announcedBytes, idempotencyKey: claimOfSession(person, idempotencyKeyOf(request)) };
  const remainingBytes = await remainingQuotaOf(deps, expected, place.owner);
  await checkFreeSpace(deps, announcedBytes);
  return remainingBytes;
}

async function findOwnerPlace(
  { viewAccess }: UploadTargetAccessDeps,
  actor: Actor,
  name: string,
  kind: Owner['kind'] | undefined,
): Promise<UploadTarget> {
  const visible = await viewAccess.owner(actor, name);
  if (!visible?.permissions.uploads) throw new NotFound();
  if (kind && visible.owner.kind !== kind) throw new NotFound();
  return { owner: visible.owner, app: null, pages: [] };
}

async function findAppPlace(
  deps: UploadTargetAccessDeps,
  actor: Actor,
  address: Required<UploadTargetParams>,
): Promise<UploadTarget> {
  const { data } = deps;
  const app = await findManagedApp(deps, actor, address);
  const owner = await ownerQueries(data).findOwnerById(app.owner.id);
  if (!owner) throw new NotFound();
  const pages = await appPageQueries(data).listPages({ kind: 'manager' }, app.id, maxListedPages);
  return { owner, app, pages: pages.map(({ accessKey, name }) => ({ accessKey, name })) };
}

/** Returns the user, and then by name the Projects that have them in their owner or developer team. */
export async function listUploadTargets(
  data: Data,
  actor: UserActor,
  asked: NameListRequest,
): Promise<FoundTargets> {
  const within = await listedOwners(data, actor);
  const { items, ...found } = await listByName(
    asked,
    uploadPath,
    (words, page) =>
      projectListQueries(data).listProjects(
        { memberId: actor.user.id, teams: uploadingTeams, within },
        words,
        page,
      ),
    ({ project }) => project.name,
  );
  const begins = found.query === '' && found.paging.newer === null;
  return { ...found, owners: [...(begins ? [actor.user] : []), ...items.map(({ project }) => project)] };
}
