/** Changes of the API with their twins: the same rules for all of them. */
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import type { CommandIo } from '../../src/commands/command-io.ts';
import { createProgram } from '../../src/commands/command-line.ts';
import type { Route } from '../../src/http/routes/route.ts';
import { expectedOf, ownerPath } from '../support/declared-routes.ts';
import { send } from '../support/http-client.ts';
import { bearer } from '../support/interface-client.ts';
import { type Person, persons, type RouteCallers, startCallers } from '../support/route-callers.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';
import { admitsOthers, commandsWithoutOperation, keysOf, twinsOf, withoutOperation } from './twin-table.ts';

const people = [
  ['owner', 'olga'],
  ['harbour', 'hanna'],
  ['administrator', 'admin'],
] as const;
const keyOf = ({ method, path }: Route) => `${method} ${path}`;
const isChange = ({ method }: Route) => method !== 'GET' && method !== 'OPTIONS';

describe('the table of twins', () => {
  let slipway: TestService;
  let routes: ReadonlyMap<string, Route>;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    routes = new Map(slipway.service.declared.map((route) => [keyOf(route), route]));
  });
  afterAll(() => slipway.close());
  const operation = (id: string) => slipway.service.declared.find(({ operationId }) => operationId === id);

  it('has a row for every change of the API, and every other change in a row or with a reason', () => {
    const changes = slipway.service.declared.filter(isChange);
    const ids = changes.flatMap(({ operationId }) => operationId ?? []);
    expect(Object.keys(twinsOf).sort()).toEqual(ids.sort());
    const listed = Object.values(twinsOf).flatMap(keysOf);
    expect(listed.filter((key) => !routes.has(key))).toEqual([]);
    const rest = changes
      .filter(({ operationId }) => operationId === undefined)
      .map(keyOf)
      .filter((key) => !listed.includes(key));
    const reasons = Object.values(withoutOperation).flat();
    const begins = (reason: string, key: string) =>
      key.startsWith(reason) || key.startsWith(`POST ${reason}`);
    expect(rest.filter((key) => !reasons.some((reason) => begins(reason, key)))).toEqual([]);
    expect(reasons.filter((reason) => !rest.some((key) => begins(reason, key)))).toEqual([]);
  });

  it('has every command in a row or with a reason', () => {
    const known = commandNames(createProgram({} as CommandIo, () => undefined));
    const listed = new Set(Object.values(twinsOf).flatMap(({ commands }) => commands));
    expect([...listed].filter((name) => !known.includes(name))).toEqual([]);
    const reasons = Object.values(commandsWithoutOperation).flat();
    const rest = known.filter((name) => !listed.has(name));
    const begins = (reason: string, name: string) => name === reason || name.startsWith(`${reason} `);
    expect(rest.filter((name) => !reasons.some((reason) => begins(reason, name)))).toEqual([]);
    expect(reasons.filter((reason) => !rest.some((name) => begins(reason, name)))).toEqual([]);
  });

  it('pairs routes that count against the same limit', () => {
    const limitOf = (route: Route | undefined) => {
      const { name, limit, windowMs, per } = route?.rateLimit ?? {};
      return { name, limit, windowMs, per };
    };
    const wrong = Object.entries(twinsOf).flatMap(([id, row]) =>
      keysOf(row)
        .filter((key) => JSON.stringify(limitOf(routes.get(key))) !== JSON.stringify(limitOf(operation(id))))
        .map((key) => [id, operation(id)?.rateLimit?.name, key, routes.get(key)?.rateLimit?.name]),
    );
    expect(wrong).toEqual([]);
  });

  it('pairs routes that admit the same people', () => {
    const rolesOf = (paired: readonly (Route | undefined)[]) =>
      [...new Set(paired.flatMap((route) => route?.access.roles ?? []))].sort().join(' or ');
    const wrong = Object.entries(twinsOf).flatMap(([id, row]) => {
      const forms = keysOf({ ...row, deploygate: [] }).filter((key) => !admitsOthers(key));
      const calls = row.deploygate.filter((key) => !admitsOthers(key));
      const expected = rolesOf([operation(id)]);
      const formRoles = rolesOf(forms.map((key) => routes.get(key)));
      return [
        ...(forms.length > 0 && formRoles !== expected ? [[id, expected, 'forms', formRoles]] : []),
        ...calls
          .map((key) => [id, expected, key, rolesOf([routes.get(key)])])
          .filter(([, , , roles]) => roles !== expected),
      ];
    });
    expect(wrong).toEqual([]);
  });
});

describe('forms and operations', { timeout: 120_000 }, () => {
  let slipway: TestService;
  let kit: RouteCallers;
  const keys = new Map<Person, string>();
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    kit = await startCallers(slipway);
    const issueKey = createIssueKey({ data: slipway.data, now: Date.now });
    for (const [person, ownerName] of people) {
      const scopes = person === 'administrator' ? (['admin', 'manage'] as const) : (['manage'] as const);
      const request = {
        ownerName,
        ownerKind: 'user',
        name: 'twin',
        expiresAt: null,
        by: 'command-line',
      } as const;
      keys.set(person, (await issueKey({ ...request, scopes })).key);
    }
  });
  afterAll(() => slipway.close());

  const routesOf = () => new Map(slipway.service.declared.map((route) => [keyOf(route), route]));
  /** Sends a form as someone who is permitted to; null if nobody in this installation is. */
  const submit = async (form: Route, path: string, fields: Record<string, string>) => {
    const person = persons.find((one) => expectedOf(form, one) === 'expired form');
    if (!person) return null;
    return {
      person,
      ...(await kit.call(person, path, { fields, multipart: form.streamedBody !== undefined })),
    };
  };
  const call = async ({ method }: Route, path: string, person: Person, body: unknown) => {
    const key = keys.get(person) ?? keys.get('owner') ?? '';
    const json = JSON.stringify(body);
    const answer = await send(slipway.port, path, {
      method,
      headers: {
        ...bearer(key),
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(json)),
      },
      body: json,
    });
    return { ...answer, problem: answer.text === '' ? {} : JSON.parse(answer.text) };
  };
  const pairs = function* (): Generator<[id: string, operation: Route, form: Route]> {
    const routes = routesOf();
    for (const operation of slipway.service.declared.filter(isChange)) {
      const row = twinsOf[operation.operationId ?? ''];
      for (const key of row ? keysOf({ ...row, deploygate: [] }) : []) {
        const form = routes.get(key);
        if (form) yield [operation.operationId ?? '', operation, form];
      }
    }
  };

  it('know the same objects', async () => {
    const wrong: unknown[] = [];
    let compared = 0;
    for (const [id, operation, form] of pairs()) {
      const names = [...form.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
      for (const name of names.filter((one) => operation.path.includes(`:${one}`) && one !== 'platform')) {
        const gone = (route: Route) =>
          ownerPath(
            { ...route, path: route.path.replace(`:${name}`, name === 'revision' ? '999' : 'no-such') },
            kit,
          );
        const shown = await submit(form, gone(form), {});
        if (!shown) continue;
        const { status, text } = await call(operation, gone(operation), shown.person, {});
        // Fields may be checked first, and keys without a right to upload are refused first.
        if (status === 400 || shown.status === 400 || id === 'uploadBuild') continue;
        compared++;
        const location = shown.headers.location ?? '';
        // Lists whose rows end by themselves are shown again.
        const isGone = shown.status === 404 || (shown.status === 303 && !/done=(?!gone)/.test(location));
        const isUnknown = status === 404 || text === '{"waiting":false}';
        if (isGone !== isUnknown)
          wrong.push([id, form.path, name, { api: status, form: shown.status, location }]);
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(100);
  });

  it('refuse the same values of a field', async () => {
    const wrong: unknown[] = [];
    let compared = 0;
    for (const [id, operation, form] of pairs()) {
      const shared = Object.keys(operation.json ?? {}).filter((name) => name in (form.form ?? {}));
      for (const name of shared)
        for (const value of ['x'.repeat(5000), 'no such', 'a\u0000b', 'a\u202eb']) {
          const shown = await submit(form, ownerPath(form, kit), {
            ...Object.fromEntries(Object.keys(form.form ?? {}).map((field) => [field, ''])),
            [name]: value,
          });
          if (!shown) continue;
          const { status, problem } = await call(operation, ownerPath(operation, kit), shown.person, {
            [name]: value,
          });
          const inApi = (problem.errors ?? []).some(
            ({ pointer }: { pointer?: string }) => pointer === `/${name}`,
          );
          const inForm = readElements(shown.text).some(
            ({ attributes }) => attributes.get('name') === name && attributes.has('aria-invalid'),
          );
          // The message of a build says what it was before, and JSON without a required field is refused first.
          if (id === 'updateBuild' || /is required/.test(problem.detail)) continue;
          compared++;
          if (inForm && !inApi)
            wrong.push([id, form.path, name, value.slice(0, 10), { api: status, form: shown.status }]);
        }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(50);
  });
});

/** Commands that contain others only group them. */
const commandNames = (program: Command, group = ''): string[] =>
  program.commands.flatMap((command) =>
    command.commands.length > 0 ? commandNames(command, `${command.name()} `) : [`${group}${command.name()}`],
  );
