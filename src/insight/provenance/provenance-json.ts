/** Provenance in `/api/v1`. */
import * as v from 'valibot';
import type { Build } from '../../apps/app.ts';
import { formatTime, textShape, timeShape } from '../../core/json-shapes.ts';
import type { Attestation } from './attestation.ts';
import type { Provenance } from './provenance.ts';

const nullableText = (description: string) => v.nullable(textShape(description));

const attestationShape = v.pipe(
  v.object({
    id: v.string(),
    predicate_type: textShape('Type of the statement, such as `https://slsa.dev/provenance/v1`.'),
    subject_name: textShape('Name of the file in the statement.'),
    signer: nullableText('Identity in the certificate: for GitHub, the URL of the workflow.'),
    issuer: nullableText('Who has checked the identity.'),
    repository: v.nullable(v.string()),
    commit: v.nullable(v.string()),
    ref: v.nullable(v.string()),
    run_url: v.nullable(v.string()),
    signed_at: timeShape('According to the transparency log or the timestamp authority.'),
    root: v.pipe(
      v.picklist(['sigstore', 'configured']),
      v.description(
        'The trusted root that it was verified with: the public one, or one of `SLIPWAY_TRUSTED_ROOTS`.',
      ),
    ),
    attached_at: timeShape(),
    attached_by: v.string(),
    bundle: v.pipe(v.record(v.string(), v.unknown()), v.description('The Sigstore bundle.')),
  }),
  v.title('Attestation'),
);

export const provenanceShape = v.pipe(
  v.object({
    sha256: textShape('SHA-256 of the uploaded file.'),
    commit: v.object({
      stated: nullableText(
        'That of the build: as uploaded, otherwise from the ID token of the CI job or from the file.',
      ),
      in_package: nullableText('As the file names it (`META-INF/version-control-info.textproto`).'),
      agrees: v.pipe(
        v.nullable(v.boolean()),
        v.description(
          'Whether these and those of the attestations are the same; null if fewer than two are known.',
        ),
      ),
    }),
    apk: v.pipe(
      v.nullable(
        v.object({
          sha256: v.string(),
          made_from_sha256: textShape('SHA-256 of the bundle that Slipway made it from.'),
          key_sha256: nullableText('SHA-256 of the certificate of its signature.'),
        }),
      ),
      v.description('The APK that Slipway made from an app bundle.'),
    ),
    attestations: v.array(attestationShape),
  }),
  v.title('Provenance'),
);

export function provenanceJson(build: Build, provenance: Provenance): v.InferOutput<typeof provenanceShape> {
  const { statedCommit, packageCommit, agrees, apk, attestations } = provenance;
  return {
    sha256: build.sha256,
    commit: { stated: statedCommit, in_package: packageCommit, agrees },
    apk: apk && { sha256: apk.sha256, made_from_sha256: build.sha256, key_sha256: apk.keySha256 },
    attestations: attestations.map(attestationJson),
  };
}

function attestationJson({ id, facts, bundle, attachedAt, attachedBy }: Attestation) {
  return {
    id,
    predicate_type: facts.predicateType,
    subject_name: facts.subjectName,
    signer: facts.signer,
    issuer: facts.issuer,
    repository: facts.repository,
    commit: facts.commit,
    ref: facts.ref,
    run_url: facts.runUrl,
    signed_at: formatTime(facts.signedAt),
    root: facts.root,
    attached_at: formatTime(attachedAt),
    attached_by: attachedBy,
    bundle: JSON.parse(bundle),
  };
}
