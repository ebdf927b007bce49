import * as v from 'valibot';
import { AppError, FormInvalid, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient, type Values } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { listUsableProjects } from '../../owners/gate/find-workspace-gate.ts';
import type { Owner } from '../../owners/owner.ts';
import { projectKeysPath } from '../../owners/owner-paths.ts';
import { loadPermissions } from '../../owners/owner-permissions.ts';
import { endAccess } from '../access/end-access.ts';
import type { Person } from '../authorization/identify-http.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import { ownKeysPath } from '../profile/account-paths.ts';
import { requireSession } from '../sessions/require-session.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { trustedPublisherQueries } from '../trusted-publishing/trusted-publisher-queries.ts';
import { type ApiKey, isUsable } from './api-key.ts';
import { availableScopes, type IssueKey, newKeyLimit } from './issue-key.ts';
import { createRotateKey, endPreviousSecret, revokeKeyOf, rotationOverlaps } from './key-changes.ts';
import { keyPlaceQueries } from './key-place-queries.ts';
import { keyQueries } from './key-queries.ts';
import { defaultKeyValues, keyFields, keyLifetime } from './key-request.ts';
import { describeRestriction, maxListedPlaces, parseRestriction } from './key-restriction.ts';
import { keyTexts } from './key-texts.ts';
import { type KeysPageProps, renderKeysPage } from './keys-page.tsx';

interface KeyRouteDeps {
  data: Data;
  access: RouteAccess;
  issueKey: IssueKey;
  now: () => number;
  wakeOutbox: () => void;
}

type KeysContext = RouteContext<Person, Owner>;

const t = keyTexts;
/** How many ended keys are shown, latest first. */
const maxEndedKeys = 50;
const successMessages = () => ({
  revoked: t.revoked,
  'old-ended': t.oldEnded,
  'all-revoked': t.allRevoked,
});
const listQuery = {
  done: lenient(v.picklist(['revoked', 'old-ended', 'all-revoked'])),
  review: lenient(v.literal('reset')),
};
const rotationFields = { overlap: v.optional(v.picklist(rotationOverlaps.map(String)), '7') };

const ownerPath = (owner: Owner) => (owner.kind === 'user' ? ownKeysPath : projectKeysPath(owner.name));

/** A user's own API keys, and those of a Project for its owner team. */
export function keyRoutes(deps: KeyRouteDeps): Route[] {
  const { data, access, issueKey, now } = deps;
  const rotateKey = createRotateKey(deps);
  const recheck =
    ({ caller, subject: owner }: KeysContext) =>
    async (tx: Connection) => {
      await requireSession(tx, hashSessionToken(caller.sessionToken), now());
      if (owner.kind === 'project' && !(await loadPermissions(tx, caller.actor, owner)).manages)
        throw new NotFound();
      return null;
    };
  const list = {
    method: 'GET',
    query: listQuery,
    handle: async (context: KeysContext & { query: Values<typeof listQuery> }) => {
      const { done, review } = context.query;
      const publishers = review && (await trustedPublisherQueries(data).list(context.subject.id)).length;
      const shown = { done: done ? successMessages()[done] : null };
      const asked = publishers === undefined ? null : { publishers };
      return html(await renderKeys(deps, context, { ...shown, review: asked }));
    },
  } as const;
  const create = {
    method: 'POST',
    reauthentication: true,
    rateLimit: newKeyLimit,
    form: keyFields,
    handle: async (context: KeysContext & { form: Values<typeof keyFields> }) => {
      const { caller, subject: owner, form } = context;
      const lifetime = keyLifetime(form, now());
      if ('errors' in lifetime) throw new FormInvalid(lifetime.errors);
      const request = { ownerName: owner.name, ownerKind: owner.kind, name: form.name, by: caller.actor };
      if (form.scope.some((scope) => !availableScopes(owner).includes(scope)))
        throw new FormInvalid({ scope: [t.errors.scopeUnavailable] });
      const restriction = await parseRestriction(data, owner, [
        ...form.place,
        ...form.restrict.split('\n'),
      ]).catch((error: unknown) => {
        if (error instanceof AppError && error.kind === 'invalid')
          throw new FormInvalid({ restrict: [error.sentence] });
        throw error;
      });
      const wanted = { ...request, expiresAt: lifetime.expiresAt, scopes: form.scope, restriction };
      const made = await issueKey({ ...wanted, recheck: recheck(context) });
      return html(await renderKeys(deps, context, { made: { ...made, rotated: false } }));
    },
    renderErrors: async (refusal: Pick<KeysPageProps, 'submitted' | 'errors'>, context: KeysContext) =>
      renderKeys(deps, context, refusal),
  } as const;
  const revoke = {
    method: 'POST',
    reauthentication: false,
    form: {},
    handle: async ({ caller, subject: owner, params }: KeysContext & { params: { key: string } }) => {
      await revokeKeyOf(data, { owner, keyId: params.key, by: caller.actor, at: now() });
      return redirect(`${ownerPath(owner)}?done=revoked`);
    },
  } as const;
  const rotate = {
    method: 'POST',
    reauthentication: true,
    rateLimit: newKeyLimit,
    form: rotationFields,
    handle: async (
      context: KeysContext & { params: { key: string }; form: Values<typeof rotationFields> },
    ) => {
      const { caller, subject: owner, params, form } = context;
      const overlapMs = Number(form.overlap) * 24 * 60 * 60_000;
      const request = { owner, keyId: params.key, overlapMs, by: caller.actor };
      const made = await rotateKey({ ...request, recheck: recheck(context) });
      return html(await renderKeys(deps, context, { made: { ...made, rotated: true } }));
    },
  } as const;
  const endOldSecret = {
    method: 'POST',
    reauthentication: false,
    form: {},
    handle: async ({ caller, subject: owner, params }: KeysContext & { params: { key: string } }) => {
      await endPreviousSecret(data, { owner, keyId: params.key, by: caller.actor, at: now() });
      return redirect(`${ownerPath(owner)}?done=old-ended`);
    },
  } as const;
  const own = { access: access.signedIn, page: '/settings/keys' } as const;
  const ofProject = { access: access.managedProject, page: '/organizations/:owner/keys' } as const;
  return [
    defineRoute({ ...list, ...own, path: '/settings/keys', summary: 'List your API keys' }),
    defineRoute({ ...create, ...own, path: '/settings/keys/create', summary: 'Create an API key' }),
    defineRoute({ ...revoke, ...own, path: '/settings/keys/:key/revoke', summary: 'Revoke an API key' }),
    defineRoute({ ...rotate, ...own, path: '/settings/keys/:key/rotate', summary: 'Rotate an API key' }),
    defineRoute({
      ...endOldSecret,
      ...own,
      path: '/settings/keys/:key/end-old-secret',
      summary: 'Revoke the old secret of a rotated API key',
    }),
    defineRoute({
      ...own,
      method: 'POST',
      path: '/settings/keys/revoke-all',
      summary: 'Revoke all your API keys and delete your trusted publishers',
      reauthentication: false,
      form: {},
      handle: async ({ caller, subject: user }) => {
        await data.transaction((tx) => endAccess(tx, user.id, { keys: caller.actor, at: now() }));
        return redirect(`${ownKeysPath}?done=all-revoked`);
      },
    }),
    defineRoute({
      ...list,
      ...ofProject,
      path: '/organizations/:owner/keys',
      summary: 'List the API keys of a Project',
    }),
    defineRoute({
      ...create,
      ...ofProject,
      path: '/organizations/:owner/keys/create',
      summary: 'Create an API key for a Project',
    }),
    defineRoute({
      ...revoke,
      ...ofProject,
      path: '/organizations/:owner/keys/:key/revoke',
      summary: 'Revoke an API key of a Project',
    }),
    defineRoute({
      ...rotate,
      ...ofProject,
      path: '/organizations/:owner/keys/:key/rotate',
      summary: 'Rotate an API key of a Project',
    }),
    defineRoute({
      ...endOldSecret,
      ...ofProject,
      path: '/organizations/:owner/keys/:key/end-old-secret',
      summary: 'Revoke the old secret of a rotated API key of a Project',
    }),
  ];
}

async function renderKeys(
  { data }: KeyRouteDeps,
  { caller, frame, subject: owner }: KeysContext,
  shown: Partial<Pick<KeysPageProps, 'submitted' | 'errors' | 'made' | 'done' | 'review'>>,
): Promise<string> {
  const keys = (await keyQueries(data).listKeys(owner.id)).reverse();
  const ended = keys.filter((key) => !isUsable(key, frame.now));
  const projects = owner.kind === 'user' ? await listUsableProjects(data, caller.actor) : [];
  const shownKeys = [...keys.filter((key) => isUsable(key, frame.now)), ...ended.slice(0, maxEndedKeys)];
  return renderKeysPage({
    frame,
    places: await placesOf(data, shownKeys),
    review: null,
    owner,
    address: ownerPath(owner),
    usable: keys.filter((key) => isUsable(key, frame.now)),
    ended: ended.slice(0, maxEndedKeys),
    moreEnded: ended.length > maxEndedKeys,
    listed: await keyPlaceQueries(data).listPlaces(owner, {
      limit: maxListedPlaces,
      projects: projects.map(({ id }) => id),
    }),
    submitted: defaultKeyValues,
    errors: {},
    made: null,
    done: null,
    ...shown,
  });
}

/** Returns the places that each restricted key is limited to, by key id. */
async function placesOf(data: Data, keys: readonly ApiKey[]): Promise<Map<string, string[]>> {
  const restricted = keys.flatMap(({ id, restriction }) => (restriction ? [{ id, restriction }] : []));
  return new Map(
    await Promise.all(
      restricted.map(
        async ({ id, restriction }) => [id, await describeRestriction(data, restriction)] as const,
      ),
    ),
  );
}
