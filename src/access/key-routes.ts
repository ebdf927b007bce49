import * as v from 'valibot';
import type { Data } from '../data.ts';
import { AppError, FormRefused } from '../errors.ts';
import { html, redirect } from '../http/routes/answer.ts';
import { lenient, type Values } from '../http/routes/form.ts';
import { defineRoute, type Route, type Visit } from '../http/routes/route.ts';
import type { Owner } from '../owners/owner.ts';
import { accountTexts } from '../web/account-texts.ts';
import { ownKeysPath, projectKeysPath } from './account-addresses.ts';
import { isUsable } from './api-key.ts';
import type { Person } from './identify-http.ts';
import type { IssueKey } from './issue-key.ts';
import { freshKey, keyFields, keyLifetime } from './key-request.ts';
import { type KeysPageProps, renderKeysPage } from './keys-page.tsx';
import type { RouteAccess } from './route-access-http.ts';

interface KeyRouteParts {
  data: Data;
  access: RouteAccess;
  issueKey: IssueKey;
  now: () => number;
}

type KeysVisit = Visit<Person, Owner>;

const words = accountTexts.keys;
/** The newest of those that no longer work. */
const endedOnPage = 50;
const pathOf = (owner: Owner) => (owner.kind === 'user' ? ownKeysPath : projectKeysPath(owner.name));

/** API keys: my own, and those of a Project for its owner team. */
export function keyRoutes(parts: KeyRouteParts): Route[] {
  const { data, access, issueKey, now } = parts;
  const list = {
    method: 'GET',
    query: { done: lenient(v.literal('revoked')) },
    handle: async (visit: KeysVisit & { query: { done?: 'revoked' } }) =>
      html(await renderKeys(parts, visit, { done: visit.query.done ? words.revoked : null })),
  } as const;
  const create = {
    method: 'POST',
    reauthentication: true,
    rateLimit: {
      name: 'new key',
      most: 30,
      windowMs: 3_600_000,
      per: 'caller',
      refusal: words.faults.tooMany,
    },
    form: keyFields,
    handle: async (visit: KeysVisit & { form: Values<typeof keyFields> }) => {
      const { caller, subject: owner, form } = visit;
      const lifetime = keyLifetime(form, now());
      if ('faults' in lifetime) throw new FormRefused(lifetime.faults);
      const request = { ownerName: owner.name, ownerKind: owner.kind, name: form.name, by: caller.actor };
      const made = await issueKey({ ...request, expiresAt: lifetime.expiresAt }).catch((error: unknown) => {
        if (error instanceof AppError && error.kind === 'conflict')
          throw new FormRefused({ name: [error.message] });
        throw error;
      });
      return html(await renderKeys(parts, visit, { made }));
    },
    refused: async (refusal: Pick<KeysPageProps, 'typed' | 'faults'>, visit: KeysVisit) =>
      renderKeys(parts, visit, refusal),
  } as const;
  const revoke = {
    method: 'POST',
    reauthentication: false,
    form: {},
    handle: async ({ caller, subject: owner, params }: KeysVisit & { params: { key: string } }) => {
      await revokeKey(data, { key: params.key, owner, by: caller.actor, at: now() });
      return redirect(`${pathOf(owner)}?done=revoked`);
    },
  } as const;
  const own = { access: access.signedIn, page: '/settings/keys' } as const;
  const ofProject = { access: access.managedProject, page: '/organizations/:owner/keys' } as const;
  return [
    defineRoute({ ...list, ...own, path: '/settings/keys', summary: 'List your API keys' }),
    defineRoute({ ...create, ...own, path: '/settings/keys/create', summary: 'Create an API key' }),
    defineRoute({ ...revoke, ...own, path: '/settings/keys/:key/revoke', summary: 'Revoke an API key' }),
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
  ];
}

async function renderKeys(
  { data }: KeyRouteParts,
  { frame, subject: owner }: KeysVisit,
  shown: Partial<Pick<KeysPageProps, 'typed' | 'faults' | 'made' | 'done'>>,
): Promise<string> {
  const keys = (await data.access.listKeys(owner.id)).reverse();
  const ended = keys.filter((key) => !isUsable(key, frame.now));
  return renderKeysPage({
    frame,
    owner,
    address: pathOf(owner),
    usable: keys.filter((key) => isUsable(key, frame.now)),
    ended: ended.slice(0, endedOnPage),
    moreEnded: ended.length > endedOnPage,
    typed: freshKey,
    faults: {},
    made: null,
    done: null,
    ...shown,
  });
}

/** One that is not there, or was revoked before, stays as it is. */
async function revokeKey(
  data: Data,
  { key, owner, by, at }: { key: string; owner: Owner; by: Person['actor']; at: number },
): Promise<void> {
  await data.transaction(async (inside) => {
    const revoked = await inside.access.revokeKey(owner.id, key, at);
    if (!revoked) return;
    await inside.audit.record({ at, actor: by, action: 'key.revoked', ownerId: owner.id, subject: revoked });
  });
}
