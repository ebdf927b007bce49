/**
 * Checks passwords with a service that has the range API of Have I Been Pwned: given the first five hex digits of a password's
 * SHA-1, it returns the other 35 digits of every breached password, in lines `SUFFIX:COUNT`.
 */

import { createHash } from 'node:crypto';
import { FormInvalid } from '../../core/errors.ts';
import { isLocal } from '../../core/outbound/outbound-address.ts';
import type { Settings } from '../../core/settings.ts';
import { accountTexts } from '../account-texts.ts';

/** Throws `FormInvalid` for the field `password`. If the service fails, the password is accepted and a line is logged. */
export type RefuseBreached = (password: string) => Promise<void>;

interface Parts {
  /** Ends with `/`; null if the check is off. */
  url: string | null;
  log: { warn(facts: object, message: string): void };
  timeoutMs?: number;
}

const defaultTimeoutMs = 3_000;
/** A padded answer has about 1,000 lines of 40 bytes. */
const maxResponseBytes = 512 * 1024;
const maxUrlLength = 1024;

export function createRefuseBreached({ url, log, timeoutMs = defaultTimeoutMs }: Parts): RefuseBreached {
  if (url === null) return async () => undefined;
  return async (password) => {
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
    let lines: string;
    try {
      lines = await fetchRange(`${url}${digest.slice(0, 5)}`, timeoutMs);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log.warn({ event: 'breached-passwords.failed', why }, 'could not check for breached passwords');
      return;
    }
    if (holds(lines, digest.slice(5))) throw new FormInvalid({ password: [accountTexts.password.breached] });
  };
}

async function fetchRange(address: string, timeoutMs: number): Promise<string> {
  const response = await fetch(address, {
    headers: { 'Add-Padding': 'true', 'User-Agent': 'Slipway' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels the rest of the download.
    if (size > maxResponseBytes) throw new Error(`the response is larger than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  if (response.status !== 200) throw new Error(`the response has status ${response.status}`);
  return Buffer.concat(chunks).toString('latin1');
}

/** Padding has the count 0. */
function holds(lines: string, suffix: string): boolean {
  return lines.split('\n').some((line) => {
    const [known, count] = line.trim().toUpperCase().split(':');
    return known === suffix && Number(count) > 0;
  });
}

/** Adds the trailing slash. */
export function readBreachedPasswordsUrl(settings: Settings): string | null {
  const text = settings.text('SLIPWAY_BREACHED_PASSWORDS_URL');
  if (text === null) return null;
  const url = URL.parse(text);
  const plain = url && !url.username && !url.password && !url.search && !url.hash;
  if (
    plain &&
    text.length <= maxUrlLength &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url)))
  )
    return url.href.endsWith('/') ? url.href : `${url.href}/`;
  settings.addError(
    `SLIPWAY_BREACHED_PASSWORDS_URL must be an https address such as https://api.pwnedpasswords.com/range/. It is ${text}.`,
  );
  return null;
}
