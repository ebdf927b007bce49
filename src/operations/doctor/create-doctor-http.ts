/** Creates the doctor of this installation, for its page and the command line. */

import { samlPaths } from '../../accounts/profile/account-paths.ts';
import { createMetadataSource } from '../../accounts/saml/metadata-source.ts';
import type { SamlConfig } from '../../accounts/saml/saml-config.ts';
import { metadataPathOf } from '../../accounts/saml/saml-sign-on-http.ts';
import { createOidcProvider } from '../../accounts/single-sign-on/oidc-provider.ts';
import type { SingleSignOnConfig } from '../../accounts/single-sign-on/single-sign-on-config.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { checkAuditStatus } from '../../audit/audit-stream.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { claimQueries } from '../../claims/claim-queries.ts';
import type { Config } from '../../config.ts';
import { createOutbound } from '../../core/outbound/outbound-target.ts';
import type { ServerSecret } from '../../core/signature.ts';
import type { Data } from '../../db/data.ts';
import { createFetchBytes } from '../../http/sending/fetch-bytes.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import type { SamlProvider, SignOnProvider } from './check-single-sign-on.ts';
import { type DoctorDeps, runDoctor } from './doctor.ts';
import type { DoctorCheck } from './doctor-check.ts';
import { createProbeTokens } from './doctor-probe.ts';
import { doctorQueries } from './doctor-queries.ts';
import { createPublicAddress } from './public-address-http.ts';
import { createSmtpMailServer } from './smtp-mail-server.ts';

export interface DoctorOf {
  config: Config;
  versions: DoctorDeps['versions'];
  /** The server secret; null if there is none yet. */
  secret: ServerSecret | null;
  /** Null if there is no data folder to contain them. */
  stores: Omit<NonNullable<DoctorDeps['stores']>, 'databaseKind'> | null;
  now: () => number;
}

export function storesOf(
  data: Data,
  blobs: Pick<BlobStore, 'check'>,
  secret: ServerSecret,
): NonNullable<DoctorOf['stores']> {
  const { countWrongTotals } = quotaQueries(data);
  const { countDamaged } = buildQueries(data);
  return {
    askDatabase: doctorQueries(data).clock,
    listNodes: claimQueries(data).listNodes,
    askFileStore: blobs.check,
    countWrongTotals,
    countDamaged,
    askAudit: () => checkAuditStatus(data, secret),
  };
}

export function createDoctor({
  config,
  versions,
  secret,
  stores,
  now,
}: DoctorOf): () => Promise<DoctorCheck[]> {
  const probes = secret === null ? null : createProbeTokens(secret);
  const databaseKind = config.database.kind === 'postgres' ? 'PostgreSQL' : 'SQLite';
  return () =>
    runDoctor({
      config,
      versions,
      publicAddress: probes && ((origin) => createPublicAddress({ origin, probes, now })),
      stores: stores && { ...stores, databaseKind },
      signOnProvider: config.singleSignOn && signOnProvider(config.singleSignOn, now),
      samlProvider: config.saml && samlProvider(config.saml, config, now),
      mailServer: config.mail && createSmtpMailServer(config.mail.smtp),
      now,
    });
}

/** Fetches the metadata each time, because a cached copy would not show the current state. */
function signOnProvider(config: SingleSignOnConfig, now: () => number): SignOnProvider {
  return { issuer: config.issuer, ask: () => createOidcProvider(config, now).ask() };
}

/** Reads the metadata each time, past the copy that a server keeps. */
function samlProvider(
  { metadata: place }: SamlConfig,
  { publicUrl, webhookNetworks }: Pick<Config, 'publicUrl' | 'webhookNetworks'>,
  now: () => number,
): SamlProvider {
  const fetchBytes = createFetchBytes(createOutbound(webhookNetworks), 'Slipway doctor');
  return {
    metadata: `${publicUrl}${metadataPathOf(samlPaths(null))}`,
    ask: () =>
      createMetadataSource({ place, data: null, fetchBytes, now, log: { warn: () => undefined } }).read(),
  };
}
