/** The ID token of CI in exchange for a key, with the endpoints of CI services and of the server as servers of the test. */
import { mkdir, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { runUpload } from '../../src/commands/uploader/upload-command.ts';
import type { UploadIo } from '../../src/commands/uploader/upload-io.ts';
import { accept, answer, receiveUploads } from '../support/receive-upload.ts';
import { temporaryFile, temporaryFolder, testIo } from './upload-test-kit.ts';

type Context = Pick<TestContext, 'onTestFinished'>;
const idToken = 'eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl';

interface Exchange {
  status?: number;
  body?: unknown;
}

/** Exchanges each token once, as the server does. */
async function startServer(context: Context, exchanges: Exchange[] = []) {
  const asked: Record<string, string>[] = [];
  const used = new Set<string>();
  const receiver = await receiveUploads([accept()], (listener) =>
    createServer((request, response) => {
      if (request.url !== '/oauth/token') return listener(request, response);
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        const fields = Object.fromEntries(new URLSearchParams(text));
        const { status = 200, body } = exchanges[Math.min(asked.length, exchanges.length - 1)] ?? {};
        asked.push(fields);
        if (used.has(fields.subject_token ?? ''))
          return answer(response, 400, { error: 'invalid_grant', error_description: 'used already' });
        if (status === 200) used.add(fields.subject_token ?? '');
        answer(
          response,
          status,
          body ?? { access_token: 'slw_short', token_type: 'Bearer', expires_in: 900 },
        );
      });
    }),
  );
  context.onTestFinished(receiver.close);
  return { ...receiver, asked };
}

async function startIssuer(context: Context, listener: RequestListener) {
  const issuer = await receiveUploads([], () => createServer(listener));
  context.onTestFinished(issuer.close);
  return issuer;
}

async function upload(
  context: Context,
  url: string,
  env: Record<string, string>,
  argv: string[] = [],
  more = {},
) {
  const file = await temporaryFile(context, 'demo.apk', 'APK');
  const io = testIo({ env, ...more } as Partial<UploadIo>);
  const exitCode = await runUpload([file, '-o', 'acme', '--server', url, ...argv], io);
  const said = io.out() + io.err();
  return { exitCode, err: io.err(), said, pauses: io.pauses };
}

test('an ID token of the environment is exchanged if there is no key, which is said', async (context) => {
  const server = await startServer(context);
  const { exitCode, err, said } = await upload(context, server.url, { SLIPWAY_ID_TOKEN: idToken });
  expect(exitCode).toBe(0);
  expect(err).toContain('No API key is set: using the ID token of SLIPWAY_ID_TOKEN.\n');
  expect(server.asked).toEqual([
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: idToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      resource: 'acme',
    },
  ]);
  expect(server.received[0]?.headers.authorization).toBe('Bearer slw_short');
  expect(said).not.toMatch(/slw_short|eyJ/);
});

test('a key wins over an ID token, and --trusted over a key', async (context) => {
  const server = await startServer(context);
  const env = { SLIPWAY_ID_TOKEN: idToken, SLIPWAY_API_KEY: 'slw_key', SLIPWAY_URL: server.url };
  expect((await upload(context, server.url, env)).exitCode).toBe(0);
  const { exitCode, err } = await upload(context, server.url, env, ['--trusted']);
  expect({ exitCode, err }).toMatchObject({ exitCode: 0, err: expect.not.stringContaining('No API key') });
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer slw_key',
    'Bearer slw_short',
  ]);
});

test('GitHub issues a token for the audience, and its log masks both secrets', async (context) => {
  const server = await startServer(context);
  const issuer = await startIssuer(context, ({ url, headers }, response) => {
    const { searchParams } = new URL(url ?? '', 'http://x');
    const isRight =
      searchParams.get('audience') === server.url &&
      searchParams.get('api-version') === '2.0' &&
      headers.authorization === 'Bearer request-secret';
    answer(response, isRight ? 200 : 400, { value: idToken });
  });
  const env = {
    GITHUB_ACTIONS: 'true',
    ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-secret',
  };
  const { exitCode, said } = await upload(context, server.url, env);
  expect(exitCode).toBe(0);
  expect(said.match(/^::add-mask::.*$/gm)).toEqual([`::add-mask::${idToken}`, '::add-mask::slw_short']);
  expect(said.replaceAll(/^::add-mask::.*$/gm, '')).not.toMatch(/slw_short|eyJ|request-secret/);
});

test.each([
  [{ CIRCLECI: 'true', CIRCLE_OIDC_TOKEN_V2: 'x' }, 'circleci', ['run', 'oidc', 'get', '--claims']],
  [{ BUILDKITE: 'true' }, 'buildkite-agent', ['oidc', 'request-token', '--audience']],
] as const)('asks the program of %j', async (env, program, args) => {
  const own = { onTestFinished };
  const server = await startServer(own);
  const calls: unknown[] = [];
  const runProgram = async (...call: unknown[]) => {
    calls.push(call);
    return `${idToken}\n`;
  };
  expect((await upload(own, server.url, env, [], { runProgram })).exitCode).toBe(0);
  const audience = program === 'circleci' ? JSON.stringify({ aud: server.url }) : server.url;
  expect(calls).toEqual([[program, [...args, audience]]]);
  const missing = await upload(own, server.url, env);
  expect(missing.err).toContain(
    `Not uploaded: ${program} did not issue an ID token.\n  Check that ${program}`,
  );
});

test('a refusal says what the server says and what to do, without the token', async (context) => {
  const sentence = `Publisher "Release" wants environment production; ${idToken} has none.`;
  const body = { error: 'invalid_grant', error_description: sentence };
  const server = await startServer(context, [{ status: 400, body }]);
  const { exitCode, err, said } = await upload(context, server.url, { SLIPWAY_ID_TOKEN: idToken });
  expect(exitCode).toBe(1);
  expect(err).toContain(
    'refused the ID token: Publisher "Release" wants environment production; … has none. (400)',
  );
  expect(err).toContain('Compare the job with the trusted publishers in the settings of acme');
  expect(said).not.toContain(idToken);
  expect(server.received).toEqual([]);
  const old = await startServer(context, [{ status: 400, body: { error: 'unsupported_grant_type' } }]);
  const unsupported = await upload(context, old.url, { SLIPWAY_ID_TOKEN: idToken });
  expect(unsupported.err).toContain(
    'Check the address of the server, and that its version has trusted publishing.',
  );
});

test('an exchange is repeated while the server is unavailable, and never sent elsewhere', async (context) => {
  const server = await startServer(context, [{ status: 503, body: '' }, { status: 502, body: '' }, {}]);
  const { exitCode, pauses } = await upload(context, server.url, { SLIPWAY_ID_TOKEN: idToken });
  expect({ exitCode, pauses }).toEqual({ exitCode: 0, pauses: [1000, 2000] });
  const away = await startIssuer(context, (_request, response) => {
    response.writeHead(307, { Location: `${server.url}/oauth/token` }).end();
  });
  const redirected = await upload(context, away.url, { SLIPWAY_ID_TOKEN: idToken });
  expect(redirected).toMatchObject({ exitCode: 1 });
  expect(redirected.err).toContain(`redirects to ${server.url}, which is not followed.`);
  expect(server.asked).toHaveLength(3);
});

test.each([
  ['a page of a proxy', 200, '<html>sign in</html>', 'did not issue an ID token (200)'],
  ['an answer without end', 200, 'x'.repeat(10 * 1024 * 1024), 'answered with more than 8388608 bytes'],
  ['a missing permission', 403, { message: 'no' }, 'Give the job the permission "id-token: write"'],
  ['another token', 200, { value: 'not a token' }, 'is not a JSON Web Token'],
])('explains %s from the ID token endpoint', async (_name, status, body, words) => {
  const own = { onTestFinished };
  const server = await startServer(own);
  const issuer = await startIssuer(own, (_request, response) => answer(response, status, body));
  const env = { ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/`, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 's' };
  const { exitCode, err } = await upload(own, server.url, env);
  expect(exitCode).toBe(1);
  expect(err).toContain(words);
});

test('a stored login is used last, for its server only', async (context) => {
  const server = await startServer(context);
  const home = await temporaryFolder(context);
  await mkdir(join(home, 'slipway'));
  const login = { current: server.url, servers: { [server.url]: { token: 'slw_login', user: 'me' } } };
  await writeFile(join(home, 'slipway/credentials.json'), JSON.stringify(login));
  const env = { XDG_CONFIG_HOME: home };
  expect((await upload(context, server.url, env)).exitCode).toBe(0);
  expect(server.received[0]?.headers.authorization).toBe('Bearer slw_login');
  const none = await upload(context, 'http://127.0.0.1:9', env);
  expect(none).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('No API key: set SLIPWAY_API_KEY'),
  });
  const trusted = await upload(context, server.url, { ...env, GITLAB_CI: '1' }, ['--trusted']);
  expect(trusted.err).toContain('Add id_tokens to the job: SLIPWAY_ID_TOKEN');
  await writeFile(join(home, 'slipway/credentials.json'), '{');
  expect((await upload(context, server.url, env)).err).toContain(
    'is damaged: delete it and run slipway login',
  );
});
