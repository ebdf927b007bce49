/** `slipway upload`: from arguments to exit code. */

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { formatBytes } from '../../core/byte-size.ts';
import { reportPending, reviewUpload, summaryOf } from '../pull-request/review-upload.ts';
import { readCredentials } from '../remote/credentials-file.ts';
import { terminalQr } from '../terminal-qr.ts';
import { draw, formatSeconds, printable, wantsColor, writeJson, writeLines } from '../terminal-text.ts';
import { awaitChecks, type ChecksOutcome, findingLines } from './await-checks.ts';
import { type Credential, findCredential } from './credential.ts';
import { resumableFromBytes, tusMetadata, uploadChunkBytes, uploadResumably } from './resumable-upload.ts';
import type { UploadDisplay } from './upload-display.ts';
import { startDisplay } from './upload-display.ts';
import { InterruptedError, UploadError, UsageError } from './upload-error.ts';
import type { UploadProgress, UploadRequest, UploadResponse } from './upload-file.ts';
import { defaultTimeouts, uploadFile } from './upload-file.ts';
import { buildForm, type FormField } from './upload-form.ts';
import { describeInputs, earlierOptionNames, wrap } from './upload-inputs.ts';
import type { UploadIo } from './upload-io.ts';
import type { UploadOptions } from './upload-options.ts';
import { givenKey, readUploadOptions } from './upload-options.ts';
import { appendForGithub, failures, jsonWithOutputs, stepOutputs, writeOutputs } from './upload-outputs.ts';
import type { UploadedApp } from './upload-response.ts';
import { RefusedError, readUploadResponse } from './upload-response.ts';
import { uploadWithRetries } from './upload-retry.ts';
import type { UploadSource } from './upload-source.ts';
import { openSource } from './upload-source.ts';
import { uploadSymbols } from './upload-symbols.ts';

const defaultRetries = 3;
const failedCheck = 3;
const unknownChecks = 4;
/** As a shell reports SIGINT. */
const interruptedCode = 130;

/** `argv` excludes the command's name. Resolves to the exit code, which the help documents. */
export async function runUpload(argv: readonly string[], io: UploadIo): Promise<number> {
  try {
    const call = readUploadOptions(argv, io.env, await signedInServer(io));
    if (call.kind === 'upload') return await run(call.options, io);
    draw(io.stdout, call.kind === 'help' ? uploadHelp(io.command) : `${io.version}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    writeLines(io.stderr, printable(error.message), `Try ${io.command} --help`);
    return 2;
  }
}

async function signedInServer(io: UploadIo): Promise<string | null> {
  // A damaged file matters only if its key is needed, which then says so.
  const stored = await readCredentials({ environment: io.env }).catch(() => null);
  return stored?.current ?? null;
}

async function run(call: UploadOptions, io: UploadIo): Promise<number> {
  const options: UploadOptions =
    call.key.kind === 'stdin' ? { ...call, key: givenKey(await io.readStdin()) } : call;
  try {
    const credential = await findCredential(options, io);
    const uploaded = await upload(options, credential, io);
    return await report(uploaded, options, credential, io);
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    printError(error, options, io);
    return error instanceof InterruptedError ? interruptedCode : 1;
  }
}

interface Uploaded {
  uploaded: UploadedApp;
  /** A sentence for each symbol file that was not stored. */
  refusedSymbols: string[];
}

async function upload(options: UploadOptions, credential: Credential, io: UploadIo): Promise<Uploaded> {
  const sources: UploadSource[] = [];
  const symbols: UploadSource[] = [];
  try {
    sources.push(await openSource(options.file));
    if (options.iosSimulatorZip) sources.push(await openSource(options.iosSimulatorZip));
    for (const path of options.symbols) symbols.push(await openSource(path));
    const key = await credential.get();
    const complete = { ...options, fields: [...options.fields, ...(await attestationField(options))] };
    const request = requestFor(complete, key, sources, io.version);
    const uploaded = await send(request, complete, sources, credential, io);
    const refusedSymbols = await uploadSymbols(uploaded, options, {
      sources: symbols,
      credential,
      version: io.version,
      defaultRetries,
      pause: io.pause,
      note: (line) => options.quiet || writeLines(io.stderr, line),
    });
    return { uploaded, refusedSymbols };
  } finally {
    await Promise.all([...sources, ...symbols].map((source) => source.close()));
  }
}

async function attestationField({ attestation: path }: UploadOptions): Promise<FormField[]> {
  if (path === null) return [];
  try {
    return [{ name: 'attestation', value: await readFile(path, 'utf8') }];
  } catch (cause) {
    throw new UploadError(`Cannot read the attestation ${path}.`, { cause });
  }
}

/** The build is stored: problems from here on are warnings. */
async function report(
  { uploaded, refusedSymbols }: Uploaded,
  options: UploadOptions,
  credential: Credential,
  io: UploadIo,
): Promise<number> {
  announce(uploaded, options, io);
  const warn = (error: unknown) => {
    if (!(error instanceof UploadError)) throw error;
    writeLines(io.stderr, `Warning: ${printable(error.message)}`);
    if (error.hint) writeLines(io.stderr, `  ${printable(error.hint)}`);
  };
  await appendForGithub(io.env.GITHUB_OUTPUT, stepOutputs(uploaded)).catch(warn);
  await writeOutputs(io.env.SLIPWAY_OUTPUT, uploaded).catch(warn);
  const checks = await checksOf(uploaded, options, { credential, io, warn });
  const failed = failures(options.failOn, uploaded, checks?.findings ?? []);
  if (checks) printChecks(checks, failed, options, io);
  await appendForGithub(io.env.GITHUB_STEP_SUMMARY, summaryOf(uploaded, options, checks)).catch(warn);
  const isUnknown = checks?.findings === null && needsChecks(options);
  const reasons = isUnknown ? [...failed, checks.reason] : failed;
  await reviewUpload(uploaded, options, { checks, failed: reasons, warn, io });
  for (const sentence of reasons) writeLines(io.stderr, `--fail-on: ${sentence}`);
  for (const sentence of refusedSymbols) writeLines(io.stderr, `Symbols not uploaded: ${sentence}`);
  if (failed.length + refusedSymbols.length > 0) return failedCheck;
  return isUnknown ? unknownChecks : 0;
}

const needsChecks = ({ failOn }: UploadOptions) => failOn.some(({ name }) => name === 'checks');

/** Null if nothing reports them. */
async function checksOf(
  uploaded: UploadedApp,
  options: UploadOptions,
  { credential, io, warn }: { credential: Credential; io: UploadIo; warn: (error: unknown) => void },
): Promise<ChecksOutcome | null> {
  if (!needsChecks(options) && !options.comment && !options.status) return null;
  const onWait = async () => {
    if (!options.quiet) writeLines(io.stderr, 'Waiting for the checks of the build …');
    await reportPending(uploaded, options, { warn, io });
  };
  return awaitChecks(uploaded, options, { credential, io, onWait });
}

/** What fails is printed at the end instead. */
function printChecks(
  checks: ChecksOutcome,
  failed: readonly string[],
  options: UploadOptions,
  io: UploadIo,
): void {
  const { findings } = checks;
  if (findings) {
    const others = findings.filter(({ line }) => !failed.includes(line));
    const shown = options.quiet
      ? others.filter(({ state }) => state === 'failed' || state === 'warned')
      : others;
    for (const line of findingLines(shown)) writeLines(io.stderr, `Check: ${line}`);
  } else if (!needsChecks(options) && !checks.isUnsupported)
    writeLines(io.stderr, `Warning: The checks are not known. ${checks.reason}`);
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
  credential: Credential,
  io: UploadIo,
): Promise<UploadedApp> {
  const startedAt = io.now();
  const display = startDisplay(io, options.quiet);
  if (!options.quiet) display.note(startMessage(options, sources));
  const answer = await attempts(request, options, { sources, credential, display, io }).finally(display.end);
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

/** Sends the form; a large file, or one whose connection was cut, in chunks if the server can receive them. */
async function attempts(
  request: UploadRequest,
  options: UploadOptions,
  context: { sources: readonly UploadSource[]; credential: Credential; display: UploadDisplay; io: UploadIo },
): Promise<UploadResponse> {
  const { display, io, credential } = context;
  const [source, simulator] = context.sources;
  const metadata = source && !simulator ? tusMetadata(options.fields, options.owner, source.fileName) : null;
  const note = (reason: string, pauseMs: number, order: string) =>
    display.note(`${reason} Trying again in ${formatSeconds(pauseMs / 1000)} (${order}) …`);
  const stop = new AbortController();
  const inChunks = async () => {
    if (!source || metadata === null) return null;
    const { baseUrl, idempotencyKey, canContinueLater, retries } = options;
    const { timeouts, headers: all } = request;
    const { Authorization: _, 'Idempotency-Key': __, ...headers } = all;
    const own = {
      baseUrl,
      metadata,
      source,
      headers,
      idempotencyKey,
      canContinueLater,
      credential,
      retries,
      timeouts,
    };
    return uploadResumably({
      ...own,
      signal: stop.signal,
      onProgress: display.progress,
      onRetry: ({ reason, pauseMs, number, of }) => note(reason, pauseMs, `${number} of ${of}`),
    });
  };
  let wantsChunks = (source?.sizeBytes ?? 0) > resumableFromBytes;
  let isFinal = false;
  const attempt = async () => {
    const answer = wantsChunks ? await inChunks().finally(() => (isFinal = true)) : null;
    if (answer) return answer;
    isFinal = false;
    let last: UploadProgress | null = null;
    const onProgress = (progress: UploadProgress) => {
      last = progress;
      display.progress(progress);
    };
    return uploadFile({ ...request, signal: stop.signal }, onProgress).catch((error: unknown) => {
      const wasCut = last?.phase === 'sending' && (source?.sizeBytes ?? 0) > uploadChunkBytes;
      // Tried once: a server without resumable uploads gets the form again.
      wantsChunks = wasCut && !wantsChunks;
      throw error;
    });
  };
  const retries = options.retries ?? defaultRetries;
  const release = io.onInterrupt(() => stop.abort());
  return uploadWithRetries(attempt, {
    retries,
    pause: io.pause,
    isFinal: () => isFinal,
    onRetry: ({ reason, pauseMs, number }) => note(reason, pauseMs, `${number} of ${retries}`),
  }).finally(release);
}

function announce(uploaded: UploadedApp, options: UploadOptions, io: UploadIo): void {
  for (const warning of uploaded.warnings) writeLines(io.stderr, `Warning: ${warning}`);
  if (options.json) {
    writeJson(io.stdout, jsonWithOutputs(uploaded));
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

/** `command` is the name of the program, such as `slipway upload`. */
export function uploadHelp(command: string): string {
  return `Upload an app to a Slipway server.

Usage: ${command} FILE --owner OWNER [options]

${describeInputs()}
The API key comes from SLIPWAY_API_KEY or SLIPWAY_KEY. There is no option for it, because other
users can read a process's arguments. Standard output contains only the page's address; everything
else goes to standard error. Exits with 0 when the app was uploaded, 1 when it was not, 2 for a
usage error, 3 when it was uploaded and --fail-on applies or a file of --symbols was not stored,
4 when it was uploaded but the checks of --fail-on are not known, 130 when you interrupted it. If
SLIPWAY_OUTPUT names a file, such as slipway.env, the outputs are appended to it
(SLIPWAY_REVISION=7), and slipway.env.json is written.

These names of options work too:
  ${wrap(earlierOptionNames().join(', '), 96).join('\n  ')}
`;
}
