/** Snippets that upload a build from CI systems, with the address of this server and the owner filled in. */

export const ciSystems = ['curl', 'github', 'gitlab', 'bitrise', 'fastlane', 'gradle', 'jenkins'] as const;
export type CiSystem = (typeof ciSystems)[number];

/** The variable from which every snippet reads the API key. */
export const keyVariable = 'SLIPWAY_API_KEY';

interface ShellUpload {
  page: string;
  file: string;
  message: string;
  branch: string;
  commit: string;
  buildUrl: string;
}

/** The page in a snippet if no other is known; the first upload creates it. */
const defaultPage = 'Beta';
/** Has the same meaning in shells, YAML, Ruby and Kotlin, and within quotation marks. */
const plainText = /^[\p{L}\p{N}][\p{L}\p{N} ._/-]*$/u;

/** Returns the first name that needs no quoting in any snippet. */
export const pageForSnippet = (names: readonly string[]): string =>
  names.find((name) => plainText.test(name)) ?? defaultPage;

/** `address`: absolute address to upload to. `page`: see `pageForSnippet`. */
export function ciSnippet(system: CiSystem, address: string, page: string): string {
  return snippets[system](address, page);
}

const androidFile = 'app/build/outputs/apk/release/app-release.apk';
const gitSubject = '$(git log -1 --pretty=%s)';

const snippets: Readonly<Record<CiSystem, (address: string, page: string) => string>> = {
  curl: (address, page) =>
    [
      `curl --fail-with-body ${address} \\`,
      `  -H "Authorization: Bearer $${keyVariable}" \\`,
      '  -F file=@app-release.apk \\',
      '  --form-string "message=First build" \\',
      `  --form-string "distribution_name=${page}"`,
    ].join('\n'),
  github: (address, page) =>
    `- name: Upload to Slipway
  env:
    ${keyVariable}: \${{ secrets.${keyVariable} }}
  run: |
${indent(
  shellUpload(address, {
    page,
    file: androidFile,
    message: gitSubject,
    branch: '$GITHUB_REF_NAME',
    commit: '$GITHUB_SHA',
    buildUrl: '$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID',
  }),
  4,
)}`,
  gitlab: (address, page) =>
    `upload:
  stage: deploy
  script:
    - |
${indent(
  shellUpload(address, {
    page,
    file: androidFile,
    message: '$CI_COMMIT_TITLE',
    branch: '$CI_COMMIT_REF_NAME',
    commit: '$CI_COMMIT_SHA',
    buildUrl: '$CI_JOB_URL',
  }),
  6,
)}`,
  bitrise: (address, page) =>
    `- script@1:
    title: Upload to Slipway
    inputs:
    - content: |
${indent(
  shellUpload(address, {
    page,
    file: '$BITRISE_APK_PATH',
    message: '$BITRISE_GIT_MESSAGE',
    branch: '$BITRISE_GIT_BRANCH',
    commit: '$BITRISE_GIT_COMMIT',
    buildUrl: '$BITRISE_BUILD_URL',
  }),
  8,
)}`,
  fastlane: (address, page) =>
    `lane :upload_to_slipway do
  sh("curl", "--fail-with-body", "${address}",
    "-H", "Authorization: Bearer #{ENV["${keyVariable}"]}",
    "-F", "file=@#{lane_context[SharedValues::GRADLE_APK_OUTPUT_PATH]}",
    "--form-string", "message=#{last_git_commit[:message]}",
    "--form-string", "commit=#{last_git_commit[:commit_hash]}",
    "--form-string", "distribution_name=${page}",
    log: false)
end`,
  gradle: (address, page) =>
    `tasks.register<Exec>("uploadToSlipway") {
    dependsOn("assembleRelease")
    commandLine(
        "curl", "--fail-with-body", "${address}",
        "-H", "Authorization: Bearer \${System.getenv("${keyVariable}")}",
        "-F", "file=@\${layout.buildDirectory.file("outputs/apk/release/app-release.apk").get()}",
        "--form-string", "message=Uploaded by Gradle",
        "--form-string", "distribution_name=${page}",
    )
}`,
  jenkins: (address, page) =>
    `stage('Upload to Slipway') {
    steps {
        withCredentials([string(credentialsId: 'slipway-api-key', variable: '${keyVariable}')]) {
            sh '''
${indent(
  shellUpload(address, {
    page,
    file: androidFile,
    message: gitSubject,
    branch: '$BRANCH_NAME',
    commit: '$GIT_COMMIT',
    buildUrl: '$BUILD_URL',
  }),
  16,
)}
            '''
        }
    }
}`,
};

/** Text is sent with `--form-string`, because with `-F`, curl reads a file if a value begins with `@` or `<`. */
function shellUpload(
  address: string,
  { page, file, message, branch, commit, buildUrl }: ShellUpload,
): string {
  return [
    `curl --fail-with-body ${address} \\`,
    `  -H "Authorization: Bearer $${keyVariable}" \\`,
    `  -F "file=@${file}" \\`,
    `  --form-string "message=${message}" \\`,
    `  --form-string "branch=${branch}" \\`,
    `  --form-string "commit=${commit}" \\`,
    `  --form-string "build_url=${buildUrl}" \\`,
    `  --form-string "distribution_name=${page}"`,
  ].join('\n');
}

function indent(text: string, spaces: number): string {
  return text
    .split('\n')
    .map((line) => ' '.repeat(spaces) + line)
    .join('\n');
}
