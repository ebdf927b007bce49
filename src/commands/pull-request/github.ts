/** https://docs.github.com/en/rest: `/issues/{number}/comments` are the comments of a pull request, too. */
import { printable } from '../terminal-text.ts';
import { UploadError } from '../uploader/upload-error.ts';
import { asRecord, createForgeClient, type Forge, type ForgeIo } from './forge.ts';

/** `event`: the payload of the event that started the job. */
export function github(io: ForgeIo, given: string | undefined, event: unknown): Forge {
  const { env } = io;
  const { GITHUB_REPOSITORY: repository = '', GITHUB_REF: ref = '' } = env;
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository))
    throw new UploadError(`GITHUB_REPOSITORY is not the name of a repository: ${printable(repository)}`);
  const token = (env.SLIPWAY_COMMENT_TOKEN || env.GITHUB_TOKEN)?.trim();
  if (!token)
    throw new UploadError('GITHUB_TOKEN is not set.', {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub Actions
      hint: 'Give it to the step: env: GITHUB_TOKEN: ${{ github.token }}',
    });
  const pull = asRecord(asRecord(event).pull_request);
  const number = given || String(pull.number ?? /^refs\/pull\/(\d+)\//.exec(ref)?.[1] ?? '');
  const headCommit = asRecord(pull.head).sha;
  const commit = typeof headCommit === 'string' ? headCommit : env.GITHUB_SHA;
  const path = `repos/${repository}`;
  const api = createForgeClient(
    io,
    env.GITHUB_API_URL || 'https://api.github.com',
    {
      token,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'application/vnd.github+json',
        'X-GitHub-Api-Version': '2022-11-28',
      },
    },
    (status) => {
      if (status === 401) return 'Check GITHUB_TOKEN.';
      if (status === 403 || status === 404)
        return 'The job needs "pull-requests: write" for comments and "statuses: write" for a commit status; jobs of forks get neither.';
      return undefined;
    },
  );
  const numbered = () => {
    if (/^\d{1,12}$/.test(number)) return number;
    throw new UploadError('This is no job of a pull request.', {
      hint: 'Run it on pull_request, or set --pull-request NUMBER.',
    });
  };
  /** A token of a job cannot ask who it is, and its comments are those of a bot. */
  const isOwn = async () => {
    const me = asRecord(await api.call('user', { method: 'GET', accepted: [403] })).id;
    return (user: Readonly<Record<string, unknown>>) =>
      me === undefined ? user.type === 'Bot' : user.id === me;
  };
  return {
    noun: 'pull request',
    commit: commit ?? null,
    async listOwn(marker) {
      const own = [];
      const isMine = await isOwn();
      for await (const item of api.list(`${path}/issues/${numbered()}/comments`)) {
        const { id, body, user } = asRecord(item);
        if (typeof body === 'string' && body.startsWith(marker) && isMine(asRecord(user)))
          own.push({ id: String(id), body });
      }
      return own.sort((one, other) => Number(one.id) - Number(other.id));
    },
    create: async (body) =>
      void (await api.call(`${path}/issues/${numbered()}/comments`, { method: 'POST', body: { body } })),
    edit: async (id, body) =>
      void (await api.call(`${path}/issues/comments/${id}`, {
        method: 'PATCH',
        body: { body },
        accepted: [404],
      })),
    remove: async (id) =>
      void (await api.call(`${path}/issues/comments/${id}`, { method: 'DELETE', accepted: [404] })),
    async setStatus({ name, state, description, url }) {
      if (!commit) throw new UploadError('GITHUB_SHA is not set.');
      const body = {
        state: state === 'failed' ? 'failure' : state,
        context: name,
        description: description.slice(0, 140),
        ...(url ? { target_url: url } : {}),
      };
      await api.call(`${path}/statuses/${encodeURIComponent(commit)}`, { method: 'POST', body });
    },
  };
}
