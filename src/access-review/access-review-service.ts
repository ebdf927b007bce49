/** Reads reviews, and revokes everything that someone who leaves has in a Workspace. */
import type { UserActor } from '../accounts/invitations/invite-user.ts';
import { revokeKey } from '../accounts/keys/key-changes.ts';
import { deletePublisher } from '../accounts/trusted-publishing/trusted-publisher-changes.ts';
import { trustedPublisherQueries } from '../accounts/trusted-publishing/trusted-publisher-queries.ts';
import { appQueries } from '../apps/app-queries.ts';
import { removeFromApp } from '../apps/testers/app-testers.ts';
import { conflict, NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import { lockManagedWorkspace } from '../owners/members.ts';
import type { Workspace } from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { findPerson, type PersonReference } from '../owners/removals.ts';
import { createGroups } from '../projects/groups/groups.ts';
import { personPlacesQueries } from '../projects/people/person-places-queries.ts';
import { projectTexts } from '../projects/project-texts.ts';
import { removeFromWorkspace } from '../provisioning/deactivation.ts';
import type { Belongings, Credential, ReviewedPerson, ReviewScope, Way } from './access-review.ts';
import { accessReviewQueries } from './access-review-queries.ts';
import { credentialQueries } from './credential-queries.ts';
import { createLoadPeople, reviewedPeople } from './load-review.ts';

export interface PersonReport {
  person: ReviewedPerson;
  belongings: Belongings;
}

export type CredentialPosition = readonly [kind: number, id: string];

export interface AccessReviews {
  /** Lists people by name, each with the position after them. `query`: the start of a name. */
  listPeople(
    scope: ReviewScope,
    page: { after: string | undefined; limit: number; query?: string },
  ): Promise<ReviewedPerson[]>;
  listCredentials(
    scope: ReviewScope,
    page: { after: CredentialPosition; limit: number },
  ): Promise<Credential[]>;
  everyone(scope: ReviewScope): AsyncGenerator<ReviewedPerson>;
  /** Throws `NotFound` for a person who has nothing in the scope. */
  reportOn(scope: ReviewScope, person: PersonReference): Promise<PersonReport>;
  /**
   * Removes the person from the Workspace and its Projects, withdraws their invitations, revokes the Projects' keys that they
   * created, deletes trusted publishers that they added, and ends their sessions. Throws `conflict`, and changes nothing, if nobody
   * else owns a Project or the Workspace.
   */
  revokeAll(by: UserActor, workspace: Workspace, person: PersonReference): Promise<void>;
  /** Ends one way of the person, as an administrator. `id`: the group or app. Throws `NotFound` if they do not have it. */
  revokeWay(by: UserActor, person: PersonReference, way: { kind: RevocableWay; id: string }): Promise<void>;
}

export type RevocableWay = 'group' | 'group-manager' | 'app';

const maxPlaces = 500;

export function createAccessReviews(deps: {
  data: Data;
  now: () => number;
  wakeOutbox: () => void;
}): AccessReviews {
  const { data, now } = deps;
  const reportOn: AccessReviews['reportOn'] = async (scope, reference) => {
    const user = await findPerson(data, reference);
    if (!user || !('id' in user)) throw new NotFound();
    const { id } = user;
    const listed = await accessReviewQueries(data).findPerson(id);
    const [person] = listed ? await createLoadPeople(data, now())([listed], scope) : [];
    if (!person) throw new NotFound();
    const found = await credentialQueries(data).belongingsOf(id, scope, now());
    const isKnown = person.places.length > 0 || found.credentials.some(({ kind }) => kind === 'invitation');
    if (scope.kind !== 'installation' && !isKnown) throw new NotFound();
    const names = new Set(person.places.map(({ place }) => place.id));
    const last = [
      ...(await personPlacesQueries(data).listProjects(id, null, maxPlaces)),
      ...(await personPlacesQueries(data).listWorkspaces(id, null, maxPlaces)),
    ].filter((place) => place.isLastOwner && names.has(place.id));
    return { person, belongings: { ...found, lastOwnerOf: last.map((place) => place.name) } };
  };
  const groups = createGroups(deps);
  return {
    reportOn,
    listPeople: async (scope, page) => {
      const listed = await accessReviewQueries(data).listPeople(scope, page);
      return createLoadPeople(data, now())(listed, scope);
    },
    listCredentials: (scope, page) =>
      credentialQueries(data).listCredentials({ scope, ...page, now: now(), of: null }),
    everyone: (scope) => reviewedPeople(data, scope, now()),
    revokeWay: async (by, reference, { kind, id }) => {
      const { person } = await reportOn({ kind: 'installation' }, reference);
      const isAsked = (way: Way) => way.kind === kind && way.id === id;
      const place = person.places.find(({ ways }) => ways.some(isAsked))?.place;
      if (!place || place.kind === 'workspace') throw new NotFound();
      const whose = { id: person.user.id };
      if (kind === 'group') await groups.removePerson({ by, owner: place }, id, whose);
      else if (kind === 'group-manager') await groups.removeManager({ by, owner: place }, id, whose);
      else {
        const app = await appQueries(data).findAppById(id);
        if (!app) throw new NotFound();
        await removeFromApp(deps, by, app, whose);
      }
      deps.wakeOutbox();
    },
    revokeAll: async (by, workspace, reference) => {
      const scope = { kind: 'workspace', workspace } as const;
      const { person, belongings } = await reportOn(scope, reference);
      const { user } = person;
      if (user.id === by.user.id) throw new NotFound();
      const at = now();
      await data.transaction(async (tx) => {
        await lockManagedWorkspace(tx, by, workspace);
        const sessions = await removeFromWorkspace({ tx, by, workspace, at }, user, (_, place) =>
          conflict(projectTexts.removal.lastOwner({ name: place })),
        );
        await auditQueries(tx).record({
          at,
          actor: by,
          action: 'workspace.access-revoked',
          ownerId: null,
          subject: `${user.name}: ${workspace.name}`,
          details: { sessions },
        });
        for (const { kind, id, place } of belongings.credentials) {
          // The person's own keys act for them, so they lose the same access.
          const owner = place.kind === 'project' ? await ownerQueries(tx).findOwner(place.name) : null;
          if (owner === null) continue;
          if (kind === 'key') await revokeKey(tx, { ownerId: owner.id, keyId: id, by, at });
          const publisher =
            kind === 'trusted-publisher' ? await trustedPublisherQueries(tx).find(owner.id, id) : null;
          if (publisher) await deletePublisher(tx, by, publisher, at);
        }
      });
      deps.wakeOutbox();
    },
  };
}
