import * as v from 'valibot';
import { nameField } from '../../core/name-text.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient, wholeNumber } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import { absolute } from '../../owners/owner-paths.ts';
import type { Person } from '../authorization/identify-http.ts';
import { invitationPath } from '../profile/account-paths.ts';
import type { InviteLinkPlace } from './invitation.ts';
import { inviteLinkLimit } from './invitation.ts';
import {
  type InviteLinks,
  inviteLinkDays,
  maxInviteLinkNameLength,
  maxInviteLinkPeople,
} from './invite-link.ts';
import type { InviteLinkArea } from './invite-link-pages.tsx';
import { InviteLinkDetails, InviteLinkList, type InviteLinkListProps } from './invite-link-pages.tsx';
import { inviteLinkTexts } from './invite-link-texts.ts';

type Page =
  | '/organizations/:owner/invite-links'
  | '/users/:owner/platforms/:platform/apps/:package/people/invite-links';

export interface InviteLinkRouteDeps<Address, Subject> {
  data: Data;
  inviteLinks: InviteLinks;
  access: Access<Address, Person, Subject>;
  page: Page;
  /** Names the place in summaries, for example "a Project". */
  of: string;
  /** Throws `NotFound` if the place has no invite links. */
  placeOf(subject: Subject): InviteLinkPlace;
  /** Path of the list. */
  pathOf(subject: Subject): string;
  render(context: RouteContext<Person, Subject>, area: InviteLinkArea): Promise<string>;
}

const t = inviteLinkTexts;

const peopleError = () => t.peopleError({ limit: maxInviteLinkPeople });
const linkFields = {
  name: nameField(maxInviteLinkNameLength),
  team: v.optional(
    v.picklist(['developer', 'tester'], () => t.teamError),
    'tester',
  ),
  group: v.optional(v.string(), ''),
  days: v.pipe(
    wholeNumber(() => t.daysError),
    v.picklist(inviteLinkDays, () => t.daysError),
  ),
  max_people: v.pipe(
    wholeNumber(peopleError),
    v.minValue(1, peopleError),
    v.maxValue(maxInviteLinkPeople, peopleError),
  ),
};

/** Invite links of one kind of place, for those who manage it. */
export function inviteLinkRoutes<Address, Subject>(deps: InviteLinkRouteDeps<Address, Subject>): Route[] {
  const { inviteLinks, page, of, placeOf, pathOf } = deps;
  const access = deps.access as Access<Record<string, string>, Person, Subject>;
  const renderList = async (
    context: RouteContext<Person, Subject>,
    shown: Partial<Pick<InviteLinkListProps, 'submitted' | 'errors' | 'refused'>> & { done?: string | null },
  ) => {
    const { subject, frame } = context;
    const into = placeOf(subject);
    const { done = null, ...rest } = shown;
    return deps.render(context, {
      title: t.title,
      line: t.line,
      done,
      children: InviteLinkList({
        frame,
        address: pathOf(subject),
        isProject: into.kind === 'project',
        links: await inviteLinks.list(into),
        groups: await groupQueries(deps.data).listGroups(into.kind === 'app' ? into.ownerId : into.id),
        submitted: { name: '', team: 'tester', group: '', days: '7', max_people: '50' },
        errors: {},
        refused: null,
        ...rest,
      }),
    });
  };
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: `List the invite links of ${of}`,
      access,
      query: { done: lenient(v.literal('revoked')) },
      handle: async (context) =>
        html(await renderList(context, { done: context.query.done ? t.revoked : null })),
    }),
    defineRoute({
      method: 'POST',
      path: `${page}/create`,
      page,
      summary: `Create an invite link of ${of}`,
      access,
      reauthentication: true,
      rateLimit: inviteLinkLimit,
      form: linkFields,
      renderedErrorKinds: ['conflict'],
      handle: async ({ caller, subject, form }) => {
        const place = placeOf(subject);
        const into = place.kind === 'project' ? { ...place, team: form.team } : place;
        const id = await inviteLinks.create(caller.actor.user, into, {
          name: form.name,
          group: form.group === '' ? null : { id: form.group },
          days: form.days,
          maxPeople: form.max_people,
        });
        return redirect(`${pathOf(subject)}/${id}`);
      },
      renderErrors: ({ submitted, errors, error }, context) =>
        renderList(context, {
          submitted,
          errors,
          refused: Object.keys(errors).length > 0 ? null : error.sentence,
        }),
    }),
    defineRoute({
      method: 'GET',
      path: `${page}/:invitation`,
      summary: `Show an invite link of ${of}`,
      access,
      handle: async (context) => {
        const { subject, frame, params, client } = context;
        const { link, token } = await inviteLinks.find(placeOf(subject), params.invitation);
        return html(
          await deps.render(context, {
            title: link.name,
            line: t.joined({ people: link.people, limit: link.maxPeople }),
            done: null,
            crumb: { label: t.title, address: pathOf(subject) },
            children: InviteLinkDetails({
              frame,
              link,
              address: token && absolute(client.origin, invitationPath(token)),
              revokePath: `${pathOf(subject)}/${link.id}/revoke`,
            }),
          }),
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${page}/:invitation/revoke`,
      page,
      summary: `Revoke an invite link of ${of}`,
      access,
      reauthentication: false,
      form: {},
      handle: async ({ caller, subject, params }) => {
        await inviteLinks.revoke(caller.actor.user, placeOf(subject), params.invitation);
        return redirect(`${pathOf(subject)}?done=revoked`);
      },
    }),
  ];
}
