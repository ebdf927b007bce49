/** Users and Projects as owners of apps in `/api/v1`: their storage and limits. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import {
  findTrustedRequirement,
  type SetTrustedOnly,
} from '../../accounts/trusted-publishing/trusted-only.ts';
import { trustedPublisherLimit } from '../../accounts/trusted-publishing/trusted-publisher-changes.ts';
import { NotFound } from '../../core/errors.ts';
import { integerShape, textShape } from '../../core/json-shapes.ts';
import type { Data } from '../../db/data.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Owner } from '../../owners/owner.ts';
import { absolute, ownerPath } from '../../owners/owner-paths.ts';
import { maxBuildLimit } from '../../owners/quota.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import type { OwnerAccess } from '../owner-access-http.ts';
import type { OwnerChanges } from '../settings/owner-changes.ts';

export interface OwnerApiRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  ownerChanges: OwnerChanges;
  setTrustedOnly: SetTrustedOnly;
}

const limit = (minimum: number, maximum: number, description: string) =>
  v.pipe(
    v.nullable(v.pipe(v.number(), v.integer(), v.minValue(minimum), v.maxValue(maximum))),
    v.description(`${description} Null: no limit.`),
  );
const quotaFields = {
  storage: limit(1, Number.MAX_SAFE_INTEGER, 'Bytes.'),
  builds: limit(0, maxBuildLimit, 'Builds.'),
  projects: limit(0, maxBuildLimit, 'For a user: Projects that count toward their limits.'),
};

const ownerShape = v.pipe(
  v.object({
    name: v.string(),
    kind: v.picklist(['user', 'project']),
    apps: integerShape('Apps that exist.'),
    builds: integerShape('Builds that exist.'),
    storage: integerShape(
      'Bytes of packages and simulator builds. Deleted builds count until their files are removed.',
    ),
    quota: v.object(quotaFields),
    counts_for: v.nullable(textShape('For a Project: the user whose limits it counts toward.')),
    trusted_publishers_only: v.pipe(
      v.boolean(),
      v.description('Whether only trusted publishers may upload, also because a policy requires it.'),
    ),
    url: v.string(),
  }),
  v.title('Owner'),
);

export function ownerApiRoutes(deps: OwnerApiRouteDeps): Route[] {
  const { data, access, ownerAccess, ownerChanges, setTrustedOnly } = deps;
  const path = '/api/v1/owners/:owner';
  const show = async (owner: Owner, origin: string): Promise<v.InferOutput<typeof ownerShape>> => {
    const quota = await quotaQueries(data).find(owner.id);
    if (!quota) throw new NotFound();
    const isUser = owner.kind === 'user';
    const usage = isUser
      ? await quotaQueries(data).usageOfPerson(owner.id)
      : await quotaQueries(data).usageOf(owner.id);
    const accountable = isUser ? null : await quotaQueries(data).findAccountableUser(owner.id);
    return {
      name: owner.name,
      kind: owner.kind,
      apps: usage.apps,
      builds: usage.builds,
      storage: usage.bytes,
      quota: { storage: quota.maxStorageBytes, builds: quota.maxBuilds, projects: quota.maxProjects },
      counts_for: accountable?.name ?? null,
      trusted_publishers_only: (await findTrustedRequirement(data, owner.id)) !== null,
      url: absolute(origin, ownerPath(owner)),
    };
  };
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: 'getOwner',
      summary: 'Show what a user or Project stores, and its limits',
      tag: 'Projects',
      access: access.byKey(ownerAccess.ownerOrAdministrator('user', 'project')),
      keyScope: 'read',
      answer: ownerShape,
      handle: async ({ subject: { owner }, client }) => json(await show(owner, client.origin)),
    }),
    defineRoute({
      method: 'PATCH',
      path,
      operationId: 'updateOwner',
      summary: 'Change which uploads a user or Project accepts',
      description: 'Everyone who manages the owner gets an email if `trusted_publishers_only` ends.',
      tag: 'Projects',
      access: access.byUserKey(access.managedOwner),
      keyScope: 'manage',
      rateLimit: trustedPublisherLimit,
      json: { trusted_publishers_only: v.optional(v.boolean()) },
      answer: ownerShape,
      handle: async ({ caller, subject: owner, json: { trusted_publishers_only: only }, client }) => {
        if (only !== undefined) await setTrustedOnly(caller.actor, { ownerId: owner.id, app: null }, only);
        return json(await show(owner, client.origin));
      },
    }),
    defineRoute({
      method: 'PUT',
      path: `${path}/quota`,
      operationId: 'setQuota',
      summary: 'Limit what a user or Project may store',
      tag: 'Administration',
      access: access.byUserKey(ownerAccess.administrator('user', 'project')),
      keyScope: 'admin',
      json: quotaFields,
      answer: ownerShape,
      handle: async ({ caller, subject: { owner }, json: given, client }) => {
        await ownerChanges.setQuota(caller.actor, owner, {
          maxStorageBytes: given.storage,
          maxBuilds: given.builds,
          maxProjects: given.projects,
        });
        return json(await show(owner, client.origin));
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/quota`,
      operationId: 'getQuota',
      summary: 'Show the limits of a user or Project',
      tag: 'Administration',
      access: access.byUserKey(ownerAccess.administrator('user', 'project')),
      keyScope: 'admin',
      answer: ownerShape,
      handle: async ({ subject: { owner }, client }) => json(await show(owner, client.origin)),
    }),
  ];
}
