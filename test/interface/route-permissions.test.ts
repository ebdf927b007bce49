/** Every permission tried from below, on every route. A route that is missing in the table fails. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/http-client.ts';
import { type Caller, callers, persons, type RouteCallers, startCallers } from '../support/route-callers.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { type RouteRow, routeTable } from './route-table.ts';

/** `in`: what is there was shown, or the form was judged by what it says. */
type Outcome = 'in' | 'missing' | 'sign in' | 'no key' | 'forbidden' | 'too many' | `status ${number}`;

function outcomeOf({ status, headers }: Answer): Outcome {
  if (status === 303 && headers.location?.startsWith('/sign-in')) return 'sign in';
  if (status === 404) return 'missing';
  if (status === 401) return 'no key';
  if (status === 429) return 'too many';
  if (status === 403) return 'forbidden';
  return status < 400 || [400, 409].includes(status) ? 'in' : `status ${status}`;
}

/** Outcomes of those who are not in the row: pages lead nobody in particular to the sign-in page, the API wants a key. */
function refusalFor(row: RouteRow, caller: Caller, path: string): Outcome {
  if (row.leads === 'everybody') return 'sign in';
  if (caller === 'revokedKey') return 'no key';
  const person = [...persons, 'nobody', 'endedSession'].includes(caller);
  if (path.startsWith('/api/')) return person ? 'no key' : 'forbidden';
  if (path.startsWith('/builds/')) return 'missing';
  const led = caller === 'nobody' || caller === 'endedSession' || row.leads !== undefined;
  return led ? 'sign in' : 'missing';
}

/** What everybody is told there. A key that is none any more may be said to be none wherever it is sent. */
function openOutcome(row: RouteRow, caller: Caller, seen: Outcome): Outcome {
  if (caller === 'revokedKey' && seen === 'no key') return seen;
  if (row.told === 'no key' && seen === 'too many') return seen;
  return row.told ?? (row.for === 'holder' ? 'missing' : 'in');
}

/** Signing out comes last: it ends the sessions of the others. */
const rows = Object.entries(routeTable)
  .map(([route, row]) => ({ route, ...row }))
  .sort((one, other) => Number(one.route.includes('sign-out')) - Number(other.route.includes('sign-out')));
const formRows = rows.filter(
  (row) => row.route.startsWith('POST') && (row.token ?? (Array.isArray(row.for) && row.for.length > 0)),
);

describe('who may use which route', () => {
  let slipway: TestService;
  let kit: RouteCallers;
  beforeAll(async () => {
    slipway = await startTestService();
    kit = await startCallers(slipway);
  });
  afterAll(() => slipway.close());

  const pathOf = (row: RouteRow, caller: Caller) =>
    row.at.replace(
      /\{(\w+)\}/g,
      (_, name: string) => kit.names[`${name} of ${caller}`] ?? kit.names[name] ?? '',
    );
  const formFor = (row: RouteRow & { route: string }) =>
    row.route.startsWith('POST')
      ? { fields: row.fields ?? { act: 'nothing' }, multipart: row.multipart ?? false }
      : null;

  const isDeclared = (address: string) => slipway.service.declared.some(({ path }) => path === address);

  it('has every route in the table, and no other', () => {
    const routes = slipway.service.routes
      .filter(({ method, address }) => method !== 'HEAD' && !isDeclared(address))
      .map(({ method, address }) => `${method} ${address.replace(/\(\^[^()]*\$\)/, '')}`);
    expect(routes.length).toBeGreaterThan(100);
    expect(routes.filter((route) => !(route in routeTable))).toEqual([]);
    expect(Object.keys(routeTable).filter((route) => !routes.includes(route))).toEqual([]);
  });

  it('has addresses in the table that are there', () => {
    for (const [name, value] of Object.entries(kit.names)) expect([name, value]).not.toEqual([name, '']);
  });

  it.each(formRows)('$route wants the token of the session', async (row) => {
    for (const caller of persons.filter((person) => row.for === 'everybody' || row.for.includes(person))) {
      const path = pathOf(row, caller);
      for (const csrf of ['', 'made up']) {
        const answer = await kit.call(caller, path, formFor(row), csrf);
        expect([caller, answer.status]).toEqual([caller, 403]);
      }
    }
  });

  it.each(rows)('$route', async (row) => {
    const expected: Record<string, Outcome> = {};
    const seen: Record<string, Outcome> = {};
    for (const caller of callers) {
      const path = pathOf(row, caller);
      const outcome = outcomeOf(await kit.call(caller, path, formFor(row)));
      seen[caller] = outcome;
      if (typeof row.for === 'string') expected[caller] = openOutcome(row, caller, outcome);
      else expected[caller] = row.for.includes(caller) ? 'in' : refusalFor(row, caller, path);
    }
    expect(seen).toEqual(expected);
  });
});
