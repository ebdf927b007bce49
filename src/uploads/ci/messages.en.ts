/** Texts of the page that explains uploads from CI. */
export const en = {
  title: 'Upload from CI',
  line: 'Every upload to {owner} is one HTTP request. The app, its version and its signature are read from the package.',
  systemsLabel: 'CI system',
  systems: {
    curl: 'curl',
    github: 'GitHub Actions',
    gitlab: 'GitLab',
    bitrise: 'Bitrise',
    fastlane: 'fastlane',
    gradle: 'Gradle',
    jenkins: 'Jenkins',
  },
  /** The place where each system stores the key. */
  secretOf: {
    curl: 'Set the environment variable SLIPWAY_API_KEY to your API key.',
    github: 'Add a repository secret named SLIPWAY_API_KEY.',
    gitlab: 'Add a masked CI/CD variable named SLIPWAY_API_KEY.',
    bitrise: 'Add a secret named SLIPWAY_API_KEY to the workflow.',
    fastlane: 'Set the environment variable SLIPWAY_API_KEY where fastlane runs.',
    gradle: 'Set the environment variable SLIPWAY_API_KEY where Gradle runs.',
    jenkins: 'Add a “Secret text” credential with the ID slipway-api-key.',
  },
  snippetLabel: 'Snippet for {system}',
  createKey: 'Create key',
  keyName: 'CI of {owner}',
  keyCreated: 'Key created',
  keyLine:
    'It can upload to this owner and nothing else, for 90 days. You get an email before it expires. Copy it now: Slipway does not show it again.',
  keyLineOfApp:
    'It can upload to this app and nothing else, for 90 days. You get an email before it expires. Copy it now: Slipway does not show it again.',
  keyOfApp: 'A key that you create here can upload to {app} only.',
  iosTitle: 'iOS',
  ios: 'Use the path of your .ipa file instead of the .apk file. Everything else stays the same.',
  publishTitle: 'Publish right away',
  publish:
    'distribution_name publishes every upload on the page {page}. Slipway creates the page if it does not exist. Leave it out to publish manually.',
  more: 'All fields and tools that work without changes',
} as const;
