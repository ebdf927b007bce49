/** Single sign-on by SAML at one provider, for the routes. */
import type { FetchBytes } from '../../core/outbound/fetch-bytes.ts';
import { workspaceIssuer, workspaceMetadataPlace } from '../../owners/gate/workspace-gate.ts';
import type { Workspace } from '../../owners/owner.ts';
import { type SignOnPaths, samlPaths, workspaceSamlPaths } from '../profile/account-paths.ts';
import type { ProviderIdentity } from '../single-sign-on/provider-identity.ts';
import {
  type AdmissionRulesOfProvider,
  createSingleSignOn,
  installationRules,
} from '../single-sign-on/single-sign-on.ts';
import {
  createSingleSignOnCookies,
  createStepCookie,
  type PendingSignIn,
  type StepCookie,
} from '../single-sign-on/single-sign-on-cookie-http.ts';
import type { SignOn, SignOnParts } from '../single-sign-on/single-sign-on-deps-http.ts';
import { createKeptMetadata, createMetadataSource, type MetadataSource } from './metadata-source.ts';
import type { SamlAssertion, SamlNameId } from './saml-assertion.ts';
import {
  defaultAttributes,
  readAttributeMapping,
  type SamlConfig,
  type ServiceProviderKey,
} from './saml-config.ts';
import { createServiceProvider, type LeavingSession, type ServiceProvider } from './service-provider.ts';
import type { WorkspaceProvider } from './workspace/workspace-provider.ts';

interface SamlChecks {
  requestId: string;
  /** The provider began, and this server then sent a request, because a response to none could come from another person. */
  isSecondTry: boolean;
}

/** What the response said, from the request of the provider's page until the next one, which has the other cookies. */
export interface SamlAnswer {
  identity: ProviderIdentity;
  /** The ids of groups that are assigned to a Workspace. */
  groupIds: string[] | null;
  /** Null if the provider began. */
  requestId: string | null;
  authenticatedAt: number | null;
  nameId: SamlNameId;
  sessionIndex: string | null;
  /** Where the provider says that the person wants to go; a path on this origin. */
  to: string | null;
}

interface Leaving extends LeavingSession {
  /** Null until the request is sent. */
  requestId: string | null;
}

export interface SamlSignOn extends SignOn {
  service: ServiceProvider;
  begun: StepCookie<PendingSignIn<SamlChecks>>;
  answered: StepCookie<SamlAnswer> & Pick<SignOn, 'clear'>;
  /** Where the answer is combined with the cookies that only requests from this site have. */
  finishPath: string;
  /** The session that ends at the provider too. */
  leaving: StepCookie<Leaving> & Pick<SignOn, 'clear'>;
  /** Whose provider it is; null for that of the installation. */
  workspace: Pick<Workspace, 'id' | 'name'> | null;
  issuerOf(entityId: string): string;
  identityOf(entityId: string, assertion: SamlAssertion): ProviderIdentity;
}

export interface SamlParts extends SignOnParts {
  /** Null without one. */
  key: ServiceProviderKey | null;
  fetchBytes: FetchBytes;
  publicUrl: string;
  log: { warn(fields: object, message: string): void };
}

const issuerOf = (entityId: string) => `${installationPrefix}${entityId}`;
/** No issuer of OpenID Connect, which is an address, begins like this. */
const installationPrefix = 'saml:';
const maxLabelLength = 254;
const maxNameLength = 100;

/** The provider of the installation. */
export function createSamlSignOn(config: SamlConfig, deps: SamlParts): SamlSignOn {
  return createSignOnAt(deps, {
    paths: samlPaths(null),
    workspace: null,
    name: config.name,
    claimant: { source: 'saml' },
    isIssuer: (issuer) => issuer.startsWith(installationPrefix),
    people: createSingleSignOn({ ...deps, rules: installationRules(config) }),
    metadata: createMetadataSource({ place: config.metadata, ...deps }),
    attributes: config.attributes,
    confirmsEmail: config.confirmsEmail,
    issuerOf,
  });
}

/** `rules`: which accounts the provider of the Workspace may sign in to. */
export function createWorkspaceSignOn(
  { workspace, name, entityId, metadataUrl, attributes }: WorkspaceProvider,
  deps: SamlParts & { rules: AdmissionRulesOfProvider },
): SamlSignOn {
  const place = workspaceMetadataPlace(workspace.id);
  return createSignOnAt(deps, {
    paths: workspaceSamlPaths(workspace.name),
    workspace,
    name,
    claimant: { source: 'workspace', workspaceId: workspace.id },
    isIssuer: (issuer) => issuer === workspaceIssuer(workspace.id, entityId),
    people: createSingleSignOn(deps),
    metadata: createKeptMetadata({ ...deps, place, url: metadataUrl, entityId }),
    attributes: attributes === null ? defaultAttributes : readAttributeMapping(attributes),
    confirmsEmail: false,
    issuerOf: (id) => workspaceIssuer(workspace.id, id),
  });
}

function createSignOnAt(
  deps: SamlParts,
  at: Pick<SamlSignOn, 'paths' | 'workspace' | 'name' | 'claimant' | 'isIssuer' | 'people' | 'issuerOf'> &
    Pick<SamlConfig, 'attributes' | 'confirmsEmail'> & { metadata: MetadataSource },
): SamlSignOn {
  const { metadata, attributes, confirmsEmail, ...signOn } = at;
  const addresses = addressesOf(deps.publicUrl, at.paths);
  return {
    ...partsAt(at.paths, deps),
    ...signOn,
    service: createServiceProvider({ addresses, source: metadata, key: deps.key, attributes, now: deps.now }),
    identityOf: (entityId, assertion) => identityOf(at.issuerOf(entityId), assertion, confirmsEmail),
  };
}

export const metadataPathOf = ({ base }: SignOnPaths) => `${base}/metadata`;

/** Where providers reach this server. */
export const addressesOf = (publicUrl: string, paths: SignOnPaths) => ({
  entityId: `${publicUrl}${metadataPathOf(paths)}`,
  acs: `${publicUrl}${paths.returns}`,
  logout: `${publicUrl}${paths.base}/logout`,
});

function partsAt(paths: SignOnPaths, deps: SignOnParts) {
  return {
    paths,
    finishPath: `${paths.base}/finish`,
    ...createSingleSignOnCookies<SamlChecks>(deps, paths.base),
    leaving: createStepCookie<Leaving>(deps, { path: paths.base, name: 'slipway_leaving' }, 'leaving'),
    answered: createStepCookie<SamlAnswer>(deps, { path: paths.base, name: 'slipway_saml' }, 'answered'),
  };
}

/** `confirmsEmail`: whether an address from this provider proves that the person owns it. */
function identityOf(issuer: string, assertion: SamlAssertion, confirmsEmail: boolean): ProviderIdentity {
  const { subject, email, names } = assertion;
  return {
    issuer,
    subject,
    email,
    emailConfirmed: confirmsEmail && email !== null,
    label: (email ?? names[0] ?? subject).slice(0, maxLabelLength),
    names: names.map((name) => name.slice(0, maxNameLength)),
  };
}
