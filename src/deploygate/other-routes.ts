/** Requests that this interface refuses on purpose, with messages that clients show. Listed in `docs/deploygate.md`. */
import type { Caller } from '../accounts/authorization/identify-http.ts';
import type { Decision } from '../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { ManagedAppAccess } from '../apps/managed-app-access-http.ts';
import { Forbidden, NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { coversOwner } from '../owners/actor.ts';
import { listUsableProjects } from '../owners/gate/find-workspace-gate.ts';
import type { User } from '../owners/owner.ts';
import { absolute, userPath } from '../owners/owner-paths.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { appPath, change, noApp, read, refused, saying } from './deploygate-access-http.ts';
import { deploygateMember, noError } from './deploygate-json.ts';

export interface OtherRouteDeps {
  data: Data;
  access: RouteAccess;
  appAccess: ManagedAppAccess;
}

const noKeystore =
  'keystores of apps are managed on the page Signing keys, for app bundles; packages are not signed again';

export function deploygateOtherRoutes(deps: OtherRouteDeps): Route[] {
  const { data, access } = deps;
  const projectsOf = (user: User) => ownerQueries(data).listProjectsOfUser(user.id);
  const keystores = `${appPath}/keystores` as const;
  const managed = saying(noApp, access.byKey(deps.appAccess.managedApp));
  /** The caller, and the people in their Projects. */
  const knownUser: Decision<{ user: string }, User, Caller> = {
    roles: ['tester'],
    others: 'missing',
    authorize: async ({ actor }, { user: name }) => {
      const shown = await ownerQueries(data).findOwner(name);
      if (shown?.kind !== 'user') throw new NotFound();
      if (actor.kind === 'user' && actor.user.id === shown.id) return shown;
      const mine = actor.kind === 'user' ? await listUsableProjects(data, actor) : [actor.project];
      const theirs = new Set((await projectsOf(shown)).map(({ id }) => id));
      if (mine.some(({ id }) => theirs.has(id) && coversOwner(actor, id))) return shown;
      throw new NotFound();
    },
  };
  return [
    defineRoute({
      ...change,
      method: 'POST',
      path: '/api/sessions',
      summary: 'Sign in with a password',
      description: 'Always refused: a password alone does not sign in here.',
      access: access.anyone,
      form: {},
      handle: async ({ client }) => {
        throw new Forbidden(
          `passwords are not accepted here: create an API key at ${absolute(client.origin, '/settings/keys')}`,
        );
      },
    }),
    defineRoute({
      ...read,
      path: '/api/users/:user',
      summary: 'Show a user: yourself, or someone in one of your Projects',
      access: saying('no user is found', access.byKey(knownUser)),
      handle: async ({ subject: shown, client: { origin } }) => {
        const { name, icon_url: icon } = deploygateMember(shown.name, origin);
        return json({
          ...noError,
          results: { name, profile_icon: icon, url: absolute(origin, userPath(name)) },
        });
      },
    }),
    ...([keystores, `${keystores}/download`] as const).map((path) =>
      defineRoute({
        ...read,
        path,
        summary: 'Show the keystore of an app',
        description: 'There is none.',
        access: managed,
        handle: async () => {
          throw new NotFound(noKeystore);
        },
      }),
    ),
    ...(['POST', 'PUT', 'DELETE'] as const).map((method) =>
      defineRoute({
        ...change,
        method,
        path: keystores,
        summary: 'Change the keystore of an app',
        description: 'Always refused.',
        access: managed,
        form: {},
        handle: async () => {
          throw refused(noKeystore);
        },
      }),
    ),
    defineRoute({
      ...change,
      method: 'POST',
      path: `${appPath}/cli_websockets`,
      summary: 'Wait for devices to be registered',
      description: 'Always refused; clients go on without it.',
      access: managed,
      form: {},
      handle: async () => {
        throw refused('waiting for devices is not supported: list them with udids');
      },
    }),
  ];
}
