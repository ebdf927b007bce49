/** `slipway upload`: from arguments to exit code. */
import { randomBytes } from 'node:crypto';
import { type BuildField, buildFieldList, buildFields } from '../../apps/build-fields.ts';
import { formatBytes } from '../../core/byte-size.ts';
import { anyPackageExtension } from '../../packages/package-extensions.ts';
import { terminalQr } from '../terminal-qr.ts';
import { draw, formatSeconds, printable, wantsColor, writeJson, writeLines } from '../terminal-text.ts';
import { readCiFacts } from './upload-ci-facts.ts';
import type { UploadDisplay } from './upload-display.ts';
import { startDisplay } from './upload-display.ts';
import { UploadError, UsageError } from './upload-error.ts';
import type { UploadRequest, UploadResponse } from './upload-file.ts';
import { defaultTimeouts, uploadFile } from './upload-file.ts';
import { buildForm } from './upload-form.ts';
import type { UploadIo } from './upload-io.ts';
import type { UploadOptions } from './upload-options.ts';
import { optionOf, readApiKey, readUploadOptions } from './upload-options.ts';
import type { UploadedApp } from './upload-response.ts';
import { RefusedError, readUploadResponse } from './upload-response.ts';
import { uploadWithRetries } from './upload-retry.ts';
import type { UploadSource } from './upload-source.ts';
import { openSource } from './upload-source.ts';

/** `argv` excludes the command's name. Resolves to the exit code: 0 uploaded, 1 not uploaded, 2 usage error. */
export async function runUpload(argv: readonly string[], io: UploadIo): Promise<number> {
  try {
    const call = readUploadOptions(argv, io.env);
    if (call.kind === 'upload') return await run(call.options, io);
    draw(io.stdout, call.kind === 'help' ? uploadHelp(io.command) : `${io.version}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    writeLines(io.stderr, printable(error.message), `Try ${io.command} --help`);
    return 2;
  }
}

async function run(options: UploadOptions, io: UploadIo): Promise<number> {
  const apiKey = options.apiKey ?? readApiKey(await io.readStdin());
  try {
    const uploaded = await upload(options, apiKey, io);
    announce(uploaded, options, io);
    return 0;
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    printError(error, options, io);
    return 1;
  }
}

async function upload(options: UploadOptions, apiKey: string, io: UploadIo): Promise<UploadedApp> {
  const sources: UploadSource[] = [];
  try {
    sources.push(await openSource(options.file));
    if (options.iosSimulatorZip) sources.push(await openSource(options.iosSimulatorZip));
    return await send(requestFor(options, apiKey, sources, io.version), options, sources, io);
  } finally {
    await Promise.all(sources.map((source) => source.close()));
  }
}

function requestFor(
  options: UploadOptions,
  apiKey: string,
  [file, simulator]: UploadSource[],
  version: string,
): UploadRequest {
  const files = [
    ...(simulator ? [{ name: 'ios_simulator_zip', source: simulator }] : []),
    ...(file ? [{ name: 'file', source: file }] : []),
  ];
  return {
    url: new URL(`api/users/${encodeURIComponent(options.owner)}/apps`, options.baseUrl),
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Idempotency-Key': options.idempotencyKey,
      'User-Agent': `slipway-upload/${version}`,
    },
    form: buildForm(options.fields, files, `slipway-${randomBytes(24).toString('hex')}`),
    timeouts: { ...defaultTimeouts, idleMs: options.idleTimeoutMs },
  };
}

async function send(
  request: UploadRequest,
  options: UploadOptions,
  sources: readonly UploadSource[],
  io: UploadIo,
): Promise<UploadedApp> {
  const startedAt = io.now();
  const display = startDisplay(io, options.quiet);
  if (!options.quiet) display.note(startMessage(options, sources));
  const answer = await attempts(request, options, display, io).finally(display.end);
  const uploaded = readUploadResponse(answer, options.baseUrl);
  if (!options.quiet) {
    display.note(`Uploaded ${uploaded.summary} in ${formatSeconds((io.now() - startedAt) / 1000)}.`);
  }
  return uploaded;
}

function startMessage(options: UploadOptions, sources: readonly UploadSource[]): string {
  const files = sources.map(
    ({ fileName, sizeBytes }) => `${printable(fileName)} (${formatBytes(sizeBytes)})`,
  );
  return `Uploading ${files.join(' and ')} to ${printable(options.owner)} at ${options.baseUrl.origin}`;
}

function attempts(
  request: UploadRequest,
  options: UploadOptions,
  display: UploadDisplay,
  io: UploadIo,
): Promise<UploadResponse> {
  return uploadWithRetries(() => uploadFile(request, display.progress), {
    retries: options.retries,
    pause: io.pause,
    onRetry: ({ reason, pauseMs, number }) => {
      const order = `${number} of ${options.retries}`;
      display.note(`${reason} Trying again in ${formatSeconds(pauseMs / 1000)} (${order}) …`);
    },
  });
}

function announce(uploaded: UploadedApp, options: UploadOptions, io: UploadIo): void {
  for (const warning of uploaded.warnings) writeLines(io.stderr, `Warning: ${warning}`);
  if (options.json) {
    writeJson(io.stdout, uploaded.json);
    return;
  }
  if (!uploaded.pageUrl) return;
  writeLines(io.stdout, uploaded.pageUrl);
  if (options.qr ?? io.isTerminal) showQr(uploaded.pageUrl, options, io);
}

function showQr(pageUrl: string, options: UploadOptions, io: UploadIo): void {
  const columns = io.isTerminal ? io.columns() : Number.POSITIVE_INFINITY;
  const lines = terminalQr(pageUrl, { columns, color: wantsColor(io.env, io.isTerminal) });
  if (lines) draw(io.stderr, `\n${lines.join('\n')}\n`);
  else if (options.qr) writeLines(io.stderr, 'The QR code does not fit on this terminal.');
  if (/^(localhost|127\..*|\[::1\])$/.test(new URL(pageUrl).hostname)) {
    writeLines(io.stderr, '', 'This address works only on this machine, not on a phone.');
  }
}

/** With `--json`, prints a failure as one object: the server's answer, or an object of the same shape. */
function printError(failure: UploadError, options: UploadOptions, io: UploadIo): void {
  writeLines(io.stderr, `Not uploaded: ${printable(failure.message)}`);
  if (failure.hint) writeLines(io.stderr, `  ${printable(failure.hint)}`);
  if (!options.json) return;
  const served = failure instanceof RefusedError ? failure.json : null;
  writeJson(io.stdout, served ?? { error: true, message: failure.message, because: failure.message });
}

/** Fields that continuous integration services do not set. */
const statedFields = buildFieldList.filter((field) => !(field in readCiFacts({})));

function describeField(field: BuildField): string {
  const { kind, description } = buildFields[field];
  const option = `--${optionOf(field)} ${kind === 'url' ? 'URL' : 'TEXT'}`;
  return `  ${option.padEnd(26)} ${description.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, '')}`;
}

/** `command` is the name of the program, such as `slipway upload`. */
export function uploadHelp(command: string): string {
  return `Upload an app to a Slipway server.

Usage: ${command} FILE --owner OWNER [options]

  FILE                       the ${anyPackageExtension}
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
${statedFields.map(describeField).join('\n')}

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
