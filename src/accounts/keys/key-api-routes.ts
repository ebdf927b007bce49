/** The caller and their keys in `/api/v1`. */

import * as v from 'valibot';
import { NotFound } from '../../core/errors.ts';
import { formatNullableTime, textShape, timeShape } from '../../core/json-shapes.ts';
import { type KeyScope, keyScopes } from '../../core/key-scope.ts';
import { nameField } from '../../core/name-text.ts';
import { version } from '../../core/version.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Owner } from '../../owners/owner.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import type { ApiKey } from './api-key.ts';
import { type IssueKey, maxKeyNameLength, newKeyLimit } from './issue-key.ts';
import {
  createRotateKey,
  endPreviousSecret,
  requireKey,
  revokeKeyOf,
  rotationOverlaps,
} from './key-changes.ts';
import { issuedKeyShape, keyJson, keyShape, restrictedTo } from './key-json.ts';
import { type KeyPowers, requireWithin } from './key-powers.ts';
import { keyQueries } from './key-queries.ts';
import { maxKeyLifetimeDays } from './key-request.ts';
import { describeRestriction, maxRestrictionPlaces, parseRestriction } from './key-restriction.ts';

interface KeyApiRouteDeps {
  data: Data;
  access: RouteAccess;
  issueKey: IssueKey;
  now: () => number;
  wakeOutbox: () => void;
}

const dayMs = 24 * 60 * 60_000;
const tag = 'Keys';
const newKeyFields = {
  name: nameField(maxKeyNameLength),
  scopes: v.pipe(v.array(v.picklist(keyScopes)), v.minLength(1), v.maxLength(keyScopes.length)),
  restricted_to: v.optional(v.pipe(restrictedTo, v.maxLength(maxRestrictionPlaces)), []),
  expires_in_days: v.optional(
    v.pipe(
      v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxKeyLifetimeDays))),
      v.description('Null: never.'),
    ),
    90,
  ),
};
const meShape = v.pipe(
  v.object({
    kind: v.picklist(['user', 'project']),
    name: v.string(),
    email: v.nullable(v.string()),
    administrator: v.pipe(v.boolean(), v.description('Whether the key may do what administrators may.')),
    key: v.object({
      id: v.string(),
      name: v.string(),
      scopes: v.pipe(
        v.array(v.picklist(keyScopes)),
        v.description('All that the key permits: `manage` includes `upload` and `read`.'),
      ),
      restricted_to: restrictedTo,
      expires_at: v.nullable(timeShape()),
    }),
    version: textShape('The version of Slipway.'),
  }),
  v.title('Me'),
);

export function keyApiRoutes(deps: KeyApiRouteDeps): Route[] {
  const { data, access } = deps;
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/me',
      operationId: 'getMe',
      summary: 'Show who the key belongs to and what it permits',
      tag,
      access: access.byKey(access.anyKey),
      keyScope: keyScopes,
      answer: meShape,
      handle: async ({ caller: { actor } }) => {
        const key = await keyQueries(data).findKeyById(actor.keyId);
        if (!key) throw new NotFound();
        return json({
          kind: actor.kind,
          name: actor.kind === 'user' ? actor.user.name : actor.project.name,
          email: actor.kind === 'user' ? actor.user.email : null,
          administrator: actor.kind === 'user' && actor.user.administrator,
          key: {
            id: key.id,
            name: key.name,
            scopes: [...actor.scopes],
            restricted_to: key.restriction ? await describeRestriction(data, key.restriction) : [],
            expires_at: formatNullableTime(key.expiresAt),
          },
          version: version(),
        });
      },
    }),
    ...keyOperations(deps),
  ];
}

function keyOperations(deps: KeyApiRouteDeps): Route[] {
  const { data, now } = deps;
  const path = '/api/v1/owners/:owner/keys';
  const rotateKey = createRotateKey(deps);
  const access = deps.access.byUserKey(deps.access.managedOwner);
  const reading = { tag, access, keyScope: 'read' } as const;
  const changing = { tag, access, keyScope: 'manage' } as const;
  const show = async (key: ApiKey) =>
    keyJson(key, {
      places: key.restriction ? await describeRestriction(data, key.restriction) : [],
      now: now(),
    });
  const powersIn = async (
    owner: Owner,
    given: { scopes: readonly KeyScope[]; restricted_to: readonly string[]; expires_in_days: number | null },
  ): Promise<KeyPowers> => ({
    scopes: given.scopes,
    restriction: await parseRestriction(data, owner, given.restricted_to),
    expiresAt: given.expires_in_days === null ? null : now() + given.expires_in_days * dayMs,
  });
  return [
    defineRoute({
      ...reading,
      method: 'GET',
      path,
      operationId: 'listKeys',
      summary: 'List the API keys of an owner',
      description: 'Includes ended keys. The newest comes first.',
      answer: listAnswer(keyShape),
      handle: async ({ subject: owner }) => {
        const keys = (await keyQueries(data).listKeys(owner.id)).reverse();
        return json({ data: await Promise.all(keys.map(show)), next_cursor: null });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path,
      operationId: 'createKey',
      summary: 'Create an API key',
      description:
        'The new key permits no more than the key of the request, and ends no later. The owner is told by email.',
      rateLimit: newKeyLimit,
      json: newKeyFields,
      status: 201,
      answer: issuedKeyShape,
      authorizeBody: async ({ caller, subject: owner, json: given }) => {
        await requireWithin(data, caller.actor, await powersIn(owner, given), now());
      },
      handle: async ({ caller, subject: owner, json: given }) => {
        const wanted = await powersIn(owner, given);
        const { key, record } = await deps.issueKey({
          ...wanted,
          ownerName: owner.name,
          ownerKind: owner.kind,
          name: given.name,
          by: caller.actor,
          recheck: (tx) => requireWithin(tx, caller.actor, wanted, now()),
        });
        return json({ api_key: key, key: await show(record) });
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: `${path}/:key`,
      operationId: 'getKey',
      summary: 'Show an API key',
      answer: keyShape,
      handle: async ({ subject: owner, params }) =>
        json(await show(await requireKey(data, owner, params.key))),
    }),
    defineRoute({
      ...changing,
      method: 'DELETE',
      path: `${path}/:key`,
      operationId: 'revokeKey',
      summary: 'Revoke an API key',
      handle: async ({ caller, subject: owner, params }) => {
        await revokeKeyOf(data, { owner, keyId: params.key, by: caller.actor, at: now() });
        return empty(204);
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${path}/:key/rotate`,
      operationId: 'rotateKey',
      summary: 'Rotate an API key',
      description:
        'Gives it a new secret, and an expiry of the same length, but never a later one than that of the key of the request. It must permit no more than that key.',
      rateLimit: newKeyLimit,
      json: {
        overlap_days: v.optional(
          v.pipe(v.picklist(rotationOverlaps), v.description('How long the old secret keeps working.')),
          7,
        ),
      },
      answer: issuedKeyShape,
      authorizeBody: async ({ caller, subject: owner, params }) => {
        await requireWithin(data, caller.actor, await requireKey(data, owner, params.key), now());
      },
      handle: async ({ caller, subject: owner, params, json: given }) => {
        const { key, record } = await rotateKey({
          owner,
          keyId: params.key,
          overlapMs: given.overlap_days * dayMs,
          by: caller.actor,
          recheck: (tx, known) => requireWithin(tx, caller.actor, known, now()),
        });
        return json({ api_key: key, key: await show(record) });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${path}/:key/end-old-secret`,
      operationId: 'endOldSecret',
      summary: 'Revoke the old secret of a rotated API key',
      json: {},
      handle: async ({ caller, subject: owner, params }) => {
        await endPreviousSecret(data, { owner, keyId: params.key, by: caller.actor, at: now() });
        return empty(204);
      },
    }),
  ];
}
