/** Reads the origin of a build from the environment variables of continuous integration services. */

type Env = Readonly<Record<string, string | undefined>>;

export interface CiFacts {
  branch: string | null;
  commit: string | null;
  buildUrl: string | null;
}

interface CiService {
  /** The variable that identifies the service. */
  mark: string;
  /** The first variable that is set is used. For a pull request, the source branch comes before the target branch. */
  branch: readonly string[];
  commit: readonly string[];
  buildUrl: readonly string[] | ((env: Env) => string | null);
}

/**
 * | service        | recognized by        | documented as                                  |
 * |----------------|----------------------|------------------------------------------------|
 * | GitHub Actions | GITHUB_ACTIONS       | "Default environment variables"                |
 * | GitLab CI      | GITLAB_CI            | "Predefined CI/CD variables"                   |
 * | Bitrise        | BITRISE_IO           | "Available environment variables"              |
 * | CircleCI       | CIRCLECI             | "Built-in environment variables"               |
 * | Buildkite      | BUILDKITE            | "Environment variables"                        |
 * | Travis CI      | TRAVIS               | "Default environment variables"                |
 * | Azure          | TF_BUILD             | "Predefined variables"                         |
 * | Xcode Cloud    | CI_XCODEBUILD_ACTION | "Environment variable reference"               |
 * | Codemagic      | CM_BUILD_ID          | "Built-in environment variables"; no build URL |
 * | Jenkins        | JENKINS_URL          | "Using environment variables", Git plugin      |
 */
const services: readonly CiService[] = [
  {
    mark: 'GITHUB_ACTIONS',
    branch: ['GITHUB_HEAD_REF', 'GITHUB_REF'],
    commit: ['GITHUB_SHA'],
    buildUrl: githubRunUrl,
  },
  {
    mark: 'GITLAB_CI',
    branch: ['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME', 'CI_COMMIT_BRANCH'],
    commit: ['CI_COMMIT_SHA'],
    buildUrl: ['CI_JOB_URL', 'CI_PIPELINE_URL'],
  },
  {
    mark: 'BITRISE_IO',
    branch: ['BITRISE_GIT_BRANCH'],
    commit: ['BITRISE_GIT_COMMIT', 'GIT_CLONE_COMMIT_HASH'],
    buildUrl: ['BITRISE_BUILD_URL'],
  },
  { mark: 'CIRCLECI', branch: ['CIRCLE_BRANCH'], commit: ['CIRCLE_SHA1'], buildUrl: ['CIRCLE_BUILD_URL'] },
  {
    mark: 'BUILDKITE',
    branch: ['BUILDKITE_BRANCH'],
    commit: ['BUILDKITE_COMMIT'],
    buildUrl: ['BUILDKITE_BUILD_URL'],
  },
  {
    mark: 'TRAVIS',
    branch: ['TRAVIS_PULL_REQUEST_BRANCH', 'TRAVIS_BRANCH'],
    commit: ['TRAVIS_PULL_REQUEST_SHA', 'TRAVIS_COMMIT'],
    buildUrl: ['TRAVIS_JOB_WEB_URL', 'TRAVIS_BUILD_WEB_URL'],
  },
  {
    mark: 'TF_BUILD',
    branch: ['SYSTEM_PULLREQUEST_SOURCEBRANCH', 'BUILD_SOURCEBRANCH'],
    commit: ['SYSTEM_PULLREQUEST_SOURCECOMMITID', 'BUILD_SOURCEVERSION'],
    buildUrl: azureRunUrl,
  },
  {
    mark: 'CI_XCODEBUILD_ACTION',
    branch: ['CI_PULL_REQUEST_SOURCE_BRANCH', 'CI_BRANCH'],
    commit: ['CI_PULL_REQUEST_SOURCE_COMMIT', 'CI_COMMIT'],
    buildUrl: ['CI_BUILD_URL'],
  },
  { mark: 'CM_BUILD_ID', branch: ['CM_BRANCH'], commit: ['CM_COMMIT'], buildUrl: [] },
  {
    mark: 'JENKINS_URL',
    branch: ['CHANGE_BRANCH', 'BRANCH_NAME', 'GIT_LOCAL_BRANCH', 'GIT_BRANCH'],
    commit: ['GIT_COMMIT'],
    buildUrl: ['BUILD_URL'],
  },
];

/** Returns nulls if no known service is detected. A tag is not a branch. */
export function readCiFacts(env: Env): CiFacts {
  const service = services.find(({ mark }) => env[mark]);
  if (!service) return { branch: null, commit: null, buildUrl: null };
  const buildUrl =
    typeof service.buildUrl === 'function' ? service.buildUrl(env) : first(env, service.buildUrl);
  return {
    branch: branchName(first(env, service.branch)),
    commit: commitId(first(env, service.commit)),
    buildUrl,
  };
}

function first(env: Env, names: readonly string[]): string | null {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value) return value;
  }
  return null;
}

/** Some services set a full reference (`refs/heads/main`); Jenkins' Git plugin includes the remote (`origin/main`). */
function branchName(reference: string | null): string | null {
  if (!reference) return null;
  if (reference.startsWith('refs/heads/')) return reference.slice('refs/heads/'.length);
  if (reference.startsWith('refs/')) return null;
  return reference.startsWith('origin/') ? reference.slice('origin/'.length) : reference;
}

/** Buildkite sets `HEAD` for manually started builds before the checkout. */
function commitId(commit: string | null): string | null {
  return commit === 'HEAD' ? null : commit;
}

function githubRunUrl(env: Env): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : null;
}

function azureRunUrl(env: Env): string | null {
  const { SYSTEM_COLLECTIONURI: collection, SYSTEM_TEAMPROJECT: project, BUILD_BUILDID: build } = env;
  if (!collection || !project || !build) return null;
  return `${collection.replace(/(?<!\/)\/*$/, '/')}${encodeURIComponent(project)}/_build/results?buildId=${build}`;
}
