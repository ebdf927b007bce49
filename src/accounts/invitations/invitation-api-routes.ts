/** Invitations and invite links in `/api/v1`. */

import * as v from 'valibot';
import { formatTime, integerShape, textShape, timeShape } from '../../core/json-shapes.ts';
import { nameField } from '../../core/name-text.ts';
import { listAnswer } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { maxLoginLength, type Project, teams, workspaceRoles } from '../../owners/owner.ts';
import { absolute } from '../../owners/owner-paths.ts';
import type { AccountDeps } from '../account-deps-http.ts';
import type { KeyCaller, UserCaller } from '../authorization/key-access-http.ts';
import { invitationPath } from '../profile/account-paths.ts';
import type { InviteLinkPlace, ListedInvitation } from './invitation.ts';
import { type Invitation, invitationLimit, inviteLinkLimit, maxOpenInvitations } from './invitation.ts';
import { invitationQueries } from './invitation-queries.ts';
import type { Inviting } from './invite.ts';
import {
  type InviteLinks,
  inviteLinkDays,
  maxInviteLinkNameLength,
  maxInviteLinkPeople,
  maxInviteLinks,
} from './invite-link.ts';
import { createPlaceInvitations, type PlaceInvitations } from './invite-user.ts';

const tag = 'People';
const newest = `All of them, at most ${2 * maxOpenInvitations}; the newest comes first.`;

const invitationShape = v.pipe(
  v.object({
    id: v.string(),
    team: v.nullable(v.picklist(teams)),
    role: v.nullable(v.pipe(v.picklist(workspaceRoles), v.description('In the Workspace that it is to.'))),
    person: v.nullable(textShape('The user that it is for; null: anyone who has the link.')),
    email: v.nullable(textShape('The address that the link was emailed to.')),
    invited_by: v.nullable(v.string()),
    created_at: timeShape(),
    expires_at: timeShape(),
  }),
  v.title('Invitation'),
);

const invitationJson = (invitation: Invitation): v.InferOutput<typeof invitationShape> => ({
  id: invitation.id,
  team: invitation.into?.kind === 'project' ? invitation.into.team : null,
  role: null,
  person: null,
  email: invitation.email,
  invited_by: invitation.invitedBy,
  created_at: formatTime(invitation.createdAt),
  expires_at: formatTime(invitation.expiresAt),
});

const namedJson = (invitation: ListedInvitation): v.InferOutput<typeof invitationShape> => ({
  id: invitation.id,
  team: invitation.place.kind === 'project' ? invitation.place.team : null,
  role: invitation.place.kind === 'workspace' ? invitation.place.role : null,
  person: invitation.user ? invitation.user.name : null,
  email: invitation.user ? null : invitation.email,
  invited_by: invitation.invitedBy,
  created_at: formatTime(invitation.createdAt),
  expires_at: formatTime(invitation.expiresAt),
});

const inviteFields = {
  email: v.optional(
    v.pipe(
      v.nullable(v.pipe(v.string(), v.maxLength(maxLoginLength))),
      v.description('Where to send the link. Null: the answer has it.'),
    ),
    null,
  ),
};
const invitedShape = v.object({
  url: v.pipe(v.nullable(v.string()), v.description('Works once, for a week. Null if it was sent by email.')),
});

/** Invitations for one person each, by link or email: to a Project, or to create an account. */
export function invitationApiRoutes(deps: AccountDeps): Route[] {
  const { data, access, invite } = deps;
  const path = '/api/v1/projects/:owner/invitations';
  const ofInstallation = '/api/v1/admin/invitations';
  const project = { tag, access: access.byUserKey(access.managedProject) } as const;
  const administered = { tag, access: access.byUserKey(access.administeredProject) } as const;
  const installation = {
    tag: 'Administration',
    access: access.byUserKey(access.administrator),
    keyScope: 'admin',
  } as const;
  const listed = { method: 'GET', description: newest, answer: listAnswer(invitationShape) } as const;
  const { pending, cancel } = createPlaceInvitations(deps, 'project');
  const created = {
    method: 'POST',
    rateLimit: invitationLimit,
    status: 201,
    answer: invitedShape,
  } as const;
  const list = async (project: Project | null) => {
    const id = project?.id ?? null;
    const open = await invitationQueries(data).listInvitations(id, deps.now(), maxOpenInvitations);
    const named = project ? (await pending(project)).filter(({ user }) => user !== null) : [];
    const all = [...open.map(invitationJson), ...named.map(namedJson)];
    return json({ data: all.sort((one, other) => (one.id < other.id ? 1 : -1)), next_cursor: null });
  };
  const create = async (inviting: Inviting, origin: string) => {
    const { token } = await invite.invite(inviting);
    return json({ url: token === null ? null : absolute(origin, invitationPath(token)) });
  };
  return [
    defineRoute({
      ...listed,
      ...administered,
      path,
      operationId: 'listInvitations',
      summary: 'List the open invitations to a Project',
      keyScope: 'read',
      handle: ({ subject }) => list(subject),
    }),
    defineRoute({
      ...created,
      ...project,
      path,
      operationId: 'createInvitation',
      summary: 'Invite someone to a Project, with or without an account',
      keyScope: 'manage',
      json: { team: v.picklist(teams), ...inviteFields },
      handle: ({ caller, subject, json: { team, email }, client }) =>
        create({ by: caller.actor.user, into: { project: subject, team }, email }, client.origin),
    }),
    defineRoute({
      ...administered,
      method: 'POST',
      path: `${path}/:invitation/revoke`,
      operationId: 'revokeInvitation',
      summary: 'Revoke an invitation to a Project',
      keyScope: 'manage',
      json: {},
      handle: async ({ caller, subject, params }) => {
        const { user: by } = caller.actor;
        const isPersonal = (await pending(subject)).some(({ id, user }) => user && id === params.invitation);
        if (isPersonal) await cancel(by, subject, params.invitation);
        else await invite.revoke(by, subject, params.invitation);
        return empty(204);
      },
    }),
    defineRoute({
      ...listed,
      ...installation,
      path: ofInstallation,
      operationId: 'listAccountInvitations',
      summary: 'List the open invitations to create an account',
      handle: () => list(null),
    }),
    defineRoute({
      ...created,
      ...installation,
      path: ofInstallation,
      operationId: 'createAccountInvitation',
      summary: 'Invite someone to create an account',
      json: inviteFields,
      handle: ({ caller, json: { email }, client }) =>
        create({ by: caller.actor.user, into: null, email }, client.origin),
    }),
    defineRoute({
      ...installation,
      method: 'POST',
      path: `${ofInstallation}/:invitation/revoke`,
      operationId: 'revokeAccountInvitation',
      summary: 'Revoke an invitation to create an account',
      json: {},
      handle: async ({ caller, params }) => {
        await invite.revoke(caller.actor.user, null, params.invitation);
        return empty(204);
      },
    }),
  ];
}

interface PlaceInvitationApi<Address, Subject extends { id: string }> {
  access: Access<Address, KeyCaller & UserCaller, Subject>;
  path: `/api/v1/${string}/invitations`;
  /** For the ids of operations: `App`. */
  idPart: string;
  of: string;
  invitations: PlaceInvitations;
}

/** Invitations of people by name or address, to one kind of place. */
export function placeInvitationApiRoutes<Address, Subject extends { id: string }>(
  deps: PlaceInvitationApi<Address, Subject>,
): Route[] {
  const { path, idPart, of, invitations } = deps;
  const access = deps.access as Access<Record<string, string>, KeyCaller & UserCaller, Subject>;
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: `list${idPart}Invitations`,
      summary: `List the open invitations to ${of}`,
      description: newest,
      tag,
      access,
      keyScope: 'read',
      answer: listAnswer(invitationShape),
      handle: async ({ subject }) =>
        json({ data: (await invitations.pending(subject)).map(namedJson), next_cursor: null }),
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/:invitation/revoke`,
      operationId: `revoke${idPart}Invitation`,
      summary: `Revoke an invitation to ${of}`,
      tag,
      access,
      keyScope: 'manage',
      json: {},
      handle: async ({ caller, subject, params }) => {
        await invitations.cancel(caller.actor.user, subject, params.invitation ?? '');
        return empty(204);
      },
    }),
  ];
}

const inviteLinkShape = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    url: v.pipe(
      v.nullable(v.string()),
      v.description('Null if the server secret that made it is no longer accepted; it still works.'),
    ),
    group: v.nullable(textShape('Joined by everyone who uses the link.')),
    people: integerShape('How many people have joined.'),
    max_people: v.number(),
    invited_by: v.nullable(v.string()),
    active: v.pipe(v.boolean(), v.description('False when the person who made it may no longer invite.')),
    expires_at: timeShape(),
  }),
  v.title('InviteLink'),
);

interface InviteLinkApi<Address, Subject> {
  inviteLinks: InviteLinks;
  access: Access<Address, KeyCaller & UserCaller, Subject>;
  path: `/api/v1/${string}/invite-links`;
  /** Part of the operation ids, for example `Project`. */
  idPart: string;
  of: string;
  placeOf(subject: Subject): InviteLinkPlace;
}

/** Invite links of one kind of place. */
export function inviteLinkApiRoutes<Address, Subject>(deps: InviteLinkApi<Address, Subject>): Route[] {
  const { inviteLinks, path, idPart, of, placeOf } = deps;
  const access = deps.access as Access<Record<string, string>, KeyCaller & UserCaller, Subject>;
  const show = async (into: InviteLinkPlace, id: string, origin: string) => {
    const { link, token } = await inviteLinks.find(into, id);
    return {
      id: link.id,
      name: link.name,
      url: token && absolute(origin, invitationPath(token)),
      group: link.group?.name ?? null,
      people: link.people,
      max_people: link.maxPeople,
      invited_by: link.invitedBy,
      active: link.isActive,
      expires_at: formatTime(link.expiresAt),
    };
  };
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: `list${idPart}InviteLinks`,
      summary: `List the invite links of ${of}`,
      description: `All of them, at most ${maxInviteLinks}; the newest comes first.`,
      tag,
      access,
      keyScope: 'manage',
      answer: listAnswer(inviteLinkShape),
      handle: async ({ subject, client }) => {
        const into = placeOf(subject);
        const links = await inviteLinks.list(into);
        const shown = await Promise.all(links.map(({ id }) => show(into, id, client.origin)));
        return json({ data: shown, next_cursor: null });
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      operationId: `create${idPart}InviteLink`,
      summary: `Create an invite link of ${of}`,
      tag,
      access,
      keyScope: 'manage',
      rateLimit: inviteLinkLimit,
      json: {
        name: nameField(maxInviteLinkNameLength),
        team: v.optional(v.picklist(['developer', 'tester']), 'tester'),
        group: v.optional(v.pipe(v.nullable(v.string()), v.description('Name of a group.')), null),
        days: v.optional(v.pipe(v.picklist(inviteLinkDays), v.description('How long the link works.')), 7),
        max_people: v.optional(
          v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxInviteLinkPeople)),
          50,
        ),
      },
      status: 201,
      answer: inviteLinkShape,
      handle: async ({ caller, subject, json: given, client }) => {
        const place = placeOf(subject);
        const into = place.kind === 'project' ? { ...place, team: given.team } : place;
        const id = await inviteLinks.create(caller.actor.user, into, {
          name: given.name,
          group: given.group === null ? null : { name: given.group },
          days: given.days,
          maxPeople: given.max_people,
        });
        return json(await show(into, id, client.origin));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/:invitation/revoke`,
      operationId: `revoke${idPart}InviteLink`,
      summary: `Revoke an invite link of ${of}`,
      tag,
      access,
      keyScope: 'manage',
      json: {},
      handle: async ({ caller, subject, params }) => {
        await inviteLinks.revoke(caller.actor.user, placeOf(subject), params.invitation ?? '');
        return empty(204);
      },
    }),
  ];
}
