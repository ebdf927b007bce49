/** What Slipway knows of each CI: its issuer, the claims that identify a repository, their ids, and where a build comes from. */
import type { BuildSource, TrustedProvider } from '../../owners/build-source.ts';

/** A value of a claim as text; null if the token has none, or a list or an object. */
export type ClaimReader = (claim: string) => string | null;

export interface Provider {
  /** Null: the issuer must be entered. */
  defaultIssuer: string | null;
  acceptsIssuer(issuer: URL): boolean;
  /** Every claim of at least one group needs a rule. */
  identity: readonly (readonly string[])[];
  /** The ids of a repository and of its owner, pinned at the first exchange. */
  ids: { repository: readonly string[]; owner: readonly string[] };
  sourceOf(claim: ClaimReader, issuer: URL): Omit<BuildSource, 'provider'>;
}

const unknown = {
  repository: null,
  commit: null,
  ref: null,
  workflow: null,
  run_id: null,
  run_url: null,
  actor: null,
};
const isOneOf =
  (...hosts: string[]) =>
  ({ href, pathname, origin }: URL) =>
    hosts.includes(pathname === '/' ? origin : href);
const joined = (separator: string, ...parts: (string | null)[]) =>
  parts.every((part) => part !== null) ? parts.join(separator) : null;

const githubIssuer = 'https://token.actions.githubusercontent.com';
const circle = (claim: string) => `oidc.circleci.com/${claim}`;

export const providers: Readonly<Record<TrustedProvider, Provider>> = {
  github: {
    defaultIssuer: githubIssuer,
    acceptsIssuer: ({ origin, pathname }) =>
      origin === githubIssuer ? /^\/[\w-]*$/.test(pathname) : pathname === '/_services/token',
    identity: [['repository'], ['repository_id']],
    ids: { repository: ['repository_id'], owner: ['repository_owner_id'] },
    sourceOf: (claim, { origin }) => {
      const [repository, run] = [claim('repository'), claim('run_id')];
      const file = claim('workflow_ref')?.slice(`${repository}/`.length).split('@')[0];
      const server = origin === githubIssuer ? 'https://github.com' : origin;
      return {
        repository,
        commit: claim('sha'),
        // The ref of a pull request is a merge that nobody pushed. `pull_request_target` runs the base, and also has a `head_ref`.
        ref:
          (/^refs\/pull\//.test(claim('ref') ?? '') ? joined('', 'refs/heads/', claim('head_ref')) : null) ??
          claim('ref'),
        workflow: file || claim('workflow'),
        run_id: run,
        run_url: joined('/', server, repository, 'actions/runs', run),
        actor: claim('actor'),
      };
    },
  },
  gitlab: {
    defaultIssuer: 'https://gitlab.com',
    acceptsIssuer: () => true,
    identity: [['project_path'], ['project_id']],
    ids: { repository: ['project_id', 'namespace_id'], owner: [] },
    sourceOf: (claim, { href }) => {
      const [repository, run] = [claim('project_path'), claim('pipeline_id')];
      return {
        repository,
        commit: claim('sha'),
        // For a merge request, `ref` is its source branch.
        ref: /^refs\/(heads|tags)\//.test(claim('ref_path') ?? '') ? claim('ref_path') : claim('ref'),
        workflow: claim('ci_config_ref_uri'),
        run_id: run,
        run_url: joined('/', href.replace(/\/$/, ''), repository, '-/pipelines', run),
        actor: claim('user_login'),
      };
    },
  },
  circleci: {
    defaultIssuer: null,
    acceptsIssuer: ({ href }) => /^https:\/\/oidc\.circleci\.com\/org\/[\w-]+$/.test(href),
    identity: [[circle('project-id')]],
    ids: { repository: [circle('project-id')], owner: [] },
    sourceOf: (claim) => ({
      ...unknown,
      repository: claim(circle('vcs-origin')),
      ref: claim(circle('vcs-ref')),
      run_id: claim(circle('workflow-id')),
      actor: claim(circle('user-id')),
    }),
  },
  bitbucket: {
    defaultIssuer: null,
    acceptsIssuer: ({ href }) =>
      /^https:\/\/api\.bitbucket\.org\/2\.0\/workspaces\/[\w.-]+\/pipelines-config\/identity\/oidc$/.test(
        href,
      ),
    identity: [['repositoryUuid']],
    ids: { repository: ['repositoryUuid', 'workspaceUuid'], owner: [] },
    sourceOf: (claim) => ({
      ...unknown,
      repository: claim('repositoryUuid'),
      ref: claim('branchName'),
      run_id: claim('pipelineUuid'),
    }),
  },
  buildkite: {
    defaultIssuer: 'https://agent.buildkite.com',
    acceptsIssuer: isOneOf('https://agent.buildkite.com'),
    identity: [['organization_slug', 'pipeline_slug']],
    ids: { repository: ['pipeline_id', 'organization_id'], owner: [] },
    sourceOf: (claim) => {
      const repository = joined('/', claim('organization_slug'), claim('pipeline_slug'));
      const run = claim('build_number');
      return {
        ...unknown,
        repository,
        commit: claim('build_commit'),
        ref: claim('build_branch'),
        workflow: claim('step_key'),
        run_id: run,
        run_url: joined('/', 'https://buildkite.com', repository, 'builds', run),
      };
    },
  },
  bitrise: {
    defaultIssuer: 'https://token.builds.bitrise.io',
    acceptsIssuer: isOneOf('https://token.builds.bitrise.io'),
    identity: [['repository_owner', 'repository_slug'], ['repository_url']],
    ids: { repository: [], owner: [] },
    sourceOf: (claim) => ({
      ...unknown,
      repository: joined('/', claim('repository_owner'), claim('repository_slug')) ?? claim('repository_url'),
    }),
  },
  other: {
    defaultIssuer: null,
    // A known CI has its own rules, which this choice must not avoid.
    acceptsIssuer: (issuer) =>
      !(['github', 'circleci', 'bitbucket', 'buildkite', 'bitrise'] as const).some((name) =>
        providers[name].acceptsIssuer(issuer),
      ) && issuer.href !== 'https://gitlab.com/',
    identity: [['sub']],
    ids: { repository: [], owner: [] },
    sourceOf: (claim) => ({ ...unknown, repository: claim('sub') }),
  },
};
