import * as v from 'valibot';
import type { Person } from '../accounts/sign-in/identify-http.ts';
import type { RouteAccess } from '../accounts/sign-in/route-access-http.ts';
import type { PlatformAppAddress } from '../apps/managed-app-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../db/data.ts';
import { html, redirect } from '../http/routes/answer.ts';
import { flag, lenient } from '../http/routes/form.ts';
import { type Access, defineRoute, type Route, type Visit } from '../http/routes/route.ts';
import { deliveriesShown, type Hook } from './webhook.ts';
import { createHookAccess, type HookAccess, type HookSubject } from './webhook-access-http.ts';
import { hookPath, hooksPath } from './webhook-addresses.ts';
import { type HookChanges, placeOf } from './webhook-changes.ts';
import { freshHook, type TypedHook, typedOfHook } from './webhook-form.ts';
import { type HookPageHome, type HookPageProps, renderHookPage } from './webhook-page.tsx';
import { hookQueries } from './webhook-queries.ts';
import { hookTexts } from './webhook-texts.ts';
import { type HooksPageProps, renderHooksPage } from './webhooks-page.tsx';

export interface HookRouteParts {
  data: Data;
  access: RouteAccess;
  viewAccess: ViewAccess;
  hookChanges: HookChanges;
  /** Whether what was sealed of a hook can still be read. */
  isReadable: (hook: Hook) => boolean;
  /** Whether messages can carry links. */
  hasOrigin: boolean;
}

type HomeVisit = Visit<Person, HookPageHome>;
type HookVisit = Visit<Person, HookSubject>;
type Done = 'tested' | keyof Omit<typeof hookTexts.done, 'deleted'>;

const doneWith: readonly Done[] = ['tested', 'saved', 'again', 'paused', 'resumed'];

/** A hook makes this server call others: enough for a team, too slow to knock at many doors. */
const rateLimit = {
  name: 'hooks',
  most: 60,
  windowMs: 15 * 60_000,
  per: 'caller',
  refusal: hookTexts.faults.tooMany,
} as const;

/** As they are typed: `hook-form.ts` judges them beside what the hook has already. */
const hookFields = {
  name: v.string(),
  address: v.string(),
  kind: v.optional(v.string(), ''),
  uploads: flag(),
  deletions: flag(),
  pages: flag(),
};
type HookTexts = Record<'name' | 'address' | 'kind', string> &
  Record<'uploads' | 'deletions' | 'pages', string | boolean>;

const typedHookOf = ({ uploads, deletions, pages, ...typed }: HookTexts): TypedHook => ({
  ...typed,
  hears: { uploads: Boolean(uploads), deletions: Boolean(deletions), pages: Boolean(pages) },
});

/** Hooks of an App, for those who manage it, and of an Owner, for those who oversee it and see its Apps. */
export function hookRoutes(parts: HookRouteParts): Route[] {
  const places = createHookAccess(parts);
  return [
    ...routesAt(parts, places, '/users/:owner/platforms/:platform/apps/:package/hooks', {
      access: places.ofApp,
      of: 'an app',
    }),
    ...routesAt(parts, places, '/organizations/:owner/hooks', {
      access: places.ofOwner('project'),
      of: 'a Project',
    }),
    ...routesAt(parts, places, '/users/:owner/hooks', { access: places.ofOwner('user'), of: 'a user' }),
  ];
}

type HooksAddress =
  | '/users/:owner/platforms/:platform/apps/:package/hooks'
  | '/organizations/:owner/hooks'
  | '/users/:owner/hooks';

function routesAt(
  parts: HookRouteParts,
  { hookAt }: HookAccess,
  address: HooksAddress,
  { access, of }: { access: Access<PlatformAppAddress, Person, HookPageHome>; of: string },
): Route[] {
  const { hookChanges: changes } = parts;
  const page = `${address}/:hook` as const;
  const action = { method: 'POST', access: hookAt(access), page } as const;
  const back = ({ home, hook }: HookSubject, done: Done) =>
    redirect(`${hookPath(home, hook.id)}?done=${done}`);
  return [
    defineRoute({
      ...{ method: 'GET', path: address, summary: `List the webhooks of ${of}`, access },
      query: { done: lenient(v.literal('deleted')) },
      handle: async (visit) => {
        const done = visit.query.done === undefined ? null : hookTexts.done.deleted;
        return html(await renderHooks(parts, visit, { done }));
      },
    }),
    defineRoute({
      ...{ method: 'POST', path: `${address}/create`, summary: `Add a webhook to ${of}`, access },
      ...{ reauthentication: true, rateLimit, page: address, form: hookFields },
      handle: async (visit) => {
        const { caller, subject: home, form } = visit;
        const { hook, secret } = await changes.make(caller.actor.user, home, typedHookOf(form));
        return html(await renderHook(parts, visit, { home, hook }, { secret }));
      },
      refused: async ({ faults, typed, error }, visit) =>
        renderHooks(parts, visit, {
          typed: typedHookOf(typed),
          faults: error.kind === 'conflict' ? { address: [error.message] } : faults,
        }),
      refusedKinds: ['conflict'],
    }),
    defineRoute({
      ...{ method: 'GET', path: page, summary: `Show a webhook of ${of}`, access: hookAt(access) },
      query: { done: lenient(v.picklist(doneWith)) },
      handle: async (visit) => html(await renderHook(parts, visit, visit.subject, visit.query)),
    }),
    defineRoute({
      ...{ ...action, path: `${page}/save`, summary: `Save a webhook of ${of}` },
      ...{ reauthentication: true, rateLimit, form: hookFields },
      handle: async (visit) => {
        const { caller, subject, form } = visit;
        const { home } = subject;
        const saved = await changes.save(caller.actor.user, home, subject.hook, typedHookOf(form));
        if (saved.secret === null) return back(subject, 'saved');
        return html(await renderHook(parts, visit, { home, hook: saved.hook }, { secret: saved.secret }));
      },
      refused: async ({ faults, typed }, visit) =>
        renderHook(parts, visit, visit.subject, { typed: typedHookOf(typed), faults }),
    }),
    defineRoute({
      ...{ ...action, path: `${page}/rotate-secret`, summary: `Rotate the secret of a webhook of ${of}` },
      ...{ reauthentication: true, rateLimit, form: {} },
      handle: async (visit) => {
        const { caller, subject } = visit;
        const secret = await changes.renewSecret(caller.actor.user, subject.home, subject.hook);
        return html(await renderHook(parts, visit, subject, { secret }));
      },
    }),
    defineRoute({
      ...{ ...action, path: `${page}/pause`, summary: `Pause a webhook of ${of}` },
      ...{ reauthentication: false, form: {} },
      handle: async ({ caller, subject }) => {
        await changes.pause(caller.actor.user, subject.home, subject.hook);
        return back(subject, 'paused');
      },
    }),
    defineRoute({
      ...{ ...action, path: `${page}/resume`, summary: `Resume a webhook of ${of}` },
      ...{ reauthentication: false, form: {} },
      handle: async ({ caller, subject }) => {
        await changes.resume(caller.actor.user, subject.home, subject.hook);
        return back(subject, 'resumed');
      },
    }),
    defineRoute({
      ...{ ...action, path: `${page}/test`, summary: `Send a test event to a webhook of ${of}` },
      ...{ reauthentication: false, rateLimit, form: {} },
      handle: async ({ subject }) => {
        await changes.test(subject.home, subject.hook);
        return back(subject, 'tested');
      },
    }),
    defineRoute({
      ...{ ...action, path: `${page}/deliveries/:delivery/retry` },
      summary: `Retry a delivery to a webhook of ${of}`,
      ...{ reauthentication: false, rateLimit, form: {} },
      handle: async ({ subject, params }) => {
        if (await changes.sendAgain(subject.hook, params.delivery)) return back(subject, 'again');
        return redirect(hookPath(subject.home, subject.hook.id));
      },
    }),
    defineRoute({
      ...{ ...action, path: `${page}/delete`, summary: `Delete a webhook of ${of}` },
      ...{ reauthentication: false, form: {} },
      handle: async ({ caller, subject: { home, hook } }) => {
        await changes.remove(caller.actor.user, home, hook);
        return redirect(`${hooksPath(home)}?done=deleted`);
      },
    }),
  ];
}

async function renderHooks(
  { data, hasOrigin }: HookRouteParts,
  { frame, subject: home }: HomeVisit,
  shown: Partial<Pick<HooksPageProps, 'typed' | 'faults' | 'done'>>,
): Promise<string> {
  const hooks = [];
  for (const hook of await hookQueries(data).listHooks(placeOf(home))) {
    const [last] = await hookQueries(data).listDeliveries(hook.id, 1);
    hooks.push({ hook, last: last ?? null });
  }
  return renderHooksPage({
    ...{ frame, home, hooks, hasOrigin, typed: freshHook, faults: {}, done: null },
    ...shown,
  });
}

async function renderHook(
  { data, isReadable }: HookRouteParts,
  { frame }: Pick<HookVisit, 'frame'>,
  { home, hook }: HookSubject,
  {
    done,
    ...shown
  }: Partial<Pick<HookPageProps, 'typed' | 'faults' | 'secret'>> & {
    done?: Done | undefined;
  },
): Promise<string> {
  return renderHookPage({
    ...{ frame, home, hook, readable: isReadable(hook) },
    deliveries: await hookQueries(data).listDeliveries(hook.id, deliveriesShown),
    ...{ typed: typedOfHook(hook), faults: {}, secret: null },
    tested: done === 'tested',
    done: done === undefined || done === 'tested' ? null : hookTexts.done[done],
    ...shown,
  });
}
