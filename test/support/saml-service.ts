/** A service that signs people in at a SAML provider, whose metadata is a file. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountsService, browserWith, startAccountsService } from './accounts-service.ts';
import type { Answer } from './http-client.ts';
import { send } from './http-client.ts';
import { createSamlKey, metadataOf, readRequest, type SamlKey, type SamlProvider } from './saml-provider.ts';
import type { DialectName } from './test-database.ts';

export interface SamlService {
  slipway: AccountsService;
  provider: SamlProvider;
  /** The key of this server. */
  own: SamlKey;
  writeMetadata(xml: string): Promise<void>;
  /** Begins a sign-in. `cookie`: what the browser has afterwards. */
  begin(path?: string, cookie?: string): Promise<{ address: string; id: string; cookie: string }>;
  /** The provider's page submits a response; browsers send no cookies with it. */
  post(SAMLResponse: string, RelayState?: string): Promise<Answer>;
  /** Follows the redirect of an accepted response. */
  finish(posted: Answer, cookie: string): Promise<Answer>;
  close(): Promise<void>;
}

export async function startSamlService(
  dialect: DialectName,
  names: readonly string[],
  {
    settings = {},
    origin = 'https://apps.example.com',
    entityId = 'https://login.example.com/saml',
  }: { settings?: Record<string, string>; origin?: string; entityId?: string } = {},
): Promise<SamlService> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-saml-'));
  const metadata = join(folder, 'metadata.xml');
  const keyFile = join(folder, 'key.pem');
  const own = createSamlKey();
  let clock = { now: 0 };
  const provider: SamlProvider = {
    entityId,
    keys: createSamlKey(),
    acs: `${origin}/saml/acs`,
    audience: `${origin}/saml/metadata`,
    now: () => clock.now,
  };
  const writeMetadata = (xml: string) => writeFile(metadata, xml);
  await writeMetadata(metadataOf(provider));
  await writeFile(keyFile, own.key + own.certificate);
  const slipway = await startAccountsService(dialect, names, {
    settings: {
      SLIPWAY_URL: origin,
      SLIPWAY_SAML_METADATA: metadata,
      SLIPWAY_SAML_NAME: 'Example',
      SLIPWAY_SAML_KEY: keyFile,
      ...settings,
    },
  });
  clock = slipway.clock;
  return {
    slipway,
    provider,
    own,
    writeMetadata,
    begin: async (start = '/saml/sign-in', cookie = '') => {
      const answer = await browserWith(slipway, cookie).get(start);
      if (answer.status !== 303) throw new Error(`not sent on: ${answer.status} ${answer.text}`);
      const address = answer.headers.location ?? '';
      return { address, id: readRequest(address).id, cookie: addCookies(cookie, answer) };
    },
    post: (SAMLResponse, RelayState) =>
      send(slipway.port, '/saml/acs', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          Accept: 'text/html',
          Origin: 'https://login.example.com',
          'Sec-Fetch-Site': 'cross-site',
        },
        body: new URLSearchParams({
          SAMLResponse,
          ...(RelayState === undefined ? {} : { RelayState }),
        }).toString(),
      }),
    finish: async (posted, cookie) => {
      if (posted.status !== 303) throw new Error(`not accepted: ${posted.status} ${posted.text}`);
      return browserWith(slipway, addCookies(cookie, posted)).get(posted.headers.location ?? '');
    },
    close: async () => {
      await slipway.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The cookies of a browser after an answer. */
export function addCookies(cookie: string, answer: Answer): string {
  const kept = new Map(
    cookie
      .split('; ')
      .filter(Boolean)
      .map((one) => [one.slice(0, one.indexOf('=')), one]),
  );
  for (const set of answer.headers['set-cookie'] ?? []) {
    const [pair = ''] = set.split(';');
    const name = pair.slice(0, pair.indexOf('='));
    if (set.includes('Expires=Thu, 01 Jan 1970')) kept.delete(name);
    else kept.set(name, pair);
  }
  return [...kept.values()].join('; ');
}
