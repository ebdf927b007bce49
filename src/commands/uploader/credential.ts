/** Finds the key for an upload: the given key, one in exchange for the ID token of CI, or that of a stored login. */
import { readCredentials, SettingsUnavailable } from '../remote/credentials-file.ts';
import { printable, truncate, writeLines } from '../terminal-text.ts';
import { callApi, textAt } from './api-request.ts';
import { findIdTokens, type IdTokens, idTokenAdvice } from './id-token.ts';
import { UploadError, UsageError } from './upload-error.ts';
import type { UploadIo } from './upload-io.ts';
import { givenKey, type UploadOptions } from './upload-options.ts';

export interface Credential {
  /** Returns the key, after the exchange of an ID token. Throws `UploadError`, which never quotes a key or token. */
  get(): Promise<string>;
  /** Gets another key, because that of an exchange is valid for minutes only; null if there is no other. */
  renew: (() => Promise<string>) | null;
}

type Target = Pick<UploadOptions, 'baseUrl' | 'owner' | 'quiet' | 'key'>;

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const idTokenType = 'urn:ietf:params:oauth:token-type:id_token';
const maxAttempts = 4;

/** Throws `UsageError` if there is none. */
export async function findCredential(target: Target, io: UploadIo): Promise<Credential> {
  const { key } = target;
  if (key.kind === 'given') return fixed(key.key);
  const tokens = findIdTokens(io.env, io.runProgram);
  if (tokens) {
    if (!target.quiet && key.kind === 'none')
      writeLines(io.stderr, `No API key is set: using the ID token of ${tokens.service}.`);
    const exchange = () => exchangeIdToken(tokens, target, io);
    let first: Promise<string> | undefined;
    const get = () => {
      first ??= exchange();
      return first;
    };
    return { get, renew: tokens.isRenewable ? exchange : null };
  }
  if (key.kind === 'trusted')
    throw new UsageError(`--trusted: this job has no ID token. ${idTokenAdvice(io.env)}`);
  const stored = await storedKey(target.baseUrl, io);
  if (stored === null)
    throw new UsageError(
      'No API key: set SLIPWAY_API_KEY, pipe it in with --key-stdin, use --trusted in CI, or run slipway login.',
    );
  return fixed(givenKey(stored).key);
}

const fixed = (key: string): Credential => ({ get: async () => key, renew: null });

async function storedKey({ origin }: URL, io: UploadIo): Promise<string | null> {
  try {
    const { servers } = await readCredentials({ environment: io.env });
    return servers[origin]?.token ?? null;
  } catch (error) {
    if (error instanceof SettingsUnavailable) throw new UsageError(error.message);
    throw error;
  }
}

/** Repeats only what did not reach the server or was not decided, with another token where the service issues several. */
async function exchangeIdToken(tokens: IdTokens, target: Target, io: UploadIo): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await exchangeOnce(await tokens.get(target.baseUrl.origin), target, io);
    } catch (error) {
      if (!(error instanceof UploadError) || !error.isTransient || attempt === maxAttempts) throw error;
      await io.pause(1_000 * 2 ** (attempt - 1));
    }
  }
}

async function exchangeOnce(idToken: string, { baseUrl, owner }: Target, io: UploadIo): Promise<string> {
  mask(idToken, io);
  const answer = await callApi(new URL('oauth/token', baseUrl), {
    method: 'POST',
    headers: { Accept: 'application/json', 'User-Agent': `slipway-upload/${io.version}` },
    body: new URLSearchParams({
      grant_type: grantType,
      subject_token: idToken,
      subject_token_type: idTokenType,
      resource: owner,
    }),
  });
  const key = textAt(answer.json, 'access_token');
  if (answer.status === 200 && key && /^[\x21-\x7e]+$/.test(key)) {
    mask(key, io);
    return key;
  }
  const error = textAt(answer.json, 'error');
  const sentence = truncate(printable(textAt(answer.json, 'error_description') ?? error ?? ''), 1_000);
  throw new UploadError(
    sentence
      ? `${baseUrl.origin} refused the ID token: ${sentence.replaceAll(idToken, '…')} (${answer.status})`
      : `${baseUrl.origin} answered the exchange of the ID token with ${answer.status}.`,
    { hint: exchangeAdvice(answer.status, error, owner), isTransient: answer.status >= 500 },
  );
}

function exchangeAdvice(status: number, error: string | null, owner: string): string {
  if (error === 'unsupported_grant_type' || error === null)
    return 'Check the address of the server, and that its version has trusted publishing. Otherwise, set SLIPWAY_API_KEY.';
  if (status >= 500 || status === 429) return 'Try again later.';
  return `Compare the job with the trusted publishers in the settings of ${owner}, and the audience with SLIPWAY_URL of the server.`;
}

/** Hides a secret in the log of GitHub Actions, which reads this command from both outputs and never shows it. */
function mask(secret: string, io: UploadIo): void {
  if (io.env.GITHUB_ACTIONS === 'true') writeLines(io.stderr, `::add-mask::${secret}`);
}
