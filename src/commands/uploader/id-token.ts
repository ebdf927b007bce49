/** Gets an OpenID Connect ID token from the CI service, with the server as its audience. */
import { callApi, textAt } from './api-request.ts';
import { UploadError } from './upload-error.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Runs a program and returns its output. Rejects if it is missing or fails. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

export interface IdTokens {
  /** For messages. */
  service: string;
  /** Whether each call returns another token. A token can be exchanged once. */
  isRenewable: boolean;
  get(audience: string): Promise<string>;
}

/** The environment of Bitrise comes from its step "Get OIDC Identity Token", that of Bitbucket from `oidc`. */
const variables: [name: string, service: string][] = [
  ['SLIPWAY_ID_TOKEN', 'SLIPWAY_ID_TOKEN'],
  ['BITBUCKET_STEP_OIDC_TOKEN', 'Bitbucket'],
  ['BITRISE_IDENTITY_TOKEN', 'Bitrise'],
];

/** Returns null if this is no CI service that offers ID tokens, or the job has no permission to get one. */
export function findIdTokens(env: Env, runProgram: RunProgram): IdTokens | null {
  const [name, service = ''] = variables.find(([each]) => env[each]?.trim()) ?? [];
  if (name)
    return { service, isRenewable: false, get: async () => checkToken(env[name]?.trim() ?? '', service) };
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken } = env;
  if (url && requestToken)
    return {
      service: 'GitHub Actions',
      isRenewable: true,
      get: (audience) => fromGithub(url, requestToken, audience),
    };
  if (env.CIRCLECI)
    return fromProgram('CircleCI', 'circleci', runProgram, (audience) => {
      return ['run', 'oidc', 'get', '--claims', JSON.stringify({ aud: audience })];
    });
  if (env.BUILDKITE)
    return fromProgram('Buildkite', 'buildkite-agent', runProgram, (audience) => {
      return ['oidc', 'request-token', '--audience', audience];
    });
  return null;
}

/** What to do in this CI service, if it offers no token. */
export function idTokenAdvice(env: Env): string {
  if (env.GITHUB_ACTIONS) return 'Give the job the permission "id-token: write".';
  if (env.GITLAB_CI)
    return 'Add id_tokens to the job: SLIPWAY_ID_TOKEN with the address of the server as aud.';
  if (env.BITBUCKET_BUILD_NUMBER)
    return 'Add oidc to the step, with the address of the server as the only one of its audiences.';
  if (env.BITRISE_IO)
    return 'Run the step "Get OIDC Identity Token" first, with the address of the server as its audience.';
  return 'Set SLIPWAY_ID_TOKEN to an ID token whose audience is the address of the server.';
}

async function fromGithub(url: string, requestToken: string, audience: string): Promise<string> {
  if (!URL.canParse(url)) throw new UploadError('ACTIONS_ID_TOKEN_REQUEST_URL is not an address.');
  const address = new URL(url);
  address.searchParams.set('audience', audience);
  const answer = await callApi(address, {
    headers: { Authorization: `Bearer ${requestToken}`, Accept: 'application/json' },
  });
  const token = textAt(answer.json, 'value');
  if (answer.status !== 200 || !token)
    throw new UploadError(`GitHub Actions did not issue an ID token (${answer.status}).`, {
      hint: 'Give the job the permission "id-token: write".',
      isTransient: answer.status >= 500,
    });
  return checkToken(token, 'GitHub Actions');
}

function fromProgram(
  service: string,
  program: string,
  runProgram: RunProgram,
  argumentsFor: (audience: string) => string[],
): IdTokens {
  const get = async (audience: string) => {
    const output = await runProgram(program, argumentsFor(audience)).catch((cause: unknown) => {
      // The cause quotes the output, which can contain the token.
      throw new UploadError(`${program} did not issue an ID token.`, {
        hint: `Check that ${program} is installed on this machine and may request ID tokens.`,
        cause,
      });
    });
    return checkToken(output.trim(), service);
  };
  return { service, isRenewable: true, get };
}

function checkToken(token: string, service: string): string {
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return token;
  throw new UploadError(`The ID token of ${service} is not a JSON Web Token.`);
}
