/** The measured pages of the console of a busy user, and of an administrator. */
import type { Place } from './growth-places.ts';
import { seededHook } from './seed-activity.ts';
import { personKey, seededPlaces } from './seed-builds.ts';

const app = `/users/admin/platforms/android/apps/${seededPlaces.bigApp}`;

export const consolePlaces: readonly Place[] = [
  { what: 'home', path: '/' },
  { what: 'home of a member', path: '/', key: personKey },
  { what: 'search on home, no match', path: '/?q=nothing-like-it' },
  { what: 'search', path: '/search?q=example' },
  { what: 'search, no match', path: '/search?q=nothing-like-it' },
  { what: 'search by commit', path: '/search?q=9e3779b1' },
  { what: 'Projects', path: '/projects' },
  { what: 'Project', path: '/organizations/project-0' },
  { what: 'people of a Project', path: '/organizations/project-0/people' },
  { what: 'own apps', path: '/users/admin' },
  { what: 'choice of an upload target', path: '/upload' },
  { what: 'app', path: app },
  { what: 'app, search, no match', path: `${app}?q=nothing-like-it` },
  { what: 'build', path: `${app}/binaries/1` },
  { what: 'pages of an app', path: `${app}/pages` },
  { what: 'activity', path: `${app}/activity` },
  { what: 'activity of a build', path: `${app}/activity?days=90&build=1` },
  { what: 'testers', path: `${app}/people` },
  { what: 'testers, search', path: `${app}/people?q=person-1` },
  { what: 'feedback', path: `${app}/feedback` },
  { what: 'webhook', path: `${app}/hooks/${seededHook}` },
  { what: 'app settings', path: `${app}/settings` },
  { what: 'retention', path: `${app}/retention` },
  { what: 'page settings', path: `/distributions/${seededPlaces.mainKey}/settings` },
  { what: 'distribution page', path: `/distributions/${seededPlaces.mainKey}` },
  { what: 'keys', path: '/settings/keys' },
  { what: 'emails about builds', path: '/settings/mail' },
  { what: 'administration', path: '/administration' },
  { what: 'people', path: '/administration/people' },
  { what: 'people, search', path: '/administration/people?q=person-1' },
  { what: 'person', path: '/administration/people/person-0' },
  { what: 'storage', path: '/administration/owners' },
  { what: 'background work', path: '/administration/background-work' },
  { what: 'mail', path: '/administration/mail' },
  { what: 'audit log', path: '/administration/audit' },
  { what: 'audit log, by person', path: '/administration/audit?actor=admin' },
];
