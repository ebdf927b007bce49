/** Accounts and how their holders are identified: sign-in, sessions, passwords, second factors, keys, invitations. */

import { rm } from 'node:fs/promises';
import { linkOrigins } from '../blobs/blob-config.ts';
import type { Brands } from '../branding/brands.ts';
import type { Claims } from '../claims/claims.ts';
import type { Config } from '../config.ts';
import type { Outbound } from '../core/outbound/outbound-target.ts';
import type { ServerSecret } from '../core/signature.ts';
import { version } from '../core/version.ts';
import type { Data } from '../db/data.ts';
import type { ErrorAnswerDeps } from '../http/error-response.ts';
import { createRunExclusively } from '../http/idempotency/conditional-changes.ts';
import { createRunOnce } from '../http/idempotency/idempotent-requests.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { Route } from '../http/routes/route.ts';
import type { Guards } from '../http/routes/route-facts.ts';
import { createFetchBytes } from '../http/sending/fetch-bytes.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import type { RateLimiting } from '../limits/rate-limiting-http.ts';
import type { OwnerOperations } from '../owners/create-owners.ts';
import { type StaticFiles, staticPaths } from '../web/shell/static-files.ts';
import { createAccountAccess } from './authorization/account-access-http.ts';
import { createAuthenticate } from './authorization/authenticate.ts';
import { createRenderErrorPage } from './authorization/error-page-http.ts';
import { createFormTokens } from './authorization/form-token-http.ts';
import { createIdentify, type Identify } from './authorization/identify-http.ts';
import { createPageFrames, type PageFrames } from './authorization/page-frames-http.ts';
import { createRouteAccess, type RouteAccess } from './authorization/route-access-http.ts';
import { createRouteGuards } from './authorization/route-guards-http.ts';
import { createInviteLinks, type InviteLinks } from './invitations/invite-link.ts';
import { createIssueKey, type IssueKey } from './keys/issue-key.ts';
import { keyApiRoutes } from './keys/key-api-routes.ts';
import { createKeyExpiry } from './keys/key-expiry.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { createLdapDirectory, type LdapDirectory } from './ldap/ldap-directory.ts';
import { createRefuseBreached } from './passwords/breached-passwords.ts';
import { type ComposeAccountEmail, createComposeAccountEmail } from './profile/account-email.ts';
import { accountRoutes } from './profile/account-routes.ts';
import { createEmailChangeTokens } from './profile/email-change-token.ts';
import {
  createFirstAdministrator,
  firstStartPath,
  type InitialCredentials,
} from './profile/first-administrator.ts';
import { continueSignOut, samlLogoutRoutes } from './saml/saml-logout-routes.ts';
import { samlRoutes } from './saml/saml-routes.ts';
import { createSamlSignOn } from './saml/saml-sign-on-http.ts';
import { createWorkspaceSignOns } from './saml/workspace/workspace-sign-ons-http.ts';
import { createSecurityArea } from './second-factor/security-area-routes.ts';
import { createStartSession } from './sessions/start-session-http.ts';
import { createCountGuess } from './sign-in/attempt-limits.ts';
import { createDirectorySignIn } from './sign-in/directory-sign-in-http.ts';
import { createKnownBrowsers } from './sign-in/known-browser-http.ts';
import { createSignInAccess, createSingleSignOnAccess } from './sign-in/sign-in-access-http.ts';
import { createSignInLog } from './sign-in/sign-in-log-http.ts';
import { passwordGuesses, signInRoutes } from './sign-in/sign-in-routes.ts';
import type { GroupClaims } from './single-sign-on/group-claims.ts';
import {
  createSingleSignOn,
  createUnlinkIdentity,
  installationRules,
} from './single-sign-on/single-sign-on.ts';
import { choicesOf } from './single-sign-on/single-sign-on-button.tsx';
import { createOidcSignOn } from './single-sign-on/single-sign-on-deps-http.ts';
import { unlinkIdentityRoutes } from './single-sign-on/single-sign-on-link-routes.ts';
import { singleSignOnRoutes } from './single-sign-on/single-sign-on-routes.ts';
import { createDeviceCodes, type DeviceCodes } from './terminal-sign-in/device-codes.ts';
import { oauthRoutes } from './terminal-sign-in/oauth-routes.ts';
import { terminalSignInRoutes } from './terminal-sign-in/terminal-sign-in-routes.ts';
import { createExchangeIdToken } from './trusted-publishing/exchange-id-token.ts';
import { createIssuerKeys, issuerLimits } from './trusted-publishing/issuer-keys.ts';
import { trustedPublisherApiRoutes } from './trusted-publishing/trusted-publisher-api-routes.ts';
import {
  createTrustedPublisherChanges,
  type TrustedPublisherChanges,
} from './trusted-publishing/trusted-publisher-changes.ts';

interface AccountAreaDeps {
  claims: Claims;
  streams: Pick<Guards, 'watchAccess'>;
  config: Config;
  data: Data;
  secret: ServerSecret;
  owners: OwnerOperations;
  limiting: RateLimiting;
  brands: Brands;
  originOf: OriginOf;
  outbound: Outbound;
  files: StaticFiles;
  /** Whether this server sends email. */
  canSendMail: boolean;
  groups: GroupClaims;
  now: () => number;
  log: { error(fields: object, message: string): void; warn(fields: object, message: string): void };
  wakeOutbox: () => void;
}

export interface AccountArea {
  routes: Route[];
  jobs: Pick<JobHandlers, 'key-expiry'>;
  identify: Identify;
  access: RouteAccess;
  frames: PageFrames;
  guards: Guards;
  issueKey: IssueKey;
  deviceCodes: DeviceCodes;
  inviteLinks: InviteLinks;
  /** Null without a directory. */
  ldap: LdapDirectory | null;
  trustedPublisherChanges: TrustedPublisherChanges;
  composeAccountEmail: ComposeAccountEmail;
  /** Non-null on the first start of an installation: to be shown once. */
  initialCredentials: InitialCredentials | null;
  /** Renders an error page, or, for `ReauthenticationRequired`, the reauthentication page. */
  renderErrorPage: ErrorAnswerDeps['renderErrorPage'];
  /** Resolves when the sign-ins so far are in the audit log. */
  close(): Promise<void>;
}

/** Creates the first administrator if there is no user yet. */
export async function createAccountArea(deps: AccountAreaDeps): Promise<AccountArea> {
  const { config, data, secret, limiting, originOf, now, wakeOutbox } = deps;
  const { attempts } = limiting;
  const { passwords } = config;
  const signUpOpen = config.signUp === 'open';
  const settings = {
    legacyKeys: config.legacyKeys,
    publicUrl: config.publicUrl,
    passwords,
    requiredFactor: passwords ? config.requiredFactor : ('off' as const),
    sessionIdleMs: config.sessions.idleMs,
    signUpOpen,
    signUpQuota:
      signUpOpen || [config.singleSignOn, config.saml, config.ldap].some((one) => one?.signUp === 'open')
        ? config.signUpQuota
        : null,
  };
  const issueKey = createIssueKey({ data, now, wakeOutbox });
  const trustedPublisherChanges = createTrustedPublisherChanges({ data, now, wakeOutbox });
  const deviceCodes = createDeviceCodes({ data, issueKey, now });
  const refuseBreached = createRefuseBreached({ url: config.breachedPasswordsUrl, log: deps.log });
  const initialCredentials = await createFirstAdministrator(
    { data, owners: deps.owners, issueKey, refuseBreached },
    config.firstAdministrator,
  );
  const authenticate = createAuthenticate({
    ...settings,
    data,
    countWrongKey: limiting.countWrongKey,
    now,
  });
  const identify = createIdentify({ ...settings, authenticate, originOf, proven: limiting.proven });
  const formTokens = createFormTokens({ secret, originOf });
  const assets = staticPaths(deps.files);
  const { installation: brand, ofWorkspace: brandOfWorkspace } = deps.brands;
  const framing = { assets, originOf, identify, formTokens, brand, brandOfWorkspace, now };
  const frames = createPageFrames({
    ...framing,
    hasPasswords: passwords,
    downloadOrigins: linkOrigins(config.blobs),
  });
  const access = createRouteAccess({ data, identify });
  const signIns = createSignInLog({ data, secret, now });
  const emailChanges = createEmailChangeTokens(secret);
  const guessing = {
    knownBrowsers: createKnownBrowsers({ secret, now }),
    countGuess: createCountGuess({ data, attempts, now }),
  };
  const startSession = createStartSession({
    ...deps,
    ...settings,
    ...guessing,
    signIns,
    // The first password must not stay in a file after its first use.
    onSignedIn: () => rm(firstStartPath(config), { force: true }),
  });
  const signOnParts = { data, secret, now, wakeOutbox, signUpQuota: settings.signUpQuota };
  const fetchBytes = createFetchBytes(deps.outbound, `Slipway/${version()}`);
  const oidc = config.singleSignOn && createOidcSignOn(config.singleSignOn, signOnParts);
  const samlParts = {
    ...signOnParts,
    fetchBytes,
    key: config.samlKey,
    publicUrl: config.publicUrl ?? '',
    log: deps.log,
  };
  const saml = config.saml && createSamlSignOn(config.saml, samlParts);
  // Providers identify this server by its address.
  const workspaceSignOns = config.publicUrl === null ? null : createWorkspaceSignOns(samlParts);
  const samlSignOns = { saml, workspaceSignOns };
  const ldap = config.ldap && createLdapDirectory(config.ldap, deps.log);
  const directory =
    ldap && config.ldap
      ? createDirectorySignIn(
          {
            ...signOnParts,
            ...guessing,
            groups: deps.groups,
            directory: ldap,
            people: createSingleSignOn({ ...signOnParts, rules: installationRules(config.ldap) }),
          },
          passwordGuesses,
        )
      : null;
  const signOns = [oidc, saml].filter((one) => one !== null);
  const anyProvider = signOns[0] ?? ldap;
  const shared = {
    data,
    access,
    attempts,
    startSession,
    signIns,
    passwords,
    now,
    wakeOutbox,
    ...guessing,
    accountAccess: createAccountAccess({ access, identify }),
    signInAccess: createSignInAccess({ access, identify, originOf }),
    signOns,
    ldap,
    groups: deps.groups,
  };
  const security = createSecurityArea({ ...shared, frames, identify, originOf, secret });
  const { afterPassword, reauthentication } = security;
  return {
    routes: [
      ...signInRoutes({
        ...shared,
        afterPassword,
        directory,
        signUpOpen,
        access: shared.signInAccess,
        providers: choicesOf(shared.signOns),
        continueSignOut: (client, token) => continueSignOut(shared, samlSignOns, client, token),
      }),
      ...accountRoutes({
        ...shared,
        ...settings,
        issueKey,
        emailChanges,
        refuseBreached,
        canSendMail: deps.canSendMail,
      }),
      ...singleSignOnRoutes({ ...shared, oidc }),
      ...samlRoutes({ ...shared, ...samlSignOns }),
      ...samlLogoutRoutes({ ...shared, ...samlSignOns }),
      ...unlinkIdentityRoutes(
        { ...shared, unlink: createUnlinkIdentity(shared) },
        createSingleSignOnAccess(access, anyProvider && (async () => anyProvider)),
      ),
      ...security.routes,
      ...keyRoutes({ data, access, issueKey, now, wakeOutbox }),
      ...keyApiRoutes({ data, access, issueKey, now, wakeOutbox }),
      ...trustedPublisherApiRoutes({ data, access, trustedPublisherChanges }),
      ...terminalSignInRoutes({ access, deviceCodes }),
      ...oauthRoutes({
        data,
        access,
        deviceCodes,
        exchangeIdToken: createExchangeIdToken({
          ...deps,
          attempts,
          issuerKeys: createIssuerKeys({
            fetchDocument: async (address, signal) => {
              const request = { accept: 'application/json', maxBytes: issuerLimits.documentBytes, signal };
              return JSON.parse((await fetchBytes(address, request)).toString());
            },
            timeoutMs: deps.outbound.timeoutMs,
            now,
          }),
          audience: config.publicUrl,
        }),
        countWrongKey: limiting.countWrongKey,
        now,
      }),
    ],
    jobs: { 'key-expiry': createKeyExpiry({ data, now, wakeOutbox }) },
    identify,
    issueKey,
    deviceCodes,
    trustedPublisherChanges,
    ldap,
    inviteLinks: createInviteLinks({ data, secret, now }),
    access,
    frames,
    guards: createRouteGuards({
      data,
      attempts,
      reauthentication,
      frames,
      formTokens,
      runOnce: createRunOnce({ data, claims: deps.claims, secret, now }),
      runExclusively: createRunExclusively({ data, claims: deps.claims, now }),
      watchAccess: deps.streams.watchAccess,
      originOf,
      now,
    }),
    composeAccountEmail: createComposeAccountEmail({ data, emailChanges, now }),
    initialCredentials,
    renderErrorPage: createRenderErrorPage({
      data,
      frames,
      reauthentication,
      signOns: shared.signOns,
      workspaceSignOns,
    }),
    close: () => signIns.settled(),
  };
}
