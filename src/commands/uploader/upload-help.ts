/** `command` is the name of the program, such as `slipway upload`. */
export function uploadHelp(command: string): string {
  return `Upload an app to a Slipway server.

Usage: ${command} FILE --owner OWNER [options]

  FILE                       the .ipa or .apk
  -o, --owner OWNER          the user or project that the app belongs to
  -u, --url URL              the server (SLIPWAY_URL, else http://127.0.0.1:8080)
  -m, --message TEXT         what changed in this build

Distribution page:
  --distribution-name NAME   create or update the page with this name, for example a branch name
  --distribution-key KEY     update the page with this key (end of its address); overrides name
  --release-note TEXT        shown on the page (default: the message)
  --disable-notify           iOS: send no email to testers
  --ios-simulator-zip FILE   iOS: a zip file with the simulator build's .app folder

Build origin:
  --branch NAME, --commit ID, --build-url URL
                             default: read from GitHub Actions, GitLab, Bitrise, CircleCI,
                             Buildkite, Travis, Azure Pipelines, Xcode Cloud, Codemagic, Jenkins;
                             "" for none
  --label TEXT               a label to find the build by

Options:
  --json                     print the server's answer as one line of JSON instead of the address
  --qr, --no-qr              show or hide the page's QR code (default: shown on a terminal)
  -q, --quiet                only warnings and errors
  --retries N                retries when the connection breaks or the server answers 429, 502,
                             503 or 504 (default: 3)
  --timeout SECONDS          fail after this time without data (default: 300)
  --idempotency-key KEY      uploads with the same key within a day count once (default: random)
  --api-key-stdin            read the API key from standard input
  -h, --help, -V, --version

The API key comes from SLIPWAY_API_KEY. There is no option for it, because other users can read a
process's arguments. Standard output contains only the page's address; everything else goes to
standard error. Exits with 0 when the app was uploaded, 1 when it was not, 2 for a usage error.
`;
}
