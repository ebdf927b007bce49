/** `/metrics` as Prometheus reads it. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open-database.ts';
import { createRegistry } from '../../src/operations/observability/metrics.ts';
import { createServiceMetrics } from '../../src/operations/observability/service-metrics.ts';
import { openEventStream } from '../support/event-stream.ts';
import { freePort } from '../support/free-port.ts';
import { send } from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { createInstallation } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe('the metrics text format', () => {
  it('contains counters, gauges and cumulative histograms, with escaped labels', () => {
    const registry = createRegistry();
    registry.counter('plain_total', 'Without labels.');
    const counter = registry.counter('c_total', 'Counts.', ['a']);
    counter.add(['x"\\\n']);
    counter.add(['x"\\\n'], 2);
    registry.gauge('g', 'Is.').set([], 1.5);
    const histogram = registry.histogram('h', 'Lasts.', [0.1, 1], ['r']);
    for (const value of [0.1, 0.5, 0.25, 7]) histogram.observe(['y'], value);
    expect(registry.text()).toBe(`# HELP plain_total Without labels.
# TYPE plain_total counter
plain_total 0
# HELP c_total Counts.
# TYPE c_total counter
c_total{a="x\\"\\\\\\n"} 3
# HELP g Is.
# TYPE g gauge
g 1.5
# HELP h Lasts.
# TYPE h histogram
h_bucket{r="y",le="0.1"} 1
h_bucket{r="y",le="1"} 3
h_bucket{r="y",le="+Inf"} 4
h_sum{r="y"} 7.85
h_count{r="y"} 4
`);
  });
});

describe('metrics', () => {
  let slipway: TestService;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    slipway = await startTestService({ settings: { SLIPWAY_METRICS: `127.0.0.1:${port}` } });
  });
  afterAll(async () => {
    await slipway.close();
    await expect(send(port, '/metrics')).rejects.toThrow('ECONNREFUSED');
  });

  const scrape = async (): Promise<Map<string, number>> => {
    const answer = await send(port, '/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const values = new Map<string, number>();
    for (const line of answer.text.split('\n').filter((text) => text !== '' && !text.startsWith('#'))) {
      const [, series, value] =
        /^([a-z_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)+\})?) (-?[\d.e+-]+)$/.exec(line) ?? [];
      expect(series, line).toBeDefined();
      values.set(series ?? '', Number(value));
    }
    return values;
  };

  it('count requests, uploads, jobs, builds and statements', async () => {
    const first = await uploaded(slipway);
    await uploaded(slipway);
    await send(slipway.port, '/api/organizations', { headers: bearer(slipway.adminKey) });
    await slipway.service.outbox.idle();
    const values = await scrape();
    const requests = (labels: string) => values.get(`slipway_http_request_duration_seconds_count{${labels}}`);
    expect(requests('route="/api/users/:owner/apps",method="POST",status="200"')).toBe(2);
    expect(requests('route="/api/organizations",method="GET",status="200"')).toBe(1);
    expect(values.get('slipway_uploads_total')).toBe(2);
    expect(values.get('slipway_upload_bytes_total')).toBe(2 * first.file_size);
    expect(values.get('slipway_builds')).toBe(2);
    expect(values.get('slipway_damaged_builds')).toBe(0);
    const [build] = await slipway.data.backup.listStored('', 1);
    if (!build) throw new Error('no build is stored');
    await slipway.data.builds.setDamage(build, { [build.packageBlob]: 'missing' });
    expect((await scrape()).get('slipway_damaged_builds')).toBe(1);
    expect(values.get('slipway_stored_bytes')).toBe(2 * first.file_size);
    expect(values.get('slipway_database_up')).toBe(1);
    expect(values.get('slipway_outbox_jobs{kind="draw-icon",state="waiting"}')).toBe(0);
    expect(values.get('slipway_outbox_jobs{kind="send-mail",state="dead"}')).toBe(0);
    expect(values.get('slipway_database_query_duration_seconds_count{verb="insert"}')).toBeGreaterThan(2);
    expect(values.get('slipway_database_query_duration_seconds_count{verb="select"}')).toBeGreaterThan(2);
    await slipway.data.outbox.add({ kind: 'send-mail', mailId: 'none', until: 0 }, 9e15);
    expect((await scrape()).get('slipway_outbox_jobs{kind="send-mail",state="waiting"}')).toBe(1);
    const database = await openDatabase(slipway.config.database);
    await sql`update outbox set attempts = 99 where kind = 'send-mail'`.execute(database.queries);
    await database.close();
    const jobs = await scrape();
    expect(jobs.get('slipway_outbox_jobs{kind="send-mail",state="waiting"}')).toBe(0);
    expect(jobs.get('slipway_outbox_jobs{kind="send-mail",state="dead"}')).toBe(1);
  });

  it('show how many event streams are open', async () => {
    const { package_name } = await uploaded(slipway);
    expect((await scrape()).get('slipway_event_streams')).toBe(0);
    const path = `/users/admin/platforms/android/apps/${package_name}/live`;
    const stream = await openEventStream(slipway.origin, path, bearer(slipway.adminKey));
    expect((await scrape()).get('slipway_event_streams')).toBe(1);
    stream.destroy();
    await expect.poll(async () => (await scrape()).get('slipway_event_streams')).toBe(0);
  });

  it('have a fixed number of series, whatever clients request', async () => {
    await scrape();
    for (let index = 0; index < 20; index++) {
      const key = bearer(`slw_wrong-${index}`);
      await send(slipway.port, `/users/somebody-${index}`);
      await send(slipway.port, `/nowhere-${index}?x=${index}`);
      await send(slipway.port, `/api/users/u${index}/apps`, { headers: key });
    }
    const series = [...(await scrape()).keys()];
    expect(series.join('\n')).not.toMatch(/somebody|nowhere|slw_|u\d\d/);
    expect(series.length).toBeLessThan(200);
  });

  it('are served when the database is down, and report it', async () => {
    const database = await openDatabase(slipway.config.database);
    await sql`alter table outbox rename to away`.execute(database.queries);
    expect((await scrape()).get('slipway_database_up')).toBe(0);
    await sql`alter table away rename to outbox`.execute(database.queries);
    expect((await scrape()).get('slipway_database_up')).toBe(1);
    await database.close();
  });

  it('describe the process', async () => {
    let user = 1_500_000;
    const host = {
      memoryUsage: () => ({ rss: 30, heapUsed: 20 }),
      cpuUsage: () => ({ user, system: 500_000 }),
      childProcesses: async () => ({ residentBytes: 12, openFiles: 3, cpuSeconds: 0.25 }),
    };
    const metrics = createServiceMetrics('1.2.3', host);
    const lines = async () =>
      (await metrics.text(slipway.service.data, { eventStreams: 0, clockOffsetMs: 360_000 })).split('\n');
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'process_cpu_seconds_total 2.25',
        'process_resident_memory_bytes 42',
        'nodejs_heap_used_bytes 20',
        `process_start_time_seconds ${performance.timeOrigin / 1000}`,
        expect.stringMatching(/^nodejs_eventloop_delay_p99_seconds \d/),
        'slipway_info{version="1.2.3"} 1',
        'slipway_clock_offset_seconds 360',
      ]),
    );
    user += 1_000_000;
    expect(await lines()).toContain('process_cpu_seconds_total 3.25');
    user -= 1_000;
    expect(await lines()).toContain('process_cpu_seconds_total 3.25');
    metrics.stop();
  });

  it.runIf(process.platform === 'linux')('include child processes that run or ended', async () => {
    // A separate process, because other tests in this one have children, too.
    const source = new URL('../../src/operations/observability/child-processes.ts', import.meta.url);
    const busy = 'for (const end = process.cpuUsage().user + 3e5; process.cpuUsage().user < end; );';
    const script = `
      import { spawn } from 'node:child_process';
      import { once } from 'node:events';
      import { readChildProcesses } from ${JSON.stringify(source.href)};
      const before = await readChildProcesses();
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(`${busy} console.log(); process.stdin.resume()`)}]);
      await once(child.stdout, 'data');
      const running = await readChildProcesses();
      child.kill();
      await once(child, 'exit');
      console.log(JSON.stringify({ before, running, ended: await readChildProcesses() }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    const { before, running, ended } = JSON.parse(stdout);
    expect(before).toEqual({ residentBytes: 0, openFiles: 0, cpuSeconds: 0 });
    expect(running.residentBytes).toBeGreaterThan(10_000_000);
    expect(running.openFiles).toBeGreaterThan(2);
    expect(running.cpuSeconds).toBeGreaterThanOrEqual(0.29);
    expect(ended).toMatchObject({ residentBytes: 0, openFiles: 0 });
    expect(ended.cpuSeconds).toBeGreaterThanOrEqual(0.29);
  });

  it.runIf(runsEverything)('are those of the process that serves them', async () => {
    const installation = await createInstallation('sqlite');
    try {
      const metricsPort = await freePort();
      const server = await installation.serve({
        environment: { SLIPWAY_METRICS: `127.0.0.1:${metricsPort}` },
      });
      const { text } = await send(metricsPort, '/metrics');
      expect(text).toMatch(/^process_resident_memory_bytes \d{8}/m);
      expect(text).toMatch(/^slipway_info\{version="\d+\.\d+\.\d+[^"]*"\} 1$/m);
      await server.stop();
    } finally {
      await installation.remove();
    }
  });

  it('are served apart from the main server', async () => {
    expect((await send(slipway.port, '/metrics')).status).toBe(404);
    expect((await send(port, '/api/organizations')).status).toBe(404);
    expect((await send(port, '/metrics', { method: 'POST' })).status).toBe(405);
  });
});

describe('the metrics listener', () => {
  it('reports an address in use', async () => {
    const other = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    try {
      const start = startTestService({ settings: { SLIPWAY_METRICS: `127.0.0.1:${port}` } });
      await expect(start).rejects.toThrow(`SLIPWAY_METRICS: cannot listen on 127.0.0.1:${port}`);
    } finally {
      other.close();
    }
  });
});
