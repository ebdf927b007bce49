/** Manages people with access to one app of a User: its builds, files and members-only pages. */
import {
  type AddPersonResult,
  createPlaceInvitations,
  inviteUser,
  maxTestersOfApp,
  type PlaceInvitations,
} from '../../accounts/invitations/invite-user.ts';
import { notifyPerson } from '../../accounts/profile/notice.ts';
import { FormInvalid, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { appTesterQueries } from '../../owners/app-tester-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { isAdministrator, removeTester } from '../../owners/members.ts';
import { maxLoginLength, type User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { teamQueries } from '../../owners/team-queries.ts';
import type { App } from '../app.ts';
import { peopleTexts } from './app-tester-texts.ts';

export interface AppTesters extends PlaceInvitations {
  /**
   * `login`: name or email address of someone with an account. They are invited and get access when they accept, or
   * immediately if an administrator adds them. Throws `FormInvalid` if the person is the owner or the app is shared with
   * too many.
   */
  give(by: User, app: App, login: string): Promise<AddPersonResult>;
  /** Returns whether anything changed. */
  take(by: User, app: App, userId: string): Promise<boolean>;
}

export function createAppTesters(deps: { data: Data; now: () => number }): AppTesters {
  const { data, now } = deps;
  return {
    ...createPlaceInvitations(deps, 'app'),
    give: async (by, app, login) => {
      refuseForProject(app);
      const known = login.length > maxLoginLength ? null : await ownerQueries(data).findUserForSignIn(login);
      if (!known) return 'unknown';
      if (known.user.id === app.owner.id) throw refused(peopleTexts.errors.owner);
      const at = now();
      return data.transaction(async (tx) => {
        const actor = { kind: 'user', user: by } as const;
        if (await appTesterQueries(tx).has(app.id, known.user.id)) return 'already';
        if (!(await isAdministrator(tx, actor))) {
          const testers = await appTesterQueries(tx).list(app.id, maxTestersOfApp);
          if (testers.length >= maxTestersOfApp)
            throw refused(peopleTexts.errors.full({ limit: maxTestersOfApp }));
          if (!(await teamQueries(tx).lockUser(known.user.id))) return 'unknown';
          const place = {
            kind: 'app',
            id: app.id,
            name: `${app.packageName} (${app.platform})`,
            ownerId: app.owner.id,
          } as const;
          return (await inviteUser(tx, { by, user: known.user, place, at })) ? 'invited' : 'pending';
        }
        const tester = { appId: app.id, userId: known.user.id, limit: maxTestersOfApp, now: at };
        const outcome = await appTesterQueries(tx).add(tester);
        if (outcome === 'full') throw refused(peopleTexts.errors.full({ limit: maxTestersOfApp }));
        if (outcome === 'given') {
          await teamQueries(tx).deleteOpenInvitations({ kind: 'app', id: app.id }, known.user.id);
          await auditQueries(tx).record(givenEntry(by, app, known.user.name, at));
          await notifyPerson(tx, 'app-added', { userId: known.user.id, at, project: app.packageName });
        }
        return outcome === 'given' ? 'added' : outcome;
      });
    },
    take: async (by, app, userId) => {
      refuseForProject(app);
      const name = `${app.packageName} (${app.platform})`;
      return data.transaction((tx) =>
        removeTester(tx, {
          by: { kind: 'user', user: by },
          user: { id: userId },
          at: now(),
          app: { id: app.id, name, ownerId: app.owner.id },
        }),
      );
    },
  };
}

const refused = (message: string) => new FormInvalid({ login: [message] });

/** In Projects, the teams decide. */
function refuseForProject(app: App): void {
  if (app.owner.kind !== 'user') throw new NotFound();
}

function givenEntry(by: User, app: App, testerName: string, at: number) {
  const actor = { kind: 'user', user: by } as const;
  return {
    at,
    actor,
    action: 'access.given',
    ownerId: app.owner.id,
    subject: `${testerName}: ${app.packageName} (${app.platform})`,
    details: { app: app.id },
  };
}
