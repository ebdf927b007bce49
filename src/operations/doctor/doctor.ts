/** Runs every check and returns the results in display order. Never rejects: failures are results. */

import type { AuditStatus } from '../../audit/audit-stream.ts';
import type { KnownNode } from '../../claims/claim-queries.ts';
import type { Config } from '../../config.ts';
import { withTimeout } from '../../core/time-limit.ts';
import { checkAudit } from './check-audit.ts';
import { checkCertificate } from './check-certificate.ts';
import { checkLdap } from './check-ldap.ts';
import {
  checkClock,
  checkDatabase,
  checkDataFolder,
  checkDiskSpace,
  checkFileStore,
  checkPackageReader,
  checkStoredFiles,
  checkTotals,
  type OtherClock,
} from './check-machine.ts';
import { checkMail, type MailServer } from './check-mail.ts';
import {
  checkAddress,
  checkDownloads,
  checkProxyHeaders,
  checkRequestBuffering,
  checkUploadSize,
} from './check-proxy.ts';
import {
  checkSaml,
  checkSingleSignOn,
  type SamlProvider,
  type SignOnProvider,
} from './check-single-sign-on.ts';
import { type CheckId, type DoctorCheck, ok, problem, skipped } from './doctor-check.ts';
import { doctorTexts } from './doctor-texts.ts';
import type { ProbeOutcome, PublicAddress } from './public-address.ts';

const nodesTimeoutMs = 10_000;

export interface DoctorDeps {
  config: Pick<Config, 'publicUrl' | 'dataFolder' | 'limits' | 'audit' | 'ldap'>;
  versions: { slipway: string; node: string | null };
  /** Null if the secret that signs probes could not be read. */
  publicAddress: ((origin: URL) => PublicAddress) | null;
  /** Null if there is no data folder that contains them. */
  stores: {
    /** Display name of the database. */
    databaseKind: string;
    askDatabase: () => Promise<number | null>;
    /** Lists the servers that share the database, with the differences between their clocks and the database's. */
    listNodes: () => Promise<readonly KnownNode[]>;
    askFileStore: () => Promise<void>;
    countWrongTotals: () => Promise<number>;
    countDamaged: () => Promise<number>;
    askAudit: () => Promise<AuditStatus>;
  } | null;
  /** Null if none is configured. */
  mailServer: MailServer | null;
  /** Null if none is configured. */
  signOnProvider: SignOnProvider | null;
  /** Null if none is configured. */
  samlProvider: SamlProvider | null;
  now: () => number;
}

export async function runDoctor(deps: DoctorDeps): Promise<DoctorCheck[]> {
  const { config, versions, stores, now } = deps;
  const { publicUrl } = config;
  const [
    folder,
    disk,
    database,
    fileStore,
    totals,
    files,
    audit,
    nodes,
    reader,
    way,
    mail,
    signOn,
    saml,
    ldap,
  ] = await Promise.all([
    checkDataFolder(config.dataFolder),
    checkDiskSpace(config.dataFolder, config.limits),
    stores
      ? checkDatabase(stores.databaseKind, stores.askDatabase).then((asked) => ({ ...asked, at: now() }))
      : { check: skipped('database', doctorTexts.skippedFolder), clock: null, at: 0 },
    stores ? checkFileStore(stores.askFileStore) : skipped('file-store', doctorTexts.skippedFolder),
    stores ? checkTotals(stores.countWrongTotals) : skipped('totals', doctorTexts.skippedFolder),
    stores ? checkStoredFiles(stores.countDamaged) : skipped('files', doctorTexts.skippedFolder),
    stores ? checkAudit(config.audit, stores.askAudit) : skipped('audit', doctorTexts.skippedFolder),
    // Another check reports a database that does not answer.
    stores ? withTimeout(nodesTimeoutMs, stores.listNodes()).catch(() => []) : [],
    checkPackageReader(),
    checkPublicPath(deps),
    checkMail(deps.mailServer),
    deps.signOnProvider && checkSingleSignOn(deps.signOnProvider, publicUrl),
    deps.samlProvider && checkSaml(deps.samlProvider),
    config.ldap && checkLdap(config.ldap),
  ]);
  const clocks: OtherClock[] = [...way.clocks];
  if (database.clock !== null) clocks.push({ whose: 'database', time: database.clock, at: database.at });
  return [
    ok('version', versionText(versions)),
    folder,
    disk,
    database.check,
    fileStore,
    totals,
    files,
    audit,
    reader,
    checkClock(now(), clocks, nodes),
    ...way.checks,
    mail,
    ...(signOn ? [signOn] : []),
    ...(saml ? [saml] : []),
    ...(ldap ? [ldap] : []),
  ];
}

interface Way {
  checks: DoctorCheck[];
  clocks: OtherClock[];
}

const checksBehindAddress: readonly CheckId[] = [
  'proxy-headers',
  'upload-size',
  'request-buffering',
  'downloads',
];
const skipAll = (ids: readonly CheckId[], why: string) => ids.map((id) => skipped(id, why));

/** Checks the public address, and the path from there to this server. */
async function checkPublicPath(deps: DoctorDeps): Promise<Way> {
  const t = doctorTexts.https;
  const { publicUrl } = deps.config;
  if (publicUrl === null) {
    const rest = skipAll(['certificate', 'address', ...checksBehindAddress], doctorTexts.skippedUnset);
    return { checks: [problem('https', t.unset, t.unsetAdvice), ...rest], clocks: [] };
  }
  const origin = new URL(publicUrl);
  const secure = origin.protocol === 'https:';
  const https = secure
    ? ok('https', t.good({ origin: publicUrl }))
    : problem('https', t.plain({ origin: publicUrl }), t.plainAdvice);
  const [certificate, behind] = await Promise.all([
    secure ? checkCertificate(origin, deps.now()) : skipped('certificate', doctorTexts.skippedPlain),
    checkBehindAddress(deps, origin),
  ]);
  return { checks: [https, certificate, ...behind.checks], clocks: behind.clocks };
}

async function checkBehindAddress(deps: DoctorDeps, origin: URL): Promise<Way> {
  const address = deps.publicAddress?.(origin);
  if (!address)
    return { checks: skipAll(['address', ...checksBehindAddress], doctorTexts.skippedSecret), clocks: [] };
  const reached = await address.reach();
  const clocks = readClock(reached, deps.now());
  const check = checkAddress(origin, reached);
  if (check.state !== 'ok') {
    return { checks: [check, ...skipAll(checksBehindAddress, doctorTexts.skippedUnreached)], clocks };
  }
  const rest = await Promise.all([
    checkProxyHeaders(origin, reached),
    checkUploadSize(address, deps.config.limits.maxUploadBytes),
    checkRequestBuffering(address),
    checkDownloads(address),
  ]);
  return { checks: [check, ...rest], clocks };
}

/** The header is precise to the second, and possibly set by a proxy (RFC 9110, section 6.6.1). */
function readClock(outcome: ProbeOutcome, at: number): OtherClock[] {
  const date = outcome.kind === 'answered' ? outcome.headers.date : undefined;
  const time = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? [] : [{ whose: 'address', time, at }];
}

function versionText({ slipway, node }: { slipway: string; node: string | null }): string {
  return node === null
    ? doctorTexts.version({ version: slipway })
    : doctorTexts.versionOnNode({ version: slipway, node });
}
