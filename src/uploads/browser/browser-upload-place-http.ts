/** Where somebody uploads to from a browser: an Owner, or one App of it. */

import type { FastifyRequest } from 'fastify';
import type { Person } from '../../accounts/sign-in/identify-http.ts';
import type { RouteAccess } from '../../accounts/sign-in/route-access-http.ts';
import { uploadPath } from '../../apps/app-addresses.ts';
import { appPageQueries } from '../../apps/app-page-queries.ts';
import { findManagedApp } from '../../apps/managed-app-http.ts';
import type { ViewAccess } from '../../apps/view-access.ts';
import { AppError, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { acceptsPage, announcedBytesOf } from '../../http/routes/client.ts';
import type { Access } from '../../http/routes/route.ts';
import type { Actor } from '../../owners/actor.ts';
import type { Owner, User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { canUpload, uploadingTeams } from '../../owners/permissions.ts';
import { listByName, type NameListRequest } from '../../projects/lists/list-by-name-http.ts';
import { projectListQueries } from '../../projects/lists/project-list-queries.ts';
import { idempotencyKeyOf } from '../upload-access-http.ts';
import {
  checkAnnouncedSize,
  checkFreeSpace,
  remainingQuotaOf,
  type UploadBodyParts,
} from '../upload-body-http.ts';
import type { UploadPlace } from './browser-upload-page.tsx';
import { inWords } from './refusal-sentence.ts';
import type { FoundPlaces } from './upload-places-page.tsx';

interface PlaceAddress {
  owner: string;
  platform?: string;
  package?: string;
}

/** What is known of an upload before one byte of its body is read. */
export interface JudgedUpload {
  place: UploadPlace;
  /** What a file may have until the Owner's quota is reached. */
  remainingBytes: number;
  /** A form without script is read on, for it is to come again with what was typed. */
  refusal: AppError | null;
}

export type PlaceAccess<Subject> = Access<PlaceAddress, Person, Subject>;

export interface PlaceAccessParts extends UploadBodyParts {
  access: RouteAccess;
  viewAccess: ViewAccess;
}

/** More of an App's pages are reached by their name. */
const maxListedPages = 100;

/** The place that an address names, for those who may upload there; for everybody else it is not there. */
export function createPlaceAccess(parts: PlaceAccessParts, kind?: Owner['kind']): PlaceAccess<UploadPlace> {
  return {
    ...{ roles: ['developer'], credentials: ['session'], others: 'missing' },
    identify: parts.access.person,
    authorize: ({ actor }, { owner, platform, package: packageName }) =>
      platform === undefined || packageName === undefined
        ? findOwnerPlace(parts, actor, owner, kind)
        : findAppPlace(parts, actor, { owner, platform, package: packageName }),
  };
}

/** The same for an upload, whose announced size and room are judged with it. */
export function judged(
  parts: UploadBodyParts,
  placeAccess: PlaceAccess<UploadPlace>,
): PlaceAccess<JudgedUpload> {
  return {
    ...placeAccess,
    authorize: async (person, address, request) => {
      const place = await placeAccess.authorize(person, address, request);
      try {
        return { place, remainingBytes: await judgeHead(parts, place.owner, request), refusal: null };
      } catch (error) {
        if (!(error instanceof AppError) || !acceptsPage(request)) throw inWords(error, parts.limits);
        return { place, remainingBytes: 0, refusal: error };
      }
    },
  };
}

async function judgeHead(parts: UploadBodyParts, owner: Owner, request: FastifyRequest): Promise<number> {
  const announcedBytes = announcedBytesOf(request);
  checkAnnouncedSize(parts, announcedBytes);
  const expected = { announcedBytes, idempotencyKey: idempotencyKeyOf(request) };
  const remainingBytes = await remainingQuotaOf(parts, expected, owner);
  await checkFreeSpace(parts, announcedBytes);
  return remainingBytes;
}

async function findOwnerPlace(
  { viewAccess }: PlaceAccessParts,
  actor: Actor,
  name: string,
  kind: Owner['kind'] | undefined,
): Promise<UploadPlace> {
  const visible = await viewAccess.owner(actor, name);
  if (!visible || !canUpload(actor, visible.owner, visible.teams)) throw new NotFound();
  if (kind && visible.owner.kind !== kind) throw new NotFound();
  return { owner: visible.owner, app: null, pages: [] };
}

async function findAppPlace(
  parts: PlaceAccessParts,
  actor: Actor,
  address: Required<PlaceAddress>,
): Promise<UploadPlace> {
  const { data } = parts;
  const app = await findManagedApp(parts, actor, address);
  const owner = await ownerQueries(data).findOwnerById(app.owner.id);
  if (!owner) throw new NotFound();
  const pages = await appPageQueries(data).listPages(app.id, maxListedPages);
  return { owner, app, pages: pages.map(({ accessKey, name }) => ({ accessKey, name })) };
}

/** The Projects in whose owner or developer team the User is, by name; before the first of them stands the User. */
export async function listUploadPlaces(data: Data, user: User, asked: NameListRequest): Promise<FoundPlaces> {
  const { items, ...found } = await listByName(
    asked,
    uploadPath,
    (words, page) =>
      projectListQueries(data).listProjects({ memberId: user.id, teams: uploadingTeams }, words, page),
    ({ project }) => project.name,
  );
  const begins = found.query === '' && found.paging.newer === null;
  return { ...found, owners: [...(begins ? [user] : []), ...items.map(({ project }) => project)] };
}
