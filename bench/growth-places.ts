/** The measured pages and lists of a seeded installation. */
import { benchKey } from './run-server.ts';
import { personKey, seededPlaces } from './seed-builds.ts';

export interface Place {
  what: string;
  path: string;
  /** Without a key, the administrator’s session is used. */
  key?: string;
}

const deepPages = 10;

export async function addressesOf(origin: string, cookie: string, builds: number): Promise<Place[]> {
  const app = `/users/admin/apps/${seededPlaces.bigApp}`;
  const revisions = Math.ceil(builds / 10);
  const behind = (path: string) => lastOf(origin, cookie, path);
  return [
    { what: 'List Your Projects', path: '/api/organizations', key: benchKey },
    { what: 'home, of all apps', path: '/' },
    { what: 'home, ten pages on', path: await behind('/') },
    { what: 'home, of a tenth of the Projects', path: '/', key: personKey },
    { what: 'search on home', path: '/?q=app1' },
    { what: 'search on home, no hit', path: '/?q=nothing-like-it' },
    { what: 'the same, of a tenth', path: '/?q=nothing-like-it', key: personKey },
    { what: 'owner', path: '/users/admin' },
    { what: 'owner, ten pages on', path: await behind('/users/admin') },
    { what: 'Project', path: '/organizations/project-0' },
    { what: 'app', path: app },
    { what: 'app, its first builds', path: `${app}?platform=android&below=${Math.min(revisions, 25) + 1}` },
    { what: 'search in an app', path: `${app}?q=branch-1` },
    { what: 'search in an app, no hit', path: `${app}?q=nothing-like-it` },
    { what: 'build', path: `/users/admin/platforms/android/apps/${seededPlaces.bigApp}/binaries/1` },
    { what: 'tester page', path: `/distributions/${seededPlaces.mainKey}` },
    {
      what: 'deleting the app, asked',
      path: `/users/admin/platforms/android/apps/${seededPlaces.bigApp}/delete`,
    },
    { what: 'administration', path: '/administration' },
    { what: 'what owners store', path: '/administration/owners' },
    { what: 'Projects by name', path: '/administration/owners?list=projects' },
    { what: 'people', path: '/administration/people' },
    { what: 'search for people', path: '/administration/people?q=person-0' },
    { what: 'audit log of everything', path: '/administration/audit' },
    { what: 'audit log of a Project, by person', path: '/organizations/project-0/audit?actor=admin' },
  ];
}

/** Follows the links to the next page `deepPages` times, or to the last page. */
async function lastOf(origin: string, cookie: string, path: string): Promise<string> {
  let place = path;
  for (let page = 0; page < deepPages; page++) {
    const html = await (await fetch(`${origin}${place}`, { headers: { cookie } })).text();
    const next = /<a href="([^"]+)" rel="next"/.exec(html)?.[1];
    if (next === undefined) return place;
    place = next.replaceAll('&amp;', '&');
  }
  return place;
}
