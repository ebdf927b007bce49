/** https://docs.gitlab.com/api/: notes of merge requests, and commit statuses. */
import { UploadError } from '../uploader/upload-error.ts';
import { asRecord, createForgeClient, type Forge, type ForgeIo } from './forge.ts';

export function gitlab(io: ForgeIo, given: string | undefined): Forge {
  const { env } = io;
  const token = (env.SLIPWAY_COMMENT_TOKEN || env.GITLAB_TOKEN)?.trim();
  if (!token)
    throw new UploadError('GITLAB_TOKEN is not set, and GitLab does not let CI_JOB_TOKEN write comments.', {
      hint: 'Create a project access token with the scope api, and store it as the variable GITLAB_TOKEN (or SLIPWAY_COMMENT_TOKEN).',
    });
  const project = encodeURIComponent(env.CI_PROJECT_ID ?? '');
  // The merge request of a fork belongs to another project than the job.
  const target = encodeURIComponent(env.CI_MERGE_REQUEST_PROJECT_ID || (env.CI_PROJECT_ID ?? ''));
  const number = given || env.CI_MERGE_REQUEST_IID || '';
  const commit = env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || env.CI_COMMIT_SHA;
  const api = createForgeClient(
    io,
    env.CI_API_V4_URL || 'https://gitlab.com/api/v4',
    { token, headers: { 'PRIVATE-TOKEN': token, Accept: 'application/json' } },
    (status) => {
      if (status !== 401 && status !== 403 && status !== 404) return undefined;
      return 'Check that GITLAB_TOKEN has the scope api and at least the role Developer in this project.';
    },
  );
  const notes = () => {
    if (/^\d{1,12}$/.test(number)) return `projects/${target}/merge_requests/${number}/notes`;
    throw new UploadError('This is no job of a merge request.', {
      hint: 'Run it in merge request pipelines, or set --pull-request NUMBER.',
    });
  };
  return {
    noun: 'merge request',
    commit: commit ?? null,
    async listOwn(marker) {
      const own = [];
      const me = asRecord(await api.call('user')).id;
      for await (const item of api.list(notes())) {
        const { id, body, author } = asRecord(item);
        if (typeof body === 'string' && body.startsWith(marker) && asRecord(author).id === me)
          own.push({ id: String(id), body });
      }
      return own.sort((one, other) => Number(one.id) - Number(other.id));
    },
    create: async (body) => void (await api.call(notes(), { method: 'POST', body: { body } })),
    edit: async (id, body) =>
      void (await api.call(`${notes()}/${id}`, { method: 'PUT', body: { body }, accepted: [404] })),
    remove: async (id) => void (await api.call(`${notes()}/${id}`, { method: 'DELETE', accepted: [404] })),
    async setStatus({ name, state, description, url }) {
      if (!commit) throw new UploadError('CI_COMMIT_SHA is not set.');
      const body = {
        state,
        name,
        description: description.slice(0, 255),
        ...(url ? { target_url: url } : {}),
      };
      // A status that is pending already cannot become pending.
      const accepted = state === 'pending' ? [400] : [];
      const path = `projects/${project}/statuses/${encodeURIComponent(commit)}`;
      await api.call(path, { method: 'POST', body, accepted });
    },
  };
}
