/** The libraries of a build. */
export const en = {
  titleOf: 'Dependencies of #{revision}',
  waiting: 'Slipway is still analyzing this build',
  waitingLine: 'The dependencies appear here when it is done.',
  failed: 'Slipway could not analyze this build',
  declared:
    '{count, plural, one {# library} other {# libraries}}{direct, plural, =0 {} other {, # of them direct}}, as declared by the build.',
  declaredHelp:
    'The app bundle contains the list that the Android Gradle plugin wrote, with digests and the graph.',
  evidence: '{count, plural, one {# library} other {# libraries}} found in the package.',
  evidenceHelp:
    'This package does not declare its libraries. Slipway lists those that left a file in it; others may be missing.',
  none: 'No libraries found',
  noneLine:
    'This package does not declare its libraries, and no file in it names one. App bundles built with the Android Gradle plugin 4.0 or later declare them.',
  incomplete: 'Slipway could not read every list of libraries in this package, so some may be missing.',
  repeated: 'Included more than once',
  more: '{count, plural, one {and # more} other {and # more}}',
  sbom: 'Download SBOM',
  sbomHint: 'CycloneDX 1.6, JSON',
  find: 'Search libraries',
  findHint: 'Name or group',
  search: 'Search',
  foundCount: '{count, plural, one {# library} other {# libraries}}',
  noMatch: 'No library matches “{query}”',
  columns: { library: 'Library', version: 'Version', relation: 'Relation' },
  relation: { direct: 'Direct', transitive: 'Transitive', unknown: 'Unknown' },
  unknownVersion: 'Unknown',
  neededBy: 'Needed by {names}',
  neededByMore: 'Needed by {names} and {count, number} more',
  foundIn: 'Found in {path}',
  elsewhere: 'Builds with this library',
  shownFirst: 'The first {count, number} are shown. Search to find others.',
  compare: {
    title: 'Changes since #{revision}',
    field: 'Compare with build #',
    button: 'Compare',
    same: 'The libraries are the same.',
    notAnalyzed: 'Build #{revision} has not been analyzed, so its libraries are unknown.',
    missing: 'Build #{revision} does not exist.',
    differentSources:
      'The two builds list their libraries from different sources, so some differences may not be real.',
    added: 'Added',
    removed: 'Removed',
    changed: 'Changed version',
    downgrade: 'Downgrade',
    becomes: '{from} → {to}',
  },
  conflict: {
    waiting: 'This build has not been analyzed yet. Try again in a minute.',
    failed: 'Slipway could not analyze this build: {failure}',
  },
} as const;
