import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import type { PersonRule } from '../../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { SetTrustedOnly } from '../../accounts/trusted-publishing/trusted-only.ts';
import { trustedOnlyQueries } from '../../accounts/trusted-publishing/trusted-only-queries.ts';
import {
  requirePublisher,
  type TrustedPublisherChanges,
  trustedPublisherLimit,
} from '../../accounts/trusted-publishing/trusted-publisher-changes.ts';
import { trustedPublisherQueries } from '../../accounts/trusted-publishing/trusted-publisher-queries.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient, lenientText, multiline } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { type TrustedProvider, trustedProviders } from '../../owners/build-source.ts';
import type { Owner } from '../../owners/owner.ts';
import { trustedPublisherPath, trustedPublishingPath } from '../../owners/owner-paths.ts';
import { loadPermissions } from '../../owners/owner-permissions.ts';
import { policyQueries } from '../../owners/policies/policy-queries.ts';
import {
  emptyPublisherValues,
  type PublisherValues,
  publisherInputOf,
  publisherTextFields,
  publisherValuesOf,
  renameErrors,
} from './publisher-form.ts';
import { renderPublisherForm } from './publisher-form-page.tsx';
import { renderPublishers } from './publisher-pages.tsx';
import { publisherTexts } from './trusted-publishing-texts.ts';

export interface PublisherRouteDeps {
  data: Data;
  access: RouteAccess;
  trustedPublisherChanges: TrustedPublisherChanges;
  setTrustedOnly: SetTrustedOnly;
}

type OwnerContext = RouteContext<Person, Owner>;

const prefilled = [
  'name',
  'rules',
  'platform',
  'package',
  'page',
  'self_hosted',
  ...publisherTextFields,
] as const;
const fieldsOf = <Schema>(schema: () => Schema) =>
  Object.fromEntries(prefilled.map((name) => [name, schema()])) as Record<(typeof prefilled)[number], Schema>;
const formFields = {
  ...fieldsOf(() => v.optional(v.string(), '')),
  rules: v.optional(multiline(), ''),
  provider: v.picklist(trustedProviders),
};
const query = { provider: lenient(v.picklist(trustedProviders)), ...fieldsOf(lenientText) };

/** Trusted publishers of a User, by themselves, and of a Project, by its owner team. */
export function publisherRoutes(deps: PublisherRouteDeps): Route[] {
  return [
    ...routesAt(deps, '/organizations/:owner/settings/trusted-publishing', 'project'),
    ...routesAt(deps, '/users/:owner/settings/trusted-publishing', 'user'),
  ];
}

function routesAt(
  deps: PublisherRouteDeps,
  base: '/organizations/:owner/settings/trusted-publishing' | '/users/:owner/settings/trusted-publishing',
  kind: Owner['kind'],
): Route[] {
  const { data, trustedPublisherChanges: changes } = deps;
  const { managedOwner } = deps.access;
  const access: PersonRule<{ owner: string }, Owner> = {
    ...managedOwner,
    authorize: async (...asked) => {
      const owner = await managedOwner.authorize(...asked);
      if (owner.kind !== kind) throw new NotFound();
      return owner;
    },
  };
  const of = kind === 'project' ? 'a Project' : 'an account';
  const one = `${base}/:publisher` as const;
  const change = {
    method: 'POST',
    access,
    reauthentication: true,
    rateLimit: trustedPublisherLimit,
  } as const;
  const renderForm = async (
    { caller, subject: owner, frame }: OwnerContext,
    shown: Omit<Parameters<typeof renderPublisherForm>[0], 'frame' | 'owner' | 'permissions'>,
  ) =>
    renderPublisherForm({
      frame,
      owner,
      permissions: await loadPermissions(data, caller.actor, owner),
      ...shown,
    });
  return [
    defineRoute({
      method: 'GET',
      path: base,
      summary: `List the trusted publishers of ${of}`,
      access,
      query: { done: lenient(v.picklist(['added', 'deleted', 'on', 'off'])) },
      handle: async ({ caller, subject: owner, frame, query: { done } }) => {
        const { done: changed, only } = publisherTexts;
        const sentences = { ...changed, on: only.turnedOn, off: only.turnedOff };
        const page = renderPublishers({
          frame,
          owner,
          permissions: await loadPermissions(data, caller.actor, owner),
          publishers: await trustedPublisherQueries(data).list(owner.id),
          only: await trustedOnlyQueries(data).isRequired(owner.id, null),
          byPolicy: (await policyQueries(data).ofOwner(owner.id)).trustedPublishersOnly,
          done: done ? sentences[done] : null,
        });
        return html(page);
      },
    }),
    defineRoute({
      ...change,
      path: `${base}/require`,
      page: base,
      summary: `Accept builds of ${of} from trusted publishers only, or from others again`,
      form: { only: v.optional(v.string(), '') },
      handle: async ({ caller, subject: owner, form }) => {
        const only = form.only !== '';
        await deps.setTrustedOnly(caller.actor, { ownerId: owner.id, app: null }, only);
        return redirect(`${trustedPublishingPath(owner)}?done=${only ? 'on' : 'off'}`);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/new`,
      summary: `Show the form for a trusted publisher of ${of}`,
      access,
      query,
      handle: async (context) => {
        const { provider = 'github', ...given } = context.query;
        const known = Object.entries(given).filter(([, value]) => value !== undefined);
        const values = { ...emptyPublisherValues, ...Object.fromEntries(known) };
        return html(await renderForm(context, { provider, publisher: null, values, errors: {}, done: null }));
      },
    }),
    defineRoute({
      ...change,
      path: `${base}/create`,
      page: `${base}/new`,
      summary: `Add a trusted publisher to ${of}`,
      form: formFields,
      handle: async ({ caller, subject: owner, form: { provider, ...values } }) => {
        await changes.create(caller.actor, owner, inputOf(provider, values)).catch((error: unknown) => {
          throw renameErrors(provider, error);
        });
        return redirect(`${trustedPublishingPath(owner)}?done=added`);
      },
      renderErrors: ({ submitted, errors }, context) =>
        renderForm(context, { ...formOf(submitted), publisher: null, errors, done: null }),
    }),
    defineRoute({
      method: 'GET',
      path: one,
      summary: `Show a trusted publisher of ${of}`,
      access,
      query: { done: lenient(v.picklist(['saved', 'reset'])) },
      handle: async (context) => {
        const publisher = await requirePublisher(data, context.subject, context.params.publisher);
        const { done } = context.query;
        const values = publisherValuesOf(publisher);
        return html(
          await renderForm(context, {
            provider: publisher.provider,
            publisher,
            values,
            errors: {},
            done: done ? publisherTexts.done[done] : null,
          }),
        );
      },
    }),
    defineRoute({
      ...change,
      path: `${one}/save`,
      page: one,
      summary: `Save a trusted publisher of ${of}`,
      form: formFields,
      handle: async ({ caller, subject: owner, params, form: { provider, ...values } }) => {
        const edits = inputOf(provider, values);
        await changes.update(caller.actor, owner, params.publisher, edits).catch((error: unknown) => {
          throw renameErrors(provider, error);
        });
        return redirect(`${trustedPublisherPath(owner, params.publisher)}?done=saved`);
      },
      renderErrors: async ({ submitted, errors }, context) => {
        const publisher = await requirePublisher(data, context.subject, context.params.publisher);
        return renderForm(context, { ...formOf(submitted), publisher, errors, done: null });
      },
    }),
    defineRoute({
      ...change,
      path: `${one}/reset-pins`,
      page: one,
      summary: `Forget the pinned ids of a trusted publisher of ${of}`,
      form: {},
      handle: async ({ caller, subject: owner, params }) => {
        await changes.resetPins(caller.actor, owner, params.publisher);
        return redirect(`${trustedPublisherPath(owner, params.publisher)}?done=reset`);
      },
    }),
    defineRoute({
      ...change,
      reauthentication: false,
      path: `${one}/delete`,
      page: one,
      summary: `Delete a trusted publisher of ${of}`,
      form: {},
      handle: async ({ caller, subject: owner, params }) => {
        await changes.remove(caller.actor, owner, params.publisher);
        return redirect(`${trustedPublishingPath(owner)}?done=deleted`);
      },
    }),
  ];
}

/** Without a name, the publisher is called as its repository. */
function inputOf(provider: TrustedProvider, values: PublisherValues) {
  const { repository, project, pipeline, server } = values;
  const name = values.name.trim() || repository || project || pipeline || server;
  return publisherInputOf(provider, { ...values, name });
}

function formOf({ provider, ...values }: PublisherValues & { provider: string }) {
  const known: TrustedProvider = trustedProviders.find((one) => one === provider) ?? 'github';
  return { provider: known, values };
}
