/** Trusted publishers in `/api/v1`. */
import * as v from 'valibot';
import type { Data } from '../../db/data.ts';
import { listAnswer } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { trustedProviders } from '../../owners/build-source.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import {
  requirePublisher,
  type TrustedPublisherChanges,
  type TrustedPublisherEdits,
  trustedPublisherLimit,
} from './trusted-publisher-changes.ts';
import {
  appShape,
  ruleShape,
  trustedPublisherJson,
  trustedPublisherShape,
} from './trusted-publisher-json.ts';
import { trustedPublisherQueries } from './trusted-publisher-queries.ts';

const tag = 'Trusted publishers';
const path = '/api/v1/owners/:owner/trusted-publishers';

const name = v.string();
const provider = v.picklist(trustedProviders);
const issuer = v.pipe(
  v.nullable(v.string()),
  v.description('The claim `iss` of its tokens; null: that of the provider.'),
);
const pattern = v.nullable(v.string());
const rules = v.array(ruleShape);

export function trustedPublisherApiRoutes(deps: {
  data: Data;
  access: RouteAccess;
  trustedPublisherChanges: TrustedPublisherChanges;
}): Route[] {
  const { data, trustedPublisherChanges: changes } = deps;
  const access = deps.access.byUserKey(deps.access.managedOwner);
  const reading = { tag, access, keyScope: 'read' } as const;
  const changing = { tag, access, keyScope: 'manage', rateLimit: trustedPublisherLimit } as const;
  return [
    defineRoute({
      ...reading,
      method: 'GET',
      path,
      operationId: 'listTrustedPublishers',
      summary: 'List the trusted publishers of an owner',
      description: 'All of them, the oldest first.',
      answer: listAnswer(trustedPublisherShape),
      handle: async ({ subject: owner }) => {
        const publishers = await trustedPublisherQueries(data).list(owner.id);
        return json({ data: publishers.map(trustedPublisherJson), next_cursor: null });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path,
      operationId: 'createTrustedPublisher',
      summary: 'Add a trusted publisher',
      description: 'The people who manage the owner are told by email.',
      json: {
        name,
        provider,
        issuer: v.optional(issuer, null),
        app: v.optional(appShape, null),
        page_name_pattern: v.optional(pattern, null),
        rules,
        allow_self_hosted: v.optional(v.boolean(), false),
      },
      status: 201,
      answer: trustedPublisherShape,
      handle: async ({ caller, subject: owner, json: given }) => {
        const { app, page_name_pattern, allow_self_hosted, ...rest } = given;
        const made = await changes.create(caller.actor, owner, {
          ...rest,
          rules: rest.rules,
          app: app && { platform: app.platform, packageName: app.package_name },
          pageNamePattern: page_name_pattern,
          allowsSelfHosted: allow_self_hosted,
        });
        return json(trustedPublisherJson(made));
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: `${path}/:publisher`,
      operationId: 'getTrustedPublisher',
      summary: 'Show a trusted publisher',
      answer: trustedPublisherShape,
      handle: async ({ subject: owner, params }) =>
        json(trustedPublisherJson(await requirePublisher(data, owner, params.publisher))),
    }),
    defineRoute({
      ...changing,
      method: 'PATCH',
      path: `${path}/:publisher`,
      operationId: 'updateTrustedPublisher',
      summary: 'Change a trusted publisher',
      description:
        'Fields that are absent stay as they are. The keys that it has received end. Pinned ids are forgotten if the provider, the issuer or the repository changes.',
      json: {
        name: v.optional(name),
        provider: v.optional(provider),
        issuer: v.optional(issuer),
        app: v.optional(appShape),
        page_name_pattern: v.optional(pattern),
        rules: v.optional(rules),
        allow_self_hosted: v.optional(v.boolean()),
      },
      answer: trustedPublisherShape,
      handle: async ({ caller, subject: owner, params, json: given }) => {
        const { app, page_name_pattern, allow_self_hosted, ...rest } = given;
        const edits: TrustedPublisherEdits = {
          ...rest,
          app: app && { platform: app.platform, packageName: app.package_name },
          pageNamePattern: page_name_pattern,
          allowsSelfHosted: allow_self_hosted,
        };
        return json(trustedPublisherJson(await changes.update(caller.actor, owner, params.publisher, edits)));
      },
    }),
    defineRoute({
      ...changing,
      method: 'DELETE',
      path: `${path}/:publisher`,
      operationId: 'deleteTrustedPublisher',
      summary: 'Delete a trusted publisher',
      description: 'The keys that it has received end.',
      handle: async ({ caller, subject: owner, params }) => {
        await changes.remove(caller.actor, owner, params.publisher);
        return empty(204);
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${path}/:publisher/reset-pins`,
      operationId: 'resetTrustedPublisherPins',
      summary: 'Forget the ids of a trusted publisher’s repositories',
      description: 'The next token decides them.',
      json: {},
      answer: trustedPublisherShape,
      handle: async ({ caller, subject: owner, params }) =>
        json(trustedPublisherJson(await changes.resetPins(caller.actor, owner, params.publisher))),
    }),
  ];
}
