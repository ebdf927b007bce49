/** Each change with its twins, once: what is in the database afterwards, in the audit log, and in the queue of jobs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import type { Route } from '../../src/http/routes/route.ts';
import { type FullInstallation, startFullInstallation } from '../support/full-installation.ts';
import { type Answer, send } from '../support/http-client.ts';
import { bearer } from '../support/interface-client.ts';
import { postedForms } from '../support/page-forms.ts';
import type { Person } from '../support/route-callers.ts';
import { type WatchedRows, watchRows } from '../support/row-changes.ts';
import { testPassword } from '../support/test-service.ts';
import { addTwinContent } from './twin-content.ts';
import { notSampled, type TwinNames, twinKeysOf, twinSamples } from './twin-samples.ts';
import { keysOf, twinsOf } from './twin-table.ts';

const people = [
  ['owner', 'olga'],
  ['tester', 'tess'],
  ['harbour', 'hanna'],
  ['administrator', 'admin'],
] as const;
const keyOf = ({ method, path }: Route) => `${method} ${path}`;

describe('twins', { timeout: 240_000 }, () => {
  let slipway: FullInstallation;
  let database: Database;
  let rows: WatchedRows;
  let names: TwinNames;
  const keys = new Map<Person, string>();
  beforeAll(async () => {
    slipway = await startFullInstallation();
    database = await openDatabase(slipway.config.database);
    rows = await watchRows(database);
    const issueKey = createIssueKey({ data: slipway.data, now: Date.now });
    for (const [person, ownerName] of people) {
      const scopes = person === 'administrator' ? (['admin', 'manage'] as const) : (['manage'] as const);
      const request = { ownerName, ownerKind: 'user', name: 'twin', expiresAt: null } as const;
      keys.set(person, (await issueKey({ ...request, by: 'command-line', scopes })).key);
    }
    names = await addTwinContent(slipway, database);
    await slipway.service.outbox.idle();
    await slipway.service.outbox.stop();
  }, 120_000);
  afterAll(async () => {
    await database.close();
    await slipway.close();
  });

  it('leave the same rows, audit log entries, events and jobs', async () => {
    const routes = new Map(slipway.service.declared.map((route) => [keyOf(route), route]));
    const before = await rows.read();
    const since = slipway.clock.now();
    const wrong: unknown[] = [];
    const unaudited: string[] = [];
    const compared = new Set<string>();
    /** Returns the changes of the request. Restores the rows before it returns. */
    const effectOf = async (request: () => Promise<Answer>, refused?: number) => {
      const { status, headers, text } = await request();
      const changes = rows.changes(before, await rows.read(), since);
      await rows.restore(before);
      if (status === refused) return [`refused with ${status}`];
      const isDone = status < 400 && changes.length > 0;
      return isDone ? changes : [`${status} ${headers.location ?? text.slice(0, 3000)}`];
    };
    for (const sample of twinSamples(names)) {
      const person = sample.by ?? 'owner';
      const key = keys.get(person) ?? '';
      const operation = slipway.service.declared.find((one) => one.operationId === sample.operation);
      const row = twinsOf[sample.operation];
      if (!operation || !row) throw new Error(`there is no operation ${sample.operation}`);
      const params = { ...names, ...sample.at };
      const expected = await effectOf(
        () => askApi(operation, fill(operation.path, params), key, sample.json ?? {}),
        sample.refused,
      );
      if (sample.refused === undefined && !expected.some((line) => line.startsWith('+ audit_rows ')))
        unaudited.push(sample.operation);
      for (const one of twinKeysOf(sample, row)) {
        const route = routes.get(one);
        if (!route) throw new Error(`there is no route ${one}`);
        const path = fill(route.path, { ...params, ...sample.formAt });
        const ask = () =>
          one.includes(' /api/')
            ? kit().callWithKey(key, path, {
                fields: sample.deploygate ?? {},
                multipart: false,
                method: route.method,
              })
            : fillInForm(route, path, { ...params, ...sample.formAt }, person, sample.form ?? {});
        const effect = await effectOf(ask, sample.refused);
        compared.add(one);
        if (JSON.stringify(effect) !== JSON.stringify(expected))
          wrong.push({
            operation: sample.operation,
            twin: one,
            missing: expected.filter((line) => !effect.includes(line)),
            instead: effect.filter((line) => !expected.includes(line)),
          });
      }
    }
    expect(wrong).toEqual([]);
    // Changes that nobody has to answer for: a delivery that is repeated, and the state of feedback.
    expect([...new Set(unaudited)]).toEqual(['redeliverAppWebhook', 'updateFeedback']);
    const rest = Object.values(twinsOf).flatMap((row) => keysOf(row).filter((key) => !compared.has(key)));
    const reasons = Object.values(notSampled);
    expect(rest.filter((key) => !reasons.some((reason) => reason.test(key)))).toEqual([]);
    expect(reasons.filter((reason) => !rest.some((key) => reason.test(key)))).toEqual([]);
  });

  const kit = () => slipway.kit;
  const fill = (path: string, params: Readonly<Record<string, string>>) =>
    path.replace(/:(\w+)/g, (_, name: string) => {
      const value = params[name];
      if (!value) throw new Error(`no value for :${name} of ${path}`);
      return encodeURIComponent(value);
    });
  const askApi = ({ method }: Route, path: string, key: string, json: object) => {
    const body = method === 'DELETE' ? '' : JSON.stringify(json);
    return send(slipway.port, path, {
      method,
      headers: {
        ...bearer(key),
        ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
        'Content-Length': String(Buffer.byteLength(body)),
      },
      body,
    });
  };
  /** Sends the form of the page, if it has one, with these values instead of the displayed ones. */
  const fillInForm = async (
    route: Route,
    path: string,
    params: Readonly<Record<string, string>>,
    person: Person,
    values: Record<string, string>,
  ) => {
    const page = route.page ? await kit().call(person, fill(route.page, params), null) : null;
    const form = postedForms(page?.text ?? '').find(({ action }) => action.split('?')[0] === path);
    const { csrf: _, ...shown } = form?.fields ?? {};
    const proof: Record<string, string> = route.reauthentication === true ? { proof: testPassword } : {};
    return kit().call(person, path, { fields: { ...shown, ...proof, ...values }, multipart: false });
  };
});
