/** Snippets that upload a build from CI systems, with the address of this server and the owner filled in. */

export const ciSystems = ['curl', 'github', 'gitlab', 'bitrise', 'fastlane', 'gradle', 'jenkins'] as const;
export type CiSystem = (typeof ciSystems)[number];

/** The variable that every snippet reads the API key from. */
export const keyVariable = 'SLIPWAY_API_KEY';

interface ShellUpload {
  file: string;
  message: string;
  branch: string;
  commit: string;
  buildUrl: string;
}

/** Returns the snippet. `address`: absolute address that uploads are sent to. */
export function ciSnippet(system: CiSystem, address: string): string {
  return snippets[system](address);
}

const androidFile = 'app/build/outputs/apk/release/app-release.apk';
const gitSubject = '$(git log -1 --pretty=%s)';

const snippets: Readonly<Record<CiSystem, (address: string) => string>> = {
  curl: (address) =>
    [
      `curl --fail-with-body ${address} \\`,
      `  -H "Authorization: Bearer $${keyVariable}" \\`,
      '  -F file=@app-release.apk \\',
      '  --form-string "message=First build"',
    ].join('\n'),
  github: (address) =>
    `- name: Upload to Slipway
  env:
    ${keyVariable}: \${{ secrets.${keyVariable} }}
  run: |
${indent(
  shellUpload(address, {
    file: androidFile,
    message: gitSubject,
    branch: '$GITHUB_REF_NAME',
    commit: '$GITHUB_SHA',
    buildUrl: '$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID',
  }),
  4,
)}`,
  gitlab: (address) =>
    `upload:
  stage: deploy
  script:
    - |
${indent(
  shellUpload(address, {
    file: androidFile,
    message: '$CI_COMMIT_TITLE',
    branch: '$CI_COMMIT_REF_NAME',
    commit: '$CI_COMMIT_SHA',
    buildUrl: '$CI_JOB_URL',
  }),
  6,
)}`,
  bitrise: (address) =>
    `- script@1:
    title: Upload to Slipway
    inputs:
    - content: |
${indent(
  shellUpload(address, {
    file: '$BITRISE_APK_PATH',
    message: '$BITRISE_GIT_MESSAGE',
    branch: '$BITRISE_GIT_BRANCH',
    commit: '$BITRISE_GIT_COMMIT',
    buildUrl: '$BITRISE_BUILD_URL',
  }),
  8,
)}`,
  fastlane: (address) =>
    `lane :upload_to_slipway do
  sh("curl", "--fail-with-body", "${address}",
    "-H", "Authorization: Bearer #{ENV["${keyVariable}"]}",
    "-F", "file=@#{lane_context[SharedValues::GRADLE_APK_OUTPUT_PATH]}",
    "--form-string", "message=#{last_git_commit[:message]}",
    "--form-string", "commit=#{last_git_commit[:commit_hash]}",
    log: false)
end`,
  gradle: (address) =>
    `tasks.register<Exec>("uploadToSlipway") {
    dependsOn("assembleRelease")
    commandLine(
        "curl", "--fail-with-body", "${address}",
        "-H", "Authorization: Bearer \${System.getenv("${keyVariable}")}",
        "-F", "file=@\${layout.buildDirectory.file("outputs/apk/release/app-release.apk").get()}",
        "--form-string", "message=Uploaded by Gradle",
    )
}`,
  jenkins: (address) =>
    `stage('Upload to Slipway') {
    steps {
        withCredentials([string(credentialsId: 'slipway-api-key', variable: '${keyVariable}')]) {
            sh '''
${indent(
  shellUpload(address, {
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

/** Text goes through `--form-string`: with `-F`, curl reads a file where a value begins with `@` or `<`. */
function shellUpload(address: string, { file, message, branch, commit, buildUrl }: ShellUpload): string {
  return [
    `curl --fail-with-body ${address} \\`,
    `  -H "Authorization: Bearer $${keyVariable}" \\`,
    `  -F "file=@${file}" \\`,
    `  --form-string "message=${message}" \\`,
    `  --form-string "branch=${branch}" \\`,
    `  --form-string "commit=${commit}" \\`,
    `  --form-string "build_url=${buildUrl}"`,
  ].join('\n');
}

function indent(text: string, spaces: number): string {
  return text
    .split('\n')
    .map((line) => ' '.repeat(spaces) + line)
    .join('\n');
}
