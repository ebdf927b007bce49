/** `command` is how the program is called, such as `slipway upload`. */
export function uploadHelp(command: string): string {
  return `Upload an app to a Slipway server.

Usage: ${command} FILE --owner OWNER [options]

  FILE                       the .ipa or .apk
  -o, --owner OWNER          the user or project that the app belongs to
  -u, --url URL              the server (SLIPWAY_URL, else http://127.0.0.1:8080)
  -m, --message TEXT         what this build is

Distribution page:
  --distribution-name NAME   update the page of this name, or make it; for example a branch's name
  --distribution-key KEY     update the page with this key, the end of its address; beats the name
  --release-note TEXT        shown on the page; without it, the message
  --disable-notify           iOS: no e-mail to testers
  --ios-simulator-zip FILE   iOS: a zip file with the simulator build's .app folder

Where the build comes from:
  --branch NAME, --commit ID, --build-url URL
                             when not given, read from GitHub Actions, GitLab, Bitrise, CircleCI,
                             Buildkite, Travis, Azure Pipelines, Xcode Cloud, Codemagic, Jenkins;
                             "" for none
  --label TEXT               anything else to find the build by

How to run:
  --json                     print the server's answer as one line of JSON instead of the address
  --qr, --no-qr              show the page's QR code, or don't (shown on a terminal)
  -q, --quiet                only warnings and errors
  --retries N                tries after the first when the connection breaks or the server
                             answers 429, 502, 503 or 504 (3)
  --timeout SECONDS          give up when nothing moves for so long (300)
  --idempotency-key KEY      uploads with the same key within a day are one (random for each run)
  --api-key-stdin            read the API key from standard input
  -h, --help, -V, --version

The API key comes from SLIPWAY_API_KEY. No option takes it: others can read a process's arguments.
The page's address is all that goes to standard output; the rest goes to standard error.
Ends with 0 when the app is uploaded, 1 when it is not, 2 when the command line is wrong.
`;
}
