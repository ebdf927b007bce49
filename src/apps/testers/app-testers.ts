/** Manages people with access to one app of a User: its builds, files and members-only pages. */
import {
  type AddPersonResult,
  addOrInvite,
  createPlaceInvitations,
  type InviteDeps,
  type PlaceInvitations,
  type UserActor,
} from '../../accounts/invitations/invite-user.ts';
import { lockPlace, maxTestersOfApp } from '../../accounts/invitations/join-place.ts';
import { notifyPerson } from '../../accounts/profile/notice.ts';
import { conflictingField, NotFound } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import { appTesterQueries } from '../../owners/app-tester-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { removeTester } from '../../owners/members.ts';
import type { User } from '../../owners/owner.ts';
import { type PersonReference, removePerson, supersedeInvitations } from '../../owners/removals.ts';
import type { App } from '../app.ts';
import { peopleTexts } from './app-tester-texts.ts';
import { inviteLinkPlaceOf } from './invite-link-place.ts';

export interface AppTesters extends PlaceInvitations {
  /** See `addOrInvite`. Throws `conflict` if the person is the owner or the app is shared with too many. */
  give(by: User, app: App, login: string): Promise<AddPersonResult>;
  /** Removes a person and their open invitations. Returns whether anything changed. */
  remove(by: User, app: App, person: PersonReference): Promise<boolean>;
  /** Removes all of them or none: throws `NotFound` with the names of those who have neither access nor an invitation. */
  removeEach(by: User, app: App, logins: readonly string[]): Promise<void>;
}

export function createAppTesters(deps: InviteDeps): AppTesters {
  const { data, now } = deps;
  const actorOf = (user: User): UserActor => ({ kind: 'user', user });
  return {
    ...createPlaceInvitations(deps, 'app'),
    give: async (by, app, login) => {
      const place = inviteLinkPlaceOf(app);
      return addOrInvite(deps, actorOf(by), login, {
        place,
        workspaceId: null,
        lock: (tx) => lockPlace(tx, place),
        isMember: async (tx, userId) => {
          if (userId === app.owner.id) throw refused(peopleTexts.errors.owner);
          if (await appTesterQueries(tx).has(app.id, userId)) return true;
          if ((await appTesterQueries(tx).list(app.id, maxTestersOfApp)).length >= maxTestersOfApp)
            throw refused(peopleTexts.errors.full({ limit: maxTestersOfApp }));
          return false;
        },
        add: (tx, { user, at }) => addTester(tx, { by: actorOf(by), user, at, app }),
      });
    },
    remove: (by, app, person) => removeFromApp(deps, actorOf(by), app, person),
    removeEach: async (by, app, logins) => {
      const place = inviteLinkPlaceOf(app);
      await data.transaction(async (tx) => {
        await lockPlace(tx, place);
        const change = { by: actorOf(by), at: now() };
        const removed = new Set<string>();
        const unknown: string[] = [];
        for (const login of logins) {
          const isRemoved = await removePerson(tx, { ...change, place, person: { login } }, async (user) => {
            if (removed.has(user.id)) return true;
            removed.add(user.id);
            return removeTester(tx, { ...change, user, app: place });
          });
          if (!isRemoved) unknown.push(login);
        }
        if (unknown.length > 0)
          throw new NotFound(`nobody was removed: no access to ${app.packageName}: ${unknown.join(', ')}`);
      });
    },
  };
}

/** Removes a person and their open invitations. Returns whether anything changed. */
export async function removeFromApp(
  { data, now }: Pick<InviteDeps, 'data' | 'now'>,
  by: UserActor,
  app: App,
  person: PersonReference,
): Promise<boolean> {
  const place = inviteLinkPlaceOf(app);
  return data.transaction(async (tx) => {
    await lockPlace(tx, place);
    const change = { by, at: now() };
    return removePerson(tx, { ...change, place, person }, (user) =>
      removeTester(tx, { ...change, user, app: place }),
    );
  });
}

const refused = (message: string) => conflictingField('login', message);

/** Gives access at once. */
async function addTester(
  tx: Connection,
  { by, user, at, app }: { by: UserActor; user: User; at: number; app: App },
): Promise<void> {
  const place = inviteLinkPlaceOf(app);
  const tester = { appId: app.id, userId: user.id, limit: maxTestersOfApp, now: at, addedBy: by.user.name };
  if ((await appTesterQueries(tx).add(tester)) !== 'given')
    throw refused(peopleTexts.errors.full({ limit: maxTestersOfApp }));
  await supersedeInvitations(tx, place, user, at);
  await auditQueries(tx).record({
    at,
    actor: by,
    action: 'access.given',
    ownerId: app.owner.id,
    subject: `${user.name}: ${place.name}`,
    details: { app: app.id },
  });
  await notifyPerson(tx, 'app-added', { userId: user.id, at, project: app.packageName });
}
