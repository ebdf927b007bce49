/** The alert rules and the dashboard of `integrations/deploy`, next to the metrics that a server has. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../support/free-port.ts';
import { send } from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'integrations/deploy');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const run = (args: string[], cwd?: string) => execFileSync('promtool', args, { encoding: 'utf8', cwd });

interface AlertFile {
  groups: { rules: { alert: string; expr: string }[] }[];
}

interface AlertTests {
  tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
}

interface Dashboard {
  panels: { targets: { expr: string; legendFormat: string }[] }[];
}

const alerts: AlertFile = parse(read('prometheus/alerts.yaml'));
const rules = alerts.groups.flatMap((group) => group.rules);
const dashboard: Dashboard = JSON.parse(read('grafana/slipway.json'));
const targets = dashboard.panels.flatMap((panel) => panel.targets);
const queries = targets.map(({ expr }) => expr);

describe('the metrics that alerts and dashboard read', () => {
  let installation: Installation;
  let types = new Map<string, string>();
  let labels = new Set<string>();
  beforeAll(async () => {
    const [metrics, adminKey] = [await freePort(), 'key-of-the-first-administrator'];
    installation = await createInstallation('sqlite');
    const server = await installation.serve({
      environment: { SLIPWAY_METRICS: `127.0.0.1:${metrics}`, SLIPWAY_ADMIN_API_KEY: adminKey },
    });
    const port = Number(new URL(server.origin).port);
    await uploaded({ port, adminKey });
    await send(port, '/api/organizations', { headers: bearer('wrong') });
    const { text } = await send(metrics, '/metrics');
    types = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    );
    labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, name = '']) => name));
    await server.stop();
  });
  afterAll(() => installation.remove());

  it('are served by a server, with the labels that they select and show', () => {
    const expressions = [...rules.map(({ expr }) => expr), ...queries];
    const named = expressions.flatMap((text) => text.match(/\b(?:slipway|process|nodejs)_[a-z0-9_]+/g) ?? []);
    const unknown = named.filter((name) => {
      const [histogram] = /^.+(?=_(?:bucket|count|sum)$)/.exec(name) ?? [];
      return !types.has(name) && types.get(histogram ?? '') !== 'histogram';
    });
    expect([...new Set(unknown)]).toEqual([]);
    expect(named.length).toBeGreaterThan(30);
    const shown = targets.flatMap(({ legendFormat }) => legendFormat.match(/(?<=\{\{)\w+/g) ?? []);
    const own = ['instance', ...labels, 'kind'];
    expect(shown.filter((label) => !own.includes(label))).toEqual([]);
    const shows = new Set(named.map((name) => name.replace(/_(bucket|count|sum)$/, '')));
    expect([...types.keys()].filter((name) => !shows.has(name))).toEqual([]);
  });

  it('have alerts that the docs name', () => {
    const [, section = ''] = readFileSync(join(root, 'docs/operations.md'), 'utf8').split('## Set up alerts');
    const named = [...section.matchAll(/^\| `(Slipway\w+)` \|/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  describe.runIf(hasPromtool)('(needs promtool)', () => {
    it('alert exactly when they should', () => {
      const cwd = join(folder, 'prometheus');
      expect(run(['check', 'rules', 'alerts.yaml'], cwd)).toContain(`${rules.length} rules found`);
      expect(run(['test', 'rules', 'alerts.test.yaml'], cwd)).toContain('SUCCESS');
      const { tests }: AlertTests = parse(read('prometheus/alerts.test.yaml'));
      const expected = tests.flatMap((test) => test.alert_rule_test).filter(({ exp_alerts }) => exp_alerts);
      const tested = new Set(expected.map(({ alertname }) => alertname));
      expect(rules.map(({ alert }) => alert).filter((alert) => !tested.has(alert))).toEqual([]);
    });

    it('have queries in the dashboard that Prometheus understands', () => {
      const scratch = mkdtempSync(join(tmpdir(), 'slipway-dashboard-'));
      const recorded = queries.map((expr, index) => ({
        record: `panel:${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      }));
      try {
        const file = join(scratch, 'rules.json');
        writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
        expect(run(['check', 'rules', file])).toContain(`${queries.length} rules found`);
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    });
  });
});
