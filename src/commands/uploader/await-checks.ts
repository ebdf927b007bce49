/** Waits until the server has analyzed an uploaded build, and reads the results of its checks. */
import {
  type CheckName,
  type CheckState,
  checkStates,
  namedChecks,
} from '../../insight/checks/check-result.ts';
import { formatSeconds, printable, truncate } from '../terminal-text.ts';
import { type ApiAnswer, callApi, textAt } from './api-request.ts';
import type { Credential } from './credential.ts';
import { UploadError } from './upload-error.ts';
import type { UploadIo } from './upload-io.ts';
import type { UploadOptions } from './upload-options.ts';
import type { UploadedApp } from './upload-response.ts';
import { backoffMs } from './upload-retry.ts';

/** One result, as the server says it; safe to print. */
export interface CheckFinding {
  /** Its category, and its own name if it has one. */
  names: CheckName[];
  state: CheckState;
  line: string;
  acceptance: { by: string; reason: string } | null;
}

/** `isUnsupported`: the server has no checks, because its version is older. */
export type ChecksOutcome =
  | { findings: CheckFinding[] }
  | { findings: null; reason: string; isUnsupported: boolean };

type Read = ChecksOutcome | { waitsBecause: string };

const unknown = (reason: string, isUnsupported = false): ChecksOutcome => ({
  findings: null,
  reason,
  isUnsupported,
});

const maxLineLength = 500;

/** Asks again after 1, 2, 4 … s, at most 30 s. `onWait` is called once, if the results are not there at once. */
export async function awaitChecks(
  uploaded: UploadedApp,
  options: Pick<UploadOptions, 'baseUrl' | 'owner' | 'checksTimeoutMs'>,
  { credential, io, onWait }: { credential: Credential; io: UploadIo; onWait: () => Promise<void> },
): Promise<ChecksOutcome> {
  const address = checksAddress(uploaded, options);
  if (!address) return unknown('The server did not say which build it stored.', true);
  const startedAt = io.now();
  let key = await credential.get();
  let { renew } = credential;
  for (let number = 1; ; number += 1) {
    let read = await readChecks(address, key, io);
    if (read === 'key-refused' && renew) {
      const another = await renew().catch(toReason);
      if (typeof another !== 'string') return another;
      key = another;
      renew = null;
      read = await readChecks(address, key, io);
    }
    if (read === 'key-refused') return unknown('The server no longer accepts the key (401).');
    if (!('waitsBecause' in read)) return read;
    if (number === 1) await onWait();
    const pauseMs = backoffMs(number);
    if (io.now() - startedAt + pauseMs > options.checksTimeoutMs)
      return unknown(
        `${read.waitsBecause} after ${formatSeconds(options.checksTimeoutMs / 1000)} (--checks-timeout).`,
      );
    await io.pause(pauseMs);
  }
}

function checksAddress(
  { json, outputs }: UploadedApp,
  { baseUrl, owner }: Pick<UploadOptions, 'baseUrl' | 'owner'>,
): URL | null {
  const [platform, packageName] = ['os_name', 'package_name'].map((name) => textAt(json.results, name));
  if (!platform || !packageName || outputs.revision === null) return null;
  const path = ['apps', owner, platform.toLowerCase(), packageName, 'builds', String(outputs.revision)];
  return new URL(`api/v1/${path.map(encodeURIComponent).join('/')}/checks`, baseUrl);
}

async function readChecks(address: URL, key: string, io: UploadIo): Promise<Read | 'key-refused'> {
  const headers = {
    Accept: 'application/json',
    Authorization: `Bearer ${key}`,
    'User-Agent': `slipway-upload/${io.version}`,
  };
  try {
    const answer = await callApi(address, { headers });
    return answer.status === 401 ? 'key-refused' : readAnswer(answer, address.origin);
  } catch (error) {
    const isTransient = error instanceof UploadError && error.isTransient;
    return isTransient ? { waitsBecause: printable(error.message).replace(/\.$/, '') } : toReason(error);
  }
}

function toReason(error: unknown): ChecksOutcome {
  if (error instanceof UploadError) return unknown(printable(error.message));
  throw error;
}

function readAnswer({ status, json }: ApiAnswer, origin: string): Read {
  if (status === 429 || status >= 500) return { waitsBecause: `${origin} answered ${status}` };
  // A page of a proxy has no state either.
  const state = textAt(json, 'state');
  if (status === 404 || (status === 200 && state === null))
    return unknown('The server has no checks of this build: it needs a newer version of Slipway.', true);
  if (status !== 200) {
    const detail = truncate(printable(textAt(json, 'detail') ?? ''), maxLineLength);
    return unknown(`The server does not show the checks: ${detail || 'it answered'} (${status}).`);
  }
  if (state === 'waiting') return { waitsBecause: 'The build was not analyzed' };
  if (state !== 'analyzed') return unknown('The package could not be analyzed.');
  const { checks } = json as { checks?: unknown };
  return { findings: Array.isArray(checks) ? checks.flatMap(readFinding) : [] };
}

function readFinding(check: unknown): CheckFinding[] {
  const text = (of: unknown, name: string) => truncate(printable(textAt(of, name) ?? ''), maxLineLength);
  const state = checkStates.find((one) => one === textAt(check, 'state'));
  if (!state) return [];
  const { acceptance } = check as { acceptance?: unknown };
  const own = (namedChecks as Partial<Record<string, CheckName>>)[text(check, 'id')];
  return [
    {
      names: [text(check, 'category') as CheckName, ...(own === undefined ? [] : [own])],
      state,
      line: text(check, 'line'),
      acceptance: acceptance ? { by: text(acceptance, 'by'), reason: text(acceptance, 'reason') } : null,
    },
  ];
}

const stateNames: Readonly<Record<CheckState, [label: string, counted: string]>> = {
  failed: ['Failed', 'failed'],
  warned: ['Warning', 'with a warning'],
  not_analyzed: ['Not analyzed', 'not analyzed'],
  accepted: ['Accepted', 'accepted'],
  passed: ['Passed', 'passed'],
};

/** What did not pass, the worst first, such as `Failed: Target API level 36 or higher: The build targets 35.` */
export function findingLines(findings: readonly CheckFinding[]): string[] {
  return checkStates
    .filter((state) => state !== 'passed')
    .flatMap((state) => findings.filter((finding) => finding.state === state))
    .map(({ state, line, acceptance }) => {
      const [label] = stateNames[state];
      return acceptance
        ? `${label} by ${acceptance.by}: ${line} Reason: ${acceptance.reason}`
        : `${label}: ${line}`;
    });
}

/** For example `1 failed, 2 passed`; null without checks. */
export function countFindings(findings: readonly CheckFinding[]): string | null {
  const counts = checkStates.flatMap((state) => {
    const count = findings.filter((finding) => finding.state === state).length;
    return count > 0 ? `${count} ${stateNames[state][1]}` : [];
  });
  return counts.length > 0 ? counts.join(', ') : null;
}
