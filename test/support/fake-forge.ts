/** The comments and commit statuses of GitHub's and GitLab's API, as a server of the test. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ForgeComment {
  id: number;
  body: string;
  author: { id: number; type: string };
}

export interface FakeForge {
  kind: 'github' | 'gitlab';
  url: string;
  comments: ForgeComment[];
  statuses: { path: string; body: Record<string, unknown> }[];
  requests: { method: string; path: string; headers: IncomingMessage['headers'] }[];
  /** Answers the next requests instead, if it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  /** Holds the first lists of comments until this many have been asked for, so that their readers know the same. */
  listsAtOnce: number;
  close(): Promise<void>;
}

const own = { id: 41898282, type: 'Bot' };

/** `tokenUser`: whether the token is that of a person, and not of a job. */
export async function startFakeForge(kind: FakeForge['kind'], { tokenUser = kind === 'gitlab' } = {}) {
  let lastId = 1_000;
  const held: (() => void)[] = [];
  const forge: FakeForge = {
    kind,
    url: '',
    comments: [],
    statuses: [],
    requests: [],
    intercept: null,
    listsAtOnce: 1,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const send = (response: ServerResponse, status: number, body?: unknown) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  };
  const shown = ({ author, ...comment }: ForgeComment) =>
    kind === 'github' ? { ...comment, user: author } : { ...comment, author };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://forge');
    const { method = '' } = request;
    forge.requests.push({ method, path: `${pathname}`, headers: request.headers });
    let text = '';
    for await (const chunk of request) text += chunk;
    const token = kind === 'github' ? request.headers.authorization : request.headers['private-token'];
    if (forge.intercept?.(request, response)) return;
    if (token !== (kind === 'github' ? 'Bearer forge-secret' : 'forge-secret'))
      return send(response, 401, { message: 'Bad credentials' });
    const body = text === '' ? {} : JSON.parse(text);
    if (pathname.endsWith('/user'))
      return tokenUser
        ? send(response, 200, own)
        : send(response, 403, { message: 'Resource not accessible by integration' });
    if (/\/statuses\/\w+$/.test(pathname)) {
      forge.statuses.push({ path: pathname, body });
      return send(response, 201, {});
    }
    const lists =
      kind === 'github' ? /\/repos\/acme\/tide\/issues\/7\/comments$/ : /\/merge_requests\/7\/notes$/;
    const one = kind === 'github' ? /\/issues\/comments\/(\d+)$/ : /\/merge_requests\/7\/notes\/(\d+)$/;
    const [, id] = one.exec(pathname) ?? [];
    if (lists.test(pathname) && method === 'POST') {
      const comment = { id: ++lastId, body: body.body, author: own };
      forge.comments.push(comment);
      return send(response, 201, shown(comment));
    }
    if (lists.test(pathname)) {
      const size = Number(searchParams.get('per_page'));
      const first = (Number(searchParams.get('page')) - 1) * size;
      const page = forge.comments.slice(first, first + size).map(shown);
      held.push(() => send(response, 200, page));
      if (held.length < forge.listsAtOnce) return;
      forge.listsAtOnce = 1;
      for (const release of held.splice(0)) release();
      return;
    }
    const comment = forge.comments.find((each) => String(each.id) === id);
    if (!comment) return send(response, 404, { message: 'Not Found' });
    if (comment.author.id !== own.id) return send(response, 403, { message: 'Forbidden' });
    if (method === 'DELETE') {
      forge.comments.splice(forge.comments.indexOf(comment), 1);
      return send(response, 204);
    }
    comment.body = body.body;
    send(response, 200, shown(comment));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  forge.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return forge;
}

/** The environment of a job of the pull request 7. */
export const forgeEnvironment = ({ kind, url }: FakeForge): Record<string, string> =>
  kind === 'github'
    ? {
        GITHUB_ACTIONS: 'true',
        GITHUB_REPOSITORY: 'acme/tide',
        GITHUB_REF: 'refs/pull/7/merge',
        GITHUB_HEAD_REF: 'feature/x',
        GITHUB_SHA: 'feedbee',
        GITHUB_API_URL: `${url}/api/v3`,
        GITHUB_TOKEN: 'forge-secret',
      }
    : {
        GITLAB_CI: 'true',
        CI_API_V4_URL: `${url}/api/v4`,
        CI_PROJECT_ID: '12',
        CI_MERGE_REQUEST_IID: '7',
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature/x',
        CI_COMMIT_SHA: 'feedbee',
        GITLAB_TOKEN: 'forge-secret',
      };
