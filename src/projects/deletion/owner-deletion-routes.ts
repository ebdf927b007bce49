import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import { conflict, FormInvalid } from '../../core/errors.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { OwnerAccess, OwnerSubject } from '../owner-access-http.ts';
import { projectTexts } from '../project-texts.ts';
import type { OwnerDeletion } from './owner-deletion.ts';
import { renderOwnerDeletion } from './owner-deletion-page.tsx';

export interface OwnerDeletionRouteDeps {
  ownerAccess: OwnerAccess;
  ownerDeletion: OwnerDeletion;
}

const t = projectTexts.deletion;

/** Deletion of a Project or account by people who administer it. */
export function ownerDeletionRoutes({ ownerAccess, ownerDeletion }: OwnerDeletionRouteDeps): Route[] {
  const render = async (
    { frame, subject: { owner, permissions } }: RouteContext<Person, OwnerSubject>,
    submitted: string,
    errors?: readonly string[],
  ) =>
    renderOwnerDeletion({
      frame,
      owner,
      permissions,
      submitted,
      errors,
      contents: await ownerDeletion.contentsOf(owner),
      deletionBlocker: await ownerDeletion.findDeletionBlocker(owner),
    });
  const places = [
    { kind: 'project', path: '/organizations/:owner/delete', what: 'a Project' },
    { kind: 'user', path: '/users/:owner/delete', what: 'an account' },
  ] as const;
  return places.flatMap(({ kind, path, what }) => {
    const access = ownerAccess.ownerOrAdministrator(kind);
    return [
      defineRoute({
        method: 'GET',
        path,
        access,
        summary: `Show what deleting ${what} deletes`,
        handle: async (context) => html(await render(context, '')),
      }),
      defineRoute({
        method: 'POST',
        path,
        page: path,
        access,
        reauthentication: true,
        summary: `Delete ${what}`,
        form: { confirmation: v.string() },
        handle: async ({ caller, subject: { owner }, form: { confirmation } }) => {
          const outcome = await ownerDeletion.deleteOwner(caller.actor, owner, confirmation);
          if (outcome === 'unconfirmed') throw new FormInvalid({ confirmation: [t.unconfirmed] });
          if (outcome === 'hindered') throw conflict(t.hindered);
          return redirect(`/?done=${owner.kind}-deleted`);
        },
        renderErrors: ({ submitted, errors }, context) =>
          render(context, submitted.confirmation, errors.confirmation),
        renderedErrorKinds: ['conflict'],
      }),
    ];
  });
}
