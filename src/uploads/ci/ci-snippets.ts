/**
 * Snippets for CI systems: two lines that fetch the uploader from this server and run it, in the syntax of the system. It reads
 * the branch, the commit and the address of the run from the variables of the system.
 */
import type { Platform } from '../../packages/package-info.ts';

export const ciSystems = [
  'github',
  'gitlab',
  'bitrise',
  'circleci',
  'bitbucket',
  'buildkite',
  'codemagic',
  'xcode',
  'azure',
  'jenkins',
  'fastlane',
  'gradle',
  'curl',
] as const;
export type CiSystem = (typeof ciSystems)[number];

/** Systems whose ID tokens say for certain who builds, so that nothing needs to be stored there. */
export const trustedSystems = [
  'github',
  'gitlab',
  'circleci',
  'bitbucket',
  'buildkite',
] as const satisfies readonly CiSystem[];
export type TrustedSystem = (typeof trustedSystems)[number];

export const isTrustedSystem = (system: CiSystem): system is TrustedSystem =>
  (trustedSystems as readonly CiSystem[]).includes(system);

/** The variable from which every snippet reads the API key. */
export const keyVariable = 'SLIPWAY_API_KEY';

export interface SnippetPlace {
  origin: string;
  owner: string;
  /** See `pageForSnippet`. */
  page: string;
  platform: Platform;
}

/** The page in a snippet if no other is known; the first upload creates it. */
const defaultPage = 'Beta';
/** Has the same meaning in shells, YAML, Ruby and Kotlin, and within quotation marks. */
const plainText = /^[\p{L}\p{N}][\p{L}\p{N} ._/-]*$/u;

/** Returns the first name that needs no quoting in any snippet. */
export const pageForSnippet = (names: readonly string[]): string =>
  names.find((name) => plainText.test(name)) ?? defaultPage;

/** `keyless`: with the ID token of the job instead of a stored key. */
export const ciSnippet = (system: CiSystem, place: SnippetPlace, keyless = false): string =>
  (keyless && keylessSnippets[system] ? keylessSnippets[system] : snippets[system])(place);

const usualFile = ({ platform }: SnippetPlace) =>
  platform === 'ios' ? 'build/App.ipa' : 'app/build/outputs/apk/release/app-release.apk';

const fetchLine = ({ origin }: SnippetPlace) => `curl -fsSO ${origin}/cli/slipway.mjs`;
const uploadArguments = (place: SnippetPlace, file: string) => [
  'slipway.mjs',
  'upload',
  file,
  '--server',
  place.origin,
  '--owner',
  place.owner,
  '--page',
  place.page,
];
/** `file`: a path, or a variable of the shell. */
const uploadLine = (place: SnippetPlace, file: string) =>
  `node ${uploadArguments(place, file)
    .map((text) => (/[^\w./:-]/.test(text) ? `"${text}"` : text))
    .join(' ')}`;

/** `lead`: the blanks, and the mark of a list, before each line. */
const lines = (place: SnippetPlace, lead: string, file = usualFile(place)) =>
  [fetchLine(place), uploadLine(place, file)].map((line) => lead + line).join('\n');

/** For systems whose job must ask for the ID token. The uploader gets that of the others. */
const keylessSnippets: Readonly<Partial<Record<CiSystem, (place: SnippetPlace) => string>>> = {
  github: (place) => `permissions:
  contents: read
  id-token: write
steps:
  - name: Upload to Slipway
    run: |
${lines(place, '      ')}`,
  gitlab: (place) => `upload:
  stage: deploy
  image: node:24
  id_tokens:
    SLIPWAY_ID_TOKEN:
      aud: ${place.origin}
  script:
${lines(place, '    - ')}`,
  bitbucket: (place) => `- step:
    name: Upload to Slipway
    image: node:24
    oidc:
      audiences:
        - ${place.origin}
    script:
${lines(place, '      - ')}`,
};

const snippets: Readonly<Record<CiSystem, (place: SnippetPlace) => string>> = {
  github: (place) => `- name: Upload to Slipway
  env:
    ${keyVariable}: \${{ secrets.${keyVariable} }}
  run: |
${lines(place, '    ')}`,
  gitlab: (place) => `upload:
  stage: deploy
  image: node:24
  script:
${lines(place, '    - ')}`,
  bitrise: (place) => `- script@1:
    title: Upload to Slipway
    inputs:
    - content: |
${lines(place, '        ', place.platform === 'ios' ? '$BITRISE_IPA_PATH' : '$BITRISE_APK_PATH')}`,
  circleci: (place) => `- run:
    name: Upload to Slipway
    command: |
${lines(place, '      ')}`,
  bitbucket: (place) => `- step:
    name: Upload to Slipway
    image: node:24
    script:
${lines(place, '      - ')}`,
  buildkite: (place) => `- label: Upload to Slipway
  commands:
${lines(place, '    - ')}`,
  codemagic: (place) => `publishing:
  scripts:
    - name: Upload to Slipway
      script: |
${lines(place, '        ')}`,
  xcode: (place) => `#!/bin/sh -e
# ci_scripts/ci_post_xcodebuild.sh
[ -n "$CI_AD_HOC_SIGNED_APP_PATH" ] || exit 0
command -v node >/dev/null || brew install node
${lines(place, '', '$(find "$CI_AD_HOC_SIGNED_APP_PATH" -name "*.ipa")')}`,
  azure: (place) => `- script: |
${lines(place, '    ')}
  displayName: Upload to Slipway
  env:
    ${keyVariable}: $(${keyVariable})`,
  jenkins: (place) => `stage('Upload to Slipway') {
    steps {
        withCredentials([string(credentialsId: 'slipway-api-key', variable: '${keyVariable}')]) {
            sh '''
${lines(place, '                ')}
            '''
        }
    }
}`,
  fastlane: (place) => `lane :upload_to_slipway do
  sh("curl", "-fsSO", "${place.origin}/cli/slipway.mjs")
  sh(${['node', ...uploadArguments(place, 'FILE')]
    .map((text) =>
      text === 'FILE'
        ? `lane_context[SharedValues::${place.platform === 'ios' ? 'IPA_OUTPUT_PATH' : 'GRADLE_APK_OUTPUT_PATH'}]`
        : `"${text}"`,
    )
    .join(', ')})
end`,
  gradle: (place) => `tasks.register<Exec>("uploadToSlipway") {
    dependsOn("assembleRelease")
    commandLine("sh", "-ec", """
${lines(place, '        ', 'build/outputs/apk/release/app-release.apk')}
    """)
}`,
  // Text is sent with `--form-string`, because with `-F`, curl reads a file if a value begins with `@` or `<`.
  curl: (place) =>
    [
      `curl --fail-with-body ${place.origin}/api/users/${encodeURIComponent(place.owner)}/apps \\`,
      `  -H "Authorization: Bearer $${keyVariable}" \\`,
      `  -F file=@${usualFile(place)} \\`,
      '  --form-string "message=First build" \\',
      `  --form-string "distribution_name=${place.page}"`,
    ].join('\n'),
};
