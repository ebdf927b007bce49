/** Where builds come from: their attestations, and what the upload and the file say about the commit. */
import type { App, Build } from '../../apps/app.ts';
import { buildEntry } from '../../apps/builds/build-audit.ts';
import type { BuildChange } from '../../apps/builds/build-changes.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { conflict, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { type Actor, actorName } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { type Attestation, maxAttestationsPerBuild, type VerifiedAttestation } from './attestation.ts';
import { provenanceQueries } from './provenance-queries.ts';
import { provenanceTexts } from './provenance-texts.ts';
import type { AttestationVerifier } from './verify-attestation.ts';

export interface Provenance {
  /** That of the build: as uploaded, otherwise from the ID token of the CI job or from the file. */
  statedCommit: string | null;
  /** As the file names it. */
  packageCommit: string | null;
  /** Whether all known commits are the same; null if fewer than two are known. */
  agrees: boolean | null;
  /** The APK that Slipway made from the uploaded bundle. */
  apk: { sha256: string; keySha256: string | null } | null;
  attestations: Attestation[];
}

export interface ProvenanceChanges {
  load(build: Build): Promise<Provenance>;
  /**
   * Verifies the attestations and attaches those that are new. Throws `invalid` with the code `attestation_invalid`, `conflict` above
   * the limit, and `NotFound` if the build was deleted in the meantime.
   */
  attach(change: BuildChange, text: string): Promise<Attestation[]>;
}

export function createProvenanceChanges(deps: {
  data: Data;
  attestationVerifier: AttestationVerifier;
  now: () => number;
}): ProvenanceChanges {
  const { data, now } = deps;
  return {
    load: async (build) => {
      const attestations = await provenanceQueries(data).listAttestations(build.id);
      const packageCommit = await provenanceQueries(data).findPackageCommit(build.id);
      const commits = [build.commit, packageCommit, ...attestations.map(({ facts }) => facts.commit)];
      const { apk, info } = build;
      return {
        statedCommit: build.commit,
        packageCommit,
        agrees: commitsAgree(commits),
        apk:
          apk?.state === 'ready'
            ? { sha256: apk.sha256, keySha256: info.signing.certificates[0]?.sha256 ?? null }
            : null,
        attestations,
      };
    },
    attach: async ({ by, app, build }, text) => {
      const verified = await deps.attestationVerifier.verify(text, filesOf(build));
      await data.transaction(async (tx) => {
        if (!(await buildQueries(tx).findBuild(build.id))) throw new NotFound(provenanceTexts.errors.gone);
        await addAttestations(tx, { by, app, build }, verified, now());
      });
      return provenanceQueries(data).listAttestations(build.id);
    },
  };
}

/** The files that an attestation of the build may be about. */
const filesOf = ({ sha256, simulatorSha256 }: Pick<Build, 'sha256' | 'simulatorSha256'>) =>
  simulatorSha256 === null ? [sha256] : [sha256, simulatorSha256];

/** Stores verified attestations, and records those that the build did not have. Throws `conflict` above the limit. */
export async function addAttestations(
  tx: Connection,
  { by, app, build }: { by: Actor; app: App; build: Pick<Build, 'id' | 'revision'> },
  verified: readonly VerifiedAttestation[],
  at: number,
): Promise<void> {
  for (const attestation of verified) {
    const attached = { at, by: actorName(by) };
    if (!(await provenanceQueries(tx).insertAttestation(build.id, attestation, attached))) continue;
    if ((await provenanceQueries(tx).countAttestations(build.id)) > maxAttestationsPerBuild)
      throw conflict(provenanceTexts.errors.tooMany({ limit: maxAttestationsPerBuild }));
    const { signer, predicateType } = attestation.facts;
    const details = { signer, type: predicateType };
    await auditQueries(tx).record(buildEntry('build.attested', by, app, build, at, details));
  }
}

/** Compares without case; an abbreviated commit agrees with the whole one. Null if fewer than two are known. */
export function commitsAgree(commits: readonly (string | null)[]): boolean | null {
  const [longest, ...others] = commits
    .filter((commit) => commit !== null)
    .map((commit) => commit.toLowerCase())
    .toSorted((one, other) => other.length - one.length);
  if (longest === undefined || others.length === 0) return null;
  return others.every((commit) => longest.startsWith(commit));
}
