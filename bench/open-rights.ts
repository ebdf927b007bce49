/** Opens everything that a person can hold, and watches when each ends. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createInviteLinks } from '../src/accounts/invitations/invite-link.ts';
import { createIssueKey } from '../src/accounts/keys/issue-key.ts';
import { hashSessionToken, newSessionToken } from '../src/accounts/sessions/session.ts';
import { sessionQueries } from '../src/accounts/sessions/session-queries.ts';
import { createDeviceCodes } from '../src/accounts/terminal-sign-in/device-codes.ts';
import { appQueries } from '../src/apps/app-queries.ts';
import { buildQueries } from '../src/apps/builds/build-queries.ts';
import type { Data } from '../src/db/data.ts';
import { distributionQueries } from '../src/distributions/distribution-queries.ts';
import { createInstallMemberTokens } from '../src/distributions/install/install-member.ts';
import { createInstallTokens, newInstallVisit } from '../src/distributions/install/install-token.ts';
import { installLinkPath } from '../src/distributions/page-paths.ts';
import type { User } from '../src/owners/owner.ts';
import { ownerQueries } from '../src/owners/owner-queries.ts';
import type { RunningServer } from './run-server.ts';

export const probeMs = 100;
/** More than the buffers of a connection hold. */
export const fileBytes = 32 * 1024 * 1024;
export const secret = 'the secret of both nodes of the benchmark';
export const project = 'tide';
export const app = `/users/${project}/platforms/android/apps/com.example.tide`;

/** Returns the token and the header. */
export async function signIn(data: Data, user: User) {
  const token = newSessionToken();
  const at = Date.now();
  await sessionQueries(data).insertSession({
    userId: user.id,
    tokenHash: hashSessionToken(token),
    userAgent: 'bench',
    address: '127.0.0.1',
    createdAt: at,
    expiresAt: at + 24 * 60 * 60_000,
    authenticatedAt: at,
  });
  return { token, headers: { Cookie: `slipway_session=${token}` } };
}

export async function open(address: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const request = get(address, { agent: false, headers });
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${address} was answered ${response.statusCode}`);
  return response.on('error', () => undefined);
}

/** `isOpen`: asked again and again. `closed`: resolves by itself. */
type Probe = { what: string } & ({ isOpen: () => Promise<boolean> } | { closed: Promise<unknown> });

export async function openEverything(
  nodes: readonly RunningServer[],
  data: Data,
  user: User,
  accessKey: string,
): Promise<Probe[]> {
  const now = Date.now;
  const session = await signIn(data, user);
  const issueKey = createIssueKey({ data, now });
  const order = { ownerName: user.name, ownerKind: 'user', name: 'bench', expiresAt: null } as const;
  const { key } = await issueKey({ ...order, by: 'command-line' });
  const byKey = { Authorization: `Bearer ${key}` };
  const invitation = await invite(data, user);
  const ticket = await installTicket(data, user, accessKey);
  const tidePackage = await packageOf(data);
  const probes: Probe[] = [];
  for (const { origin } of nodes) {
    const answers =
      (path: string, headers: Record<string, string>, method = 'GET') =>
      async () => {
        const answer = await fetch(origin + path, { method, headers, redirect: 'manual' });
        await answer.arrayBuffer();
        return answer.ok;
      };
    const page = { ...session.headers, Accept: 'text/html' };
    const resumable = await beginUpload(origin, byKey);
    const stream = await open(`${origin}${app}/live`, session.headers);
    const download = await open(origin + tidePackage, session.headers);
    probes.push(
      { what: 'web session', isOpen: answers('/settings', page) },
      { what: 'API key', isOpen: answers('/api/v1/me', byKey) },
      { what: "DeployGate's API", isOpen: answers(`/api/distributions/${accessKey}`, byKey) },
      { what: 'resumable upload, next part', isOpen: resumable },
      { what: 'running download', closed: slowly(download) },
      { what: 'event stream', closed: once(stream.resume(), 'close') },
      {
        what: 'terminal sign-in that was approved',
        isOpen: await approveTerminal(data, origin, user, session.token),
      },
      { what: 'page for members', isOpen: answers(`/distributions/${accessKey}`, page) },
      { what: 'install link (itms)', isOpen: answers(ticket, {}) },
      { what: 'invite link that the person created', isOpen: answers(`/invitation/${invitation}`, {}) },
    );
  }
  return probes;
}

/** Reads about 3 MB a second, until the connection ends. */
async function slowly(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      await pause(20);
    }
  } catch {
    return;
  }
  if (bytes >= fileBytes) throw new Error('the download was completed');
}

async function packageOf(data: Data): Promise<string> {
  const owner = await ownerQueries(data).findOwner(project);
  const known = await appQueries(data).findApp(owner?.id ?? '', 'android', 'com.example.tide');
  const build = await buildQueries(data).findBuildByRevision(known?.id ?? '', 1);
  return `/builds/${build?.id}/file`;
}

async function installTicket(data: Data, { id }: User, accessKey: string): Promise<string> {
  const found = await distributionQueries(data).findPageWithApp(accessKey);
  if (!found) throw new Error('there is no page');
  const visit = newInstallVisit(Date.now());
  const context = { ...found, purpose: 'manifest', buildId: found.page.buildId } as const;
  const ticket = createInstallTokens(secret).issue(visit, context);
  const member = createInstallMemberTokens(secret).issue(id, visit);
  return installLinkPath(accessKey, 1, 'manifest.plist', { ticket, member });
}

async function invite(data: Data, user: User): Promise<string> {
  const owner = await ownerQueries(data).findOwner(project);
  const into = { kind: 'project', id: owner?.id ?? '', name: project, team: 'tester' } as const;
  const links = createInviteLinks({ data, secret, now: Date.now });
  const id = await links.create(user, into, { name: 'bench', group: null, days: 7, maxPeople: 10 });
  return (await links.find(into, id)).token ?? '';
}

/** Returns whether the next part is accepted, which it sends. */
async function beginUpload(origin: string, byKey: Record<string, string>) {
  const tus = { ...byKey, 'Tus-Resumable': '1.0.0' };
  const metadata = { owner: project, filename: 'app.apk' };
  const encoded = Object.entries(metadata).map(
    ([name, text]) => `${name} ${Buffer.from(text).toString('base64')}`,
  );
  const begun = await fetch(`${origin}/api/v1/uploads`, {
    method: 'POST',
    headers: { ...tus, 'Upload-Length': '100000', 'Upload-Metadata': encoded.join() },
  });
  if (begun.status !== 201) throw new Error(`an upload was answered ${begun.status}: ${await begun.text()}`);
  const { pathname } = new URL(begun.headers.get('Location') ?? '', origin);
  let offset = 0;
  return async () => {
    const headers = {
      ...tus,
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
    };
    const answer = await fetch(origin + pathname, { method: 'PATCH', headers, body: 'x' });
    await answer.arrayBuffer();
    if (answer.ok) offset += 1;
    return answer.ok;
  };
}

/** Returns whether the terminal could still receive a key. Asking would fetch the key, so it asks only once the account is disabled. */
async function approveTerminal(data: Data, origin: string, user: User, sessionToken: string) {
  const post = async (path: string, fields: Record<string, string>) => {
    const answer = await fetch(origin + path, { method: 'POST', body: new URLSearchParams(fields) });
    return (await answer.json()) as Record<string, string>;
  };
  const code = await post('/oauth/device_authorization', { client_id: 'slipway-cli' });
  const codes = createDeviceCodes({ data, issueKey: createIssueKey({ data, now: Date.now }), now: Date.now });
  await codes.approve({ actor: { kind: 'user', user }, sessionToken }, code.user_code ?? '', 30);
  return async () => {
    if (await ownerQueries(data).findActiveUser(user.id)) return true;
    const answer = await post('/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: code.device_code ?? '',
    });
    if (answer.access_token) throw new Error('the terminal received a key');
    return answer.error !== 'access_denied';
  };
}

/** Returns a function that waits for the latest end of each kind, on any node. Everything must be open when it begins. */
export function watch(probes: readonly Probe[]): () => Promise<Map<string, number>> {
  const ends = probes.map(async (probe) => {
    if ('closed' in probe) await probe.closed;
    else {
      if (!(await probe.isOpen())) throw new Error(`${probe.what} is not open`);
      while (await probe.isOpen()) await pause(probeMs);
    }
    return [probe.what, performance.now()] as const;
  });
  return async () => {
    const latest = new Map<string, number>();
    for (const [what, at] of await Promise.all(ends)) latest.set(what, Math.max(at, latest.get(what) ?? 0));
    return latest;
  };
}
