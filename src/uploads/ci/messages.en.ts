/** Texts of the page that explains uploads from CI. */
export const en = {
  title: 'Upload from CI',
  line: 'Every pipeline that builds an app can upload it to {owner}. The app, its version and its signature are read from the package.',
  systemsLabel: 'CI system',
  systems: {
    github: 'GitHub Actions',
    gitlab: 'GitLab',
    bitrise: 'Bitrise',
    circleci: 'CircleCI',
    bitbucket: 'Bitbucket',
    buildkite: 'Buildkite',
    codemagic: 'Codemagic',
    xcode: 'Xcode Cloud',
    azure: 'Azure Pipelines',
    jenkins: 'Jenkins',
    fastlane: 'fastlane',
    gradle: 'Gradle',
    curl: 'curl',
  },

  trustTitle: 'Trust the repository',
  trustLine:
    'Its pipelines then upload to {owner} without a stored key: the ID token of each job is exchanged for a key of 15 minutes.',
  trustLineOfApp:
    'Its pipelines then upload {app} without a stored key: the ID token of each job is exchanged for a key of 15 minutes.',
  trusted: 'Trusted already',
  /** How each system names what the page asks for, and where people find it. */
  trustFields: {
    github: {
      repository: {
        label: 'Repository',
        hint: 'Its path, or its address if it is on GitHub Enterprise Server. An administrator adds a server in your own network to SLIPWAY_HOOK_NETWORKS.',
      },
    },
    gitlab: {
      repository: {
        label: 'Project',
        hint: 'Its path, or its address if it is on your own GitLab. An administrator adds a server in your own network to SLIPWAY_HOOK_NETWORKS.',
      },
    },
    buildkite: {
      repository: { label: 'Pipeline', hint: 'The organization and the pipeline, or the address.' },
    },
    circleci: {
      organization: { label: 'Organization ID', hint: 'In CircleCI: Organization Settings → Overview.' },
      project: { label: 'Project ID', hint: 'In CircleCI: Project Settings → Overview.' },
    },
    bitbucket: {
      workspace: { label: 'Workspace', hint: 'The first part of the address: bitbucket.org/WORKSPACE/…' },
      repository: { label: 'Repository UUID', hint: 'In Bitbucket: Repository settings → OpenID Connect.' },
    },
  },
  wholePath: 'Enter the whole path, such as acme/tide, or the address.',
  repositoryExample: 'acme/tide',
  trust: 'Trust repository',
  askOwner: 'Ask an owner to trust the repository, or use an API key.',
  useKey: 'Use an API key instead',
  allPublishers: 'Limit or remove trusted publishers',
  useToken: 'Upload without a stored key',
  noAddress:
    'ID tokens could replace the key: an administrator sets SLIPWAY_URL to the address of this server.',
  /** Why these systems need a stored key. */
  keyBecause: {
    bitrise:
      'Its ID tokens name the repository, which anyone on Bitrise can build if it is public. To use them, add a trusted publisher with a rule for your app in the settings.',
    codemagic: 'Codemagic issues no ID tokens for other services.',
    xcode: 'Xcode Cloud issues no ID tokens.',
    azure: 'Azure Pipelines issues ID tokens for service connections only.',
    jenkins:
      'Jenkins issues ID tokens only with a plugin. To use them, add it as another issuer to the trusted publishers in the settings.',
    fastlane:
      'In a CI system that can do without a stored key, leave it out: the uploader uses the ID token of the job.',
    gradle:
      'In a CI system that can do without a stored key, leave it out: the uploader uses the ID token of the job.',
    curl: 'Only the uploader exchanges ID tokens.',
  },
  keyTitle: 'Create a key',
  keyOfOwner: 'It can upload to {owner} and nothing else.',
  keyOfApp: 'It can upload to {app} and nothing else.',
  /** The place where each system stores the key. */
  secretOf: {
    github: 'Store it as a repository secret named SLIPWAY_API_KEY.',
    gitlab: 'Store it as a masked CI/CD variable named SLIPWAY_API_KEY.',
    bitrise: 'Store it as a secret of the app named SLIPWAY_API_KEY.',
    circleci: 'Store it as an environment variable of the project, or of a context, named SLIPWAY_API_KEY.',
    bitbucket: 'Store it as a secured repository variable named SLIPWAY_API_KEY.',
    buildkite:
      'Set it as the environment variable SLIPWAY_API_KEY of the step, from the secrets of the agent.',
    codemagic: 'Store it as a secret variable named SLIPWAY_API_KEY, in a group that the workflow uses.',
    xcode: 'Store it as a secret environment variable of the workflow named SLIPWAY_API_KEY.',
    azure: 'Store it as a secret variable of the pipeline named SLIPWAY_API_KEY.',
    jenkins: 'Store it as a “Secret text” credential with the ID slipway-api-key.',
    fastlane: 'Set the environment variable SLIPWAY_API_KEY where fastlane runs.',
    gradle: 'Set the environment variable SLIPWAY_API_KEY where Gradle runs.',
    curl: 'Set the environment variable SLIPWAY_API_KEY.',
  },
  createKey: 'Create key',
  keyName: 'CI of {owner}',
  keyCreated: 'Key created',
  keyLine:
    'It can upload to this owner and nothing else, for 90 days. You get an email before it expires. Copy it now: Slipway does not show it again.',
  keyLineOfApp:
    'It can upload to this app and nothing else, for 90 days. You get an email before it expires. Copy it now: Slipway does not show it again.',

  snippetTitle: 'Paste into your pipeline',
  placeOf: {
    github:
      'In the job that builds, in a workflow in .github/workflows: the permissions, and a step after the build.',
    gitlab: 'A job in .gitlab-ci.yml, after the job that keeps the package as an artifact.',
    bitrise: 'A step after the build, in bitrise.yml.',
    circleci: 'A step after the build, in .circleci/config.yml.',
    bitbucket: 'A step in bitbucket-pipelines.yml, after the step that keeps the package as an artifact.',
    buildkite: 'A step in pipeline.yml that has the package, such as after the commands that build it.',
    codemagic: 'In the workflow, in codemagic.yaml.',
    xcode: 'A script next to the Xcode project that runs after each action. Make it executable.',
    azure: 'A step after the build, in azure-pipelines.yml.',
    jenkins: 'A stage after the build, in the Jenkinsfile.',
    fastlane: 'A lane in the Fastfile. Call it after the lane that builds the app.',
    gradle: 'A task in app/build.gradle.kts.',
    curl: 'A command for every shell and system.',
  },
  snippetLabel: 'Snippet for {system}',
  ios: 'For iOS, use the path of your .ipa file. Everything else stays the same.',
  publish:
    'Every upload is published on the page {page}, which is created if it does not exist. Name the branch to get a page for each, or no page to publish manually.',
  node: 'The uploader comes from this server. It needs Node.js 20 or newer.',
  digest: 'Its SHA-256 is <code>{digest}</code> until the server is updated.',

  uploadTitle: 'Upload the first build',
  waiting: 'Waiting for the first upload',
  waitingNext: 'Waiting for the next upload',
  waitingLine: 'Run the pipeline. This page shows the build as soon as it arrives.',
  lastLine: 'The last upload was <link>{build}</link>, <time></time>.',
  checkAgain: 'Check again',
  received: 'It works',
  receivedLine: '<link>{build}</link> was uploaded <time></time>.',
  more: 'All fields and tools that work without changes',
} as const;
