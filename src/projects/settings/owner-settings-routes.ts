import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { checkWith, doneSentence, multiline } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { checkDescription } from '../../owners/create-owners.ts';
import { ownerSettingsPath } from '../../owners/owner-paths.ts';
import { readBuildLimit, readProjectLimit, readStorageLimit } from '../../owners/quota.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import type { OwnerAccess, OwnerSubject } from '../owner-access-http.ts';
import { projectTexts } from '../project-texts.ts';
import type { OwnerChanges } from './owner-changes.ts';
import { type OwnerSettingsProps, renderOwnerSettings } from './owner-settings-page.tsx';

export interface OwnerSettingsRouteDeps {
  data: Data;
  ownerAccess: OwnerAccess;
  ownerChanges: OwnerChanges;
}

type SettingsContext = RouteContext<Person, OwnerSubject>;

const successMessages = () => ({ saved: projectTexts.settings.saved, quota: projectTexts.settings.quotaSet });

/** Description, usage and limits of an Owner. Only administrators change limits. */
export function ownerSettingsRoutes({ data, ownerAccess, ownerChanges }: OwnerSettingsRouteDeps): Route[] {
  const places = [
    { kind: 'project', base: '/organizations/:owner', whose: 'a Project' },
    { kind: 'user', base: '/users/:owner', whose: 'an account' },
  ] as const;
  const form = { method: 'POST', reauthentication: false } as const;
  return [
    ...places.flatMap(({ kind, base, whose }) => [
      defineRoute({
        method: 'GET',
        path: `${base}/settings`,
        summary: `Show the settings of ${whose}`,
        access: ownerAccess.ownerOrAdministrator(kind),
        query: { done: doneSentence(successMessages) },
        handle: async (context) => {
          return html(await renderSettings(data, context, context.query));
        },
      }),
      defineRoute({
        ...form,
        path: `${base}/quota/save`,
        page: `${base}/settings`,
        summary: `Save the limits of ${whose}`,
        access: ownerAccess.administrator(kind),
        form: {
          storage: v.pipe(v.string(), checkWith(readStorageLimit)),
          builds: v.pipe(v.string(), checkWith(readBuildLimit)),
          /** Only for an account. */
          projects: v.optional(v.pipe(v.string(), checkWith(readProjectLimit)), ''),
          /** Only for a Project: the accountable user. */
          counts_for: v.optional(v.pipe(v.string(), v.trim()), ''),
        },
        handle: async ({ caller, subject: { owner }, form: { storage, builds, projects, counts_for } }) => {
          if (owner.kind === 'project' && counts_for !== '')
            await ownerChanges.setAccountable(caller.actor, owner, counts_for);
          const quota = { maxStorageBytes: storage, maxBuilds: builds, maxProjects: projects };
          await ownerChanges.setQuota(caller.actor, owner, quota);
          return redirect(`${ownerSettingsPath(owner)}?done=quota`);
        },
        renderErrors: ({ submitted, errors }, context) =>
          renderSettings(data, context, { refused: { ...submitted, errors } }),
      }),
    ]),
    defineRoute({
      ...form,
      path: '/organizations/:owner/settings/save',
      page: '/organizations/:owner/settings',
      summary: 'Save the description of a Project',
      access: ownerAccess.ownerOrAdministrator('project'),
      form: { description: v.pipe(multiline(), checkWith(checkDescription)) },
      handle: async ({ caller, subject: { owner }, form: { description } }) => {
        await ownerChanges.describe(caller.actor, owner, description);
        return redirect(`${ownerSettingsPath(owner)}?done=saved`);
      },
      renderErrors: ({ submitted, errors }, context) =>
        renderSettings(data, context, { refused: { ...submitted, errors } }),
    }),
  ];
}

async function renderSettings(
  data: Data,
  { subject: { owner, permissions }, frame }: SettingsContext,
  shown: Partial<Pick<OwnerSettingsProps, 'done' | 'refused'>>,
): Promise<string> {
  const quota = await quotaQueries(data).find(owner.id);
  if (!quota) throw new NotFound();
  return renderOwnerSettings({
    frame,
    owner,
    permissions,
    usage: await (owner.kind === 'user'
      ? quotaQueries(data).usageOfPerson(owner.id)
      : quotaQueries(data).usageOf(owner.id)),
    quota,
    projects: owner.kind === 'user' ? await quotaQueries(data).countProjectsOf(owner.id) : 0,
    accountable: owner.kind === 'project' ? await quotaQueries(data).findAccountableUser(owner.id) : null,
    done: null,
    refused: null,
    ...shown,
  });
}
