/** The table of roles in docs/projects.md, compared with the routes, whose declarations `declared-routes.test.ts` tries as every caller. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/http/routes/route.ts';
import { admittedCallers } from '../support/declared-routes.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const columns = ['tester', 'auditor', 'developer', 'owner', 'administrator'] as const;
type Column = (typeof columns)[number];

const project = '/organizations/:owner';
const app = '/users/:owner/platforms/:platform/apps/:package';
/** The routes of each phrase of the table, as `METHOD path`. */
const routesOf: Readonly<Record<string, RegExp>> = {
  'see apps': new RegExp(`^GET (${project}|${app}(/binaries/:revision)?)$`),
  install: new RegExp(`^GET ${app}/binaries/:revision/install$`),
  'leave the Project': new RegExp(`^POST ${project}/people/leave$`),
  'see who is in the Project': new RegExp(`^GET ${project}/people$`),
  upload: new RegExp(`^\\w+ ${project}/upload(/|$)`),
  publish: new RegExp(`^\\w+ ${app}/binaries/:revision/publish`),
  'manage builds': new RegExp(`^POST ${app}/binaries/(delete|restore|protect|label|edit)`),
  devices: new RegExp(`^\\w+ ${project}/devices(/|\\.|$)`),
  'API keys': new RegExp(`^\\w+ ${project}/keys(/|$)`),
  webhooks: new RegExp(`^\\w+ ${project}/hooks(/|$)`),
  groups: new RegExp(`^\\w+ ${project}/groups(/|$)`),
  'trusted publishers': new RegExp(`^\\w+ ${project}/settings/trusted-publishing(/|$)`),
  'signing keys': new RegExp(`^\\w+ ${project}/settings/signing-keys(/|$)`),
  'invite links': new RegExp(`^\\w+ ${project}/invite-links(/|$)`),
  'invitations by email': new RegExp(`^\\w+ ${project}/invitations(/|$)`),
  'people and teams': new RegExp(`^\\w+ ${project}/people/(add|:person)`),
  'open invitations': new RegExp(`^\\w+ ${project}/people/invitations/`),
  description: new RegExp(`^\\w+ ${project}/settings(/save)?$`),
  retention: new RegExp(`^\\w+ ${project}/retention(/|$)`),
  'access review': new RegExp(`^\\w+ ${project}/access(/|\\.|$)`),
  'audit log': new RegExp(`^\\w+ ${project}/audit(/|\\.|$)`),
  deletion: new RegExp(`^\\w+ ${project}/delete$`),
  'storage and build limits': new RegExp(`^\\w+ ${project}/quota/save$`),
};

describe('the table of roles', () => {
  let slipway: TestService;
  let routes: readonly Route[];
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    routes = slipway.service.declared.filter(({ access }) => access.credentials.includes('session'));
  });
  afterAll(() => slipway?.close());

  const table = readFileSync(new URL('../../docs/projects.md', import.meta.url), 'utf8')
    .split('## Roles and permissions')[1]
    ?.split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2, 2 + 20)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const rows = (table ?? []).filter((cells) => cells.length === columns.length + 1);
  const phrases = rows.flatMap(([title = '', ...cells]) =>
    title
      .split(/, | and (?=devices)/)
      .map((phrase) => [phrase.replace(/^manage (?!builds)/, ''), cells] as const),
  );
  const nameOf = ({ method, path }: Route) => `${method} ${path}`;
  const admits = (route: Route, column: Column) => admittedCallers(route).includes(column);

  it.each(phrases)('is right about: %s', (phrase, cells) => {
    const pattern = routesOf[phrase];
    if (!pattern) throw new Error(`no routes for ${phrase}`);
    const found = routes.filter((route) => pattern.test(nameOf(route)));
    expect([phrase, found.length]).not.toEqual([phrase, 0]);
    for (const route of found) {
      const said = columns.map((column, at) => {
        const cell = cells[at];
        return [column, cell === 'yes' || (cell === 'see' && route.method === 'GET')];
      });
      const done = columns.map((column) => [column, admits(route, column)]);
      expect([nameOf(route), done]).toEqual([nameOf(route), said]);
    }
  });

  it('is right about Workspaces', () => {
    const roles = ['workspace guest', 'workspace member', 'workspace owner', 'administrator'] as const;
    const workspace = '/enterprises/:workspace';
    const pathsOf = {
      'see the Workspace,': new RegExp(`^GET ${workspace}$`),
      'leave the Workspace': new RegExp(`^POST ${workspace}/leave$`),
      'people and roles,': new RegExp(
        `^\\w+ ${workspace}/(people|settings|policies|provisioning|single-sign-on|access|delete)(/|$)`,
      ),
    };
    const document = readFileSync(new URL('../../docs/projects.md', import.meta.url), 'utf8');
    for (const [phrase, pattern] of Object.entries(pathsOf)) {
      const line = document.split('\n').find((one) => one.startsWith(`| ${phrase}`)) ?? '';
      const said = line.split('|').slice(2, -1);
      const found = routes.filter((route) => pattern.test(nameOf(route)));
      expect([phrase, found.length]).not.toEqual([phrase, 0]);
      for (const route of found)
        expect([nameOf(route), roles.map((role) => route.access.roles.includes(role))]).toEqual([
          nameOf(route),
          said.map((cell) => cell.trim() === 'yes'),
        ]);
    }
  });

  it('has everything that a Project has', () => {
    const known = Object.values(routesOf);
    const unknown = routes
      .map(nameOf)
      .filter((name) => new RegExp(`^\\w+ ${project}(/|$)`).test(name) && !/\/(apps|platforms)\//.test(name))
      .filter((name) => !known.some((pattern) => pattern.test(name)));
    expect(unknown).toEqual([]);
    expect(Object.keys(routesOf).filter((phrase) => !phrases.some(([known]) => known === phrase))).toEqual(
      [],
    );
  });
});
