/** Three nodes share state on one PostgreSQL and one S3 behind a proxy, and lose nothing when one of them is killed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkInvariants } from '../../faults/check-invariants.ts';
import { hashOf, signIn, type UploadResponse, upload } from '../../faults/client.ts';
import { adminKey, adminPassword } from '../../faults/ground.ts';
import { openLedger } from '../../faults/ledger.ts';
import { endLeases, sweepLater } from '../../faults/settle.ts';
import { createRandom } from '../../fuzz/random.ts';
import { openBlobStore } from '../../src/blobs/open-blob-store.ts';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import { createOwnerOperations } from '../../src/owners/create-owners.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { createTestQueries } from '../support/every-query.ts';
import { fetchSignIn } from '../support/fetch-sign-in.ts';
import { freePort } from '../support/free-port.ts';
import { hasLoadBalancer, type LoadBalancer, startLoadBalancer } from '../support/load-balancer.ts';
import { addPerson } from '../support/mail-service.ts';
import { linksOf, phones } from '../support/page-visits.ts';
import { createInstallationOn, type Installation, type ServerProcess } from '../support/run-cli.ts';
import { createS3Scratch, hasS3, type S3Scratch } from '../support/s3-service.ts';
import { peerCertificate, type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/test-database.ts';

const nodeCount = 3;
const uploadersAtOnce = 4;
const uploadsEach = 5;
const longestRestMs = 200;
const people = ['admin', 'jo', 'mina'].map((name) => `${name}@example.com`);
const patience = { timeout: 90_000, interval: 20 };

/** The documented proxy settings for several nodes. */
const location = `
    client_max_body_size 0;
    location / {
        proxy_pass http://slipway;
        proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_request_buffering off;
        proxy_buffering off;
    }`;

if (!hasS3) console.warn('slipway: skipped: many nodes, which need a real S3 service (radosgw)');
if (!hasLoadBalancer) console.warn('slipway: skipped: many nodes, which need nginx in front of them');

describe.skipIf(!hasS3 || !hasLoadBalancer)('three nodes', () => {
  let database: TestDatabase;
  let s3: S3Scratch;
  let peer: SmtpPeer;
  let folder: string;
  let balancer: LoadBalancer;
  let direct: Database;
  const nodes: { installation: Installation; server: ServerProcess; port: number }[] = [];
  const at = (index: number) => `http://127.0.0.1:${nodes[index % nodes.length]?.port}`;

  beforeAll(async () => {
    database = await createEmptyDatabase('postgres');
    s3 = await createS3Scratch();
    peer = await startSmtpPeer();
    folder = await mkdtemp(join(tmpdir(), 'slipway-nodes-'));
    await writeFile(join(folder, 'peer.pem'), peerCertificate);
    const settings = {
      SLIPWAY_SECRET: 'a secret that every node of the test is given',
      SLIPWAY_URL: 'https://apps.example.com',
      SLIPWAY_TRUST_PROXY: '127.0.0.1',
      SLIPWAY_ADMIN_API_KEY: adminKey,
      SLIPWAY_ADMIN_PASSWORD: adminPassword,
      SLIPWAY_ADMIN_EMAIL: 'admin@example.com',
      SLIPWAY_SMTP_URL: `smtp://localhost:${peer.port}`,
      SLIPWAY_MAIL_FROM: 'Slipway <builds@apps.example.com>',
      NODE_EXTRA_CA_CERTS: join(folder, 'peer.pem'),
      ...s3.settings,
    };
    const started = Array.from({ length: nodeCount }, async () => {
      const port = await freePort();
      const installation = await createInstallationOn(database, { ...settings, SLIPWAY_PORT: String(port) });
      return { installation, port, server: await installation.serve() };
    });
    nodes.push(...(await Promise.all(started)));
    balancer = await startLoadBalancer(
      nodes.map(({ port }) => port),
      location,
    );
    direct = await openDatabase(database.config);
  });
  afterAll(async () => {
    await balancer?.stop();
    for (const { installation } of nodes) await installation.remove();
    await direct?.close();
    await peer?.close();
    await s3?.remove();
    await database?.remove();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('create one schema and one administrator when they start concurrently on an empty database', async () => {
    const applied = await sql<{ name: string }>`select name from schema_migrations`.execute(direct.queries);
    const names = applied.rows.map(({ name }) => name);
    expect(names).toContain('0001-baseline');
    expect(new Set(names).size).toBe(names.length);
    expect(await direct.queries.selectFrom('users').select('owner_id').execute()).toHaveLength(1);
    for (const index of nodes.keys()) expect((await fetch(`${at(index)}/readyz`)).status).toBe(200);
  });

  it('accept each other’s sessions and end them together', async () => {
    const cookie = (await signIn(at(0), openLedger())) ?? '';
    const settingsOf = (index: number) =>
      fetch(`${at(index)}/settings`, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' });
    const pages = await Promise.all([0, 1, 2].map(async (index) => (await settingsOf(index)).text()));
    for (const page of pages) expect(page).toContain('admin@example.com');
    const csrf = /name="csrf" value="([^"]+)"/.exec(pages[1] ?? '')?.[1] ?? '';
    const out = await fetch(`${at(2)}/sign-out`, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams({ csrf }),
      redirect: 'manual',
    });
    expect(out.status).toBe(303);
    for (const index of [0, 1, 2]) expect((await settingsOf(index)).status).not.toBe(200);
  });

  it('accept each other’s signed links: files, icons and distribution page tickets', async () => {
    const bytes = buildIpa({ bundleIdentifier: 'com.example.links', version: '1' });
    const fields = { distribution_name: 'main', disable_notify: 'true' };
    const answer = await upload(at(0), openLedger(), { packageName: 'com.example.links', bytes, fields });
    const bytesAt = async (address: string) =>
      hashOf(new Uint8Array(await (await fetch(address)).arrayBuffer()));
    for (const index of nodes.keys())
      expect(await bytesAt(`${at(index)}${answer?.file}`)).toBe(hashOf(bytes));
    const page = await fetch(`${at(1)}/distributions/${answer?.page}`, {
      headers: { accept: 'text/html', 'user-agent': phones.iphone },
    });
    const links = linksOf(await page.text());
    for (const index of nodes.keys()) expect((await fetch(`${at(index)}${links.icon}`)).status).toBe(200);
  });

  it('share the count of wrong passwords', async () => {
    const attempt = async (index: number) =>
      (await fetchSignIn(at(index), 'nobody-at-all', 'a wrong guess')).status;
    const statuses: number[] = [];
    for (let index = 0; index < 10; index++) statuses.push(await attempt(index));
    expect(new Set(statuses)).toEqual(new Set([401]));
    for (const index of [0, 1, 2]) expect(await attempt(index)).toBe(429);
  });

  it('refuse to start after a newer version has migrated, while running ones continue', async () => {
    const name = '9999-of-the-future';
    await sql`insert into schema_migrations (name, applied_at) values (${name}, 1)`.execute(direct.queries);
    const environment = { SLIPWAY_PORT: '0', SLIPWAY_DATA_DIR: join(folder, 'older') };
    const older = await nodes[0]?.installation.run(['serve'], { environment });
    await sql`delete from schema_migrations where name = ${name}`.execute(direct.queries);
    expect(older?.code).toBe(1);
    expect(older?.stderr).toBe(
      `slipway: the database has migration ${name}, which this version of Slipway does not know: start the newer version\n`,
    );
    for (const index of nodes.keys()) expect((await fetch(`${at(index)}/readyz`)).status).toBe(200);
  });

  it('lose nothing when one is killed, and send each email at most once', { timeout: 240_000 }, async () => {
    const seed = Number(process.env.SLIPWAY_TEST_SEED ?? Date.now() % 1_000_000);
    console.info(`many nodes: SLIPWAY_TEST_SEED=${seed}`);
    const random = createRandom(seed);
    const data = createTestQueries(direct);
    const owners = createOwnerOperations({ data, now: Date.now });
    const by = 'command-line';
    await owners.createProject({
      name: 'harbour',
      description: '',
      workspaceName: null,
      ownerName: 'admin',
      by,
    });
    for (const userName of ['mina', 'jo']) {
      await addPerson({ data }, userName);
      await owners.addToTeam({ projectName: 'harbour', team: 'tester', userName, by, notify: false });
    }

    const before = await direct.queries.selectFrom('builds').select('id').execute();
    const ledger = openLedger();
    for (const { id } of before) ledger.sent.set(await sha256Of(direct, id), 'com.example.links');
    const answers: UploadResponse[] = [];
    const uploaders = Array.from({ length: uploadersAtOnce }, async (_, uploader) => {
      for (let number = 0; number < uploadsEach; number++) {
        const token = `build ${uploader}-${number} of the harbour`;
        const packageName = `com.example.app${number % 2}`;
        const version = `${uploader}${number}`;
        const order = {
          owner: 'harbour',
          packageName,
          bytes: buildIpa({ bundleIdentifier: packageName, version }),
          fields: { message: token, distribution_name: `branch-${uploader}` },
          headers: { 'idempotency-key': token },
          // The nginx status for a node that closed the connection.
          mayBeRefused: (status: number) => status === 502 || status === 504,
        };
        answers.push(await untilAcknowledged(() => upload(balancer.origin, ledger, order)));
      }
    });
    const victim = random.pick(nodes);
    const enough = 1 + random.below(8);
    await vi.waitFor(() => expect(answers.length).toBeGreaterThanOrEqual(enough), patience);
    await new Promise((resolve) => setTimeout(resolve, random.below(longestRestMs)));
    victim.server.process.kill('SIGKILL');
    await victim.server.ended;
    await Promise.all(uploaders);

    const survivors = nodes.filter((node) => node !== victim);
    for (const { server } of survivors) expect((await server.stop()).code).toBe(0);
    // The current leases belonged to the victim. A lease expires after five minutes.
    const config = readConfig(victim.installation.environment);
    await endLeases(config);
    for (const node of survivors) node.server = await node.installation.serve();
    const jobs = () => direct.queries.selectFrom('outbox').select(['kind', 'last_error']).execute();
    await vi.waitFor(async () => expect(await jobs()).toEqual([]), patience);

    const blobs = await openBlobStore(config.blobs);
    await sweepLater({ blobs, data });
    const spools = survivors.map(({ installation }) => join(installation.dataFolder, 'spool'));
    const survivor = readConfig(survivors[0]?.installation.environment ?? {});
    const check = { swept: true, ledger, compared: new Set<string>(), s3, spools };
    expect((await checkInvariants(survivor, check)).faults).toEqual([]);
    const total = uploadersAtOnce * uploadsEach;
    expect(new Set(answers.map(({ id }) => id)).size).toBe(total);
    expect(await direct.queries.selectFrom('builds').select('id').execute()).toHaveLength(
      before.length + total,
    );

    const mails = await direct.queries.selectFrom('mails').select(['address', 'state']).execute();
    const count = (state: string) => mails.filter((mail) => mail.state === state).length;
    expect(mails).toHaveLength(total * people.length);
    expect(count('sent') + count('uncertain')).toBe(mails.length);
    // Only the emails that the victim was sending.
    expect(count('uncertain')).toBeLessThanOrEqual(lanes.mail.jobsAtOnce);
    const received = peer.received.map(
      ({ to, email }) => `${to} ${/build \d-\d/.exec(email.text ?? '')?.[0]}`,
    );
    expect(new Set(received).size).toBe(received.length);
    expect(received.length).toBeGreaterThanOrEqual(count('sent'));
    expect(received.length).toBeLessThanOrEqual(mails.length);
    console.info(
      `many nodes: ${total} uploads, ${ledger.counts.unanswered + ledger.counts.refused} tried again, ` +
        `${mails.length} mails, ${count('uncertain')} uncertain, ${received.length} arrived`,
    );
  });
});

/** Retries like the uploader of a CI job, with the same Idempotency-Key. */
async function untilAcknowledged(attempt: () => Promise<UploadResponse | null>): Promise<UploadResponse> {
  const deadline = performance.now() + patience.timeout;
  for (;;) {
    const answer = await attempt();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error('an upload was never acknowledged');
    await new Promise((resolve) => setTimeout(resolve, patience.interval));
  }
}

async function sha256Of({ queries }: Database, buildId: string): Promise<string> {
  const row = await queries
    .selectFrom('builds')
    .select('sha256')
    .where('id', '=', buildId)
    .executeTakeFirstOrThrow();
  return row.sha256;
}
