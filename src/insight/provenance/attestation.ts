/** What a verified attestation says about a file: who signed it, where, and from what. */
export interface AttestationFacts {
  /** Type of the statement, such as `https://slsa.dev/provenance/v1`. */
  predicateType: string;
  /** Name of the file in the statement. */
  subjectName: string;
  /** The identity in the certificate: for GitHub, the URL of the workflow. */
  signer: string | null;
  /** Who has checked the identity: for GitHub, the issuer of its ID tokens. */
  issuer: string | null;
  /** URL of the repository. */
  repository: string | null;
  commit: string | null;
  ref: string | null;
  runUrl: string | null;
  /** When it was signed, according to the transparency log or the timestamp authority. */
  signedAt: number;
  /** Which trusted root it was verified with. */
  root: 'sigstore' | 'configured';
}

export interface VerifiedAttestation {
  facts: AttestationFacts;
  /** The Sigstore bundle as one line of JSON. */
  bundle: string;
  /** SHA-256 of the bundle, lowercase hexadecimal. */
  bundleSha256: string;
}

export interface Attestation extends VerifiedAttestation {
  id: string;
  attachedAt: number;
  attachedBy: string;
}

/** GitHub's bundles have 10 to 20 KiB; those with an inventory of dependencies are larger. */
export const maxAttestationBytes = 512 * 1024;
export const maxAttestationsPerBuild = 10;
