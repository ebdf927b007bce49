/** A service that signs people in at a SAML provider: that of the installation, whose metadata is a file, or that of a Workspace. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountsService, browserWith, leadsTo, startAccountsService } from './accounts-service.ts';
import type { Answer } from './http-client.ts';
import { send } from './http-client.ts';
import {
  type AssertionFields,
  answer,
  createSamlKey,
  encode,
  metadataOf,
  readRequest,
  type SamlKey,
  type SamlProvider,
} from './saml-provider.ts';
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
  post(SAMLResponse: string, RelayState?: string, acs?: string): Promise<Answer>;
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
    workspace,
  }: {
    settings?: Record<string, string>;
    origin?: string;
    entityId?: string;
    /** Name of a Workspace that the provider belongs to, with the email domain example.com. `admin` owns it. */
    workspace?: string;
  } = {},
): Promise<SamlService> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-saml-'));
  const metadata = join(folder, 'metadata.xml');
  const keyFile = join(folder, 'key.pem');
  const own = createSamlKey();
  let clock = { now: 0 };
  const base = workspace === undefined ? '/saml' : `/enterprises/${workspace}/saml`;
  const provider = providerAt(`${origin}${base}`, entityId, () => clock.now);
  const writeMetadata = (xml: string) => writeFile(metadata, xml);
  await writeMetadata(metadataOf(provider));
  await writeFile(keyFile, own.key + own.certificate);
  const slipway = await startAccountsService(dialect, names, {
    settings: {
      SLIPWAY_URL: origin,
      SLIPWAY_SAML_KEY: keyFile,
      ...(workspace === undefined
        ? { SLIPWAY_SAML_METADATA: metadata, SLIPWAY_SAML_NAME: 'Example', ...settings }
        : {}),
    },
  });
  clock = slipway.clock;
  if (workspace !== undefined) {
    await slipway.workspace(workspace, 'admin');
    await addProvider(slipway, workspace, provider, ['example.com']);
  }
  return {
    slipway,
    provider,
    own,
    writeMetadata,
    begin: async (start = `${base}/sign-in`, cookie = '') => {
      const answer = await browserWith(slipway, cookie).get(start);
      const address = leadsTo(answer);
      return { address, id: readRequest(address).id, cookie: addCookies(cookie, answer) };
    },
    post: (SAMLResponse, RelayState, acs = `${base}/acs`) =>
      send(slipway.port, acs, {
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

/** `base`: where this server receives its responses. */
export const providerAt = (base: string, entityId: string, now: () => number): SamlProvider => ({
  entityId,
  keys: createSamlKey(),
  acs: `${base}/acs`,
  audience: `${base}/metadata`,
  now,
});

/** Makes the provider that of the Workspace, and assigns the email domains. */
export async function addProvider(
  { data, clock }: Pick<AccountsService, 'data' | 'clock'>,
  workspace: string,
  provider: SamlProvider,
  domains: readonly string[] = [],
): Promise<void> {
  const known = await data.owners.findWorkspace(workspace);
  if (!known) throw new Error(`there is no ${workspace}`);
  const { entityId } = provider;
  const rest = { name: 'Example', entityId, metadataUrl: null, attributes: null, requiredAt: null };
  await data.workspaceProviders.set({ workspace: known, ...rest }, clock.now);
  await data.samlMetadata.keep(`workspace ${known.id}`, metadataOf(provider), clock.now);
  for (const domain of domains) await data.directories.insertDomain(known.id, domain, clock.now);
}

/** Signs in at a provider of a Workspace, in a browser that has the cookie. Returns the last answer. */
export async function enterWorkspace(
  saml: Pick<SamlService, 'begin' | 'post' | 'finish'>,
  {
    provider,
    workspace,
    cookie = '',
    to,
  }: {
    provider: SamlProvider;
    workspace: string;
    cookie?: string;
    to?: string;
  },
  fields: Partial<AssertionFields> = {},
): Promise<Answer & { cookie: string }> {
  const base = `/enterprises/${workspace}/saml`;
  const target = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
  const way = await saml.begin(`${base}/sign-in${target}`, cookie);
  const response = encode(answer(provider, { inResponseTo: way.id, ...fields }));
  const posted = await saml.post(response, undefined, `${base}/acs`);
  const finished = await saml.finish(posted, way.cookie);
  return Object.assign(finished, { cookie: addCookies(addCookies(way.cookie, posted), finished) });
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
