/**
 * Verifies Sigstore bundles (https://docs.sigstore.dev/about/bundle) with in-toto statements, as `actions/attest` writes them,
 * offline, and binds them to a file by its SHA-256.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Bundle } from '@sigstore/bundle';
import type { TrustedRoot } from '@sigstore/protobuf-specs';
import type { SignedEntity, Verifier } from '@sigstore/verify';
import * as v from 'valibot';
import { AppError, reasonOf, unavailable } from '../../core/errors.ts';
import {
  type AttestationFacts,
  maxAttestationBytes,
  maxAttestationsPerBuild,
  type VerifiedAttestation,
} from './attestation.ts';
import { provenanceTexts } from './provenance-texts.ts';

const t = provenanceTexts.errors;

/** Name of the field in forms and JSON. */
export const attestationField = 'attestation';
const refused = (message: string, cause?: unknown) =>
  new AppError('invalid', message, { code: 'attestation_invalid', field: attestationField, cause });

export interface AttestationVerifier {
  /**
   * @param text one bundle, or several as lines
   * @param sha256 the files that it may be about, lowercase hexadecimal
   * @throws AppError `invalid` with the code `attestation_invalid`
   */
  verify(text: string, sha256: readonly string[]): Promise<VerifiedAttestation[]>;
}

/** Entries of logs and timestamps in a bundle; genuine ones have one or two. Each costs a verification of signatures. */
const maxLogEntries = 8;
const payloadType = 'application/vnd.in-toto+json';
const maxTextLength = 2_000;

interface Root {
  name: AttestationFacts['root'];
  verifier: Verifier;
}

/** @param rootsPath file with further trusted roots: JSON, or one per line as `gh attestation trusted-root` prints them */
export function createAttestationVerifier(rootsPath: string | null): AttestationVerifier {
  let loaded: Promise<Root[]> | null = null;
  const roots = () => {
    loaded ??= loadRoots(rootsPath).catch((error: unknown) => {
      loaded = null;
      throw error;
    });
    return loaded;
  };
  return {
    verify: async (text, sha256) => {
      if (Buffer.byteLength(text) > maxAttestationBytes)
        throw refused(t.tooLarge({ limit: maxAttestationBytes / 1024 }));
      const bundles = parseBundles(text);
      const verified: VerifiedAttestation[] = [];
      for (const bundle of bundles) verified.push(await verifyBundle(await roots(), bundle, sha256));
      return verified;
    },
  };
}

async function loadRoots(path: string | null): Promise<Root[]> {
  const [{ Verifier, toTrustMaterial }, { TrustedRoot }, { sigstoreTrustedRoot }] = await Promise.all([
    import('@sigstore/verify'),
    import('@sigstore/protobuf-specs'),
    import('./sigstore-trusted-root.ts'),
  ]);
  const rootOf = (name: Root['name'], json: unknown): Root => {
    const root: TrustedRoot = TrustedRoot.fromJSON(json);
    // A root without logs, such as GitHub's for private repositories, has a timestamp authority instead.
    const [tlogThreshold, ctlogThreshold] = [root.tlogs, root.ctlogs].map((logs) => Math.min(logs.length, 1));
    const options = { tlogThreshold: tlogThreshold ?? 1, ctlogThreshold: ctlogThreshold ?? 1 };
    return { name, verifier: new Verifier(toTrustMaterial(root), { ...options, timestampThreshold: 1 }) };
  };
  const roots = [rootOf('sigstore', sigstoreTrustedRoot)];
  if (path === null) return roots;
  try {
    for (const json of parseJsonLines(await readFile(path, 'utf8'))) roots.push(rootOf('configured', json));
  } catch (error) {
    throw unavailable(t.rootsUnreadable({ path, reason: reasonOf(error) }), error);
  }
  return roots;
}

/** Parses a JSON document, or one per line. */
function parseJsonLines(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw error;
    return lines.map((line) => JSON.parse(line));
  }
}

function parseBundles(text: string): unknown[] {
  let bundles: unknown[];
  try {
    bundles = parseJsonLines(text);
  } catch (error) {
    throw refused(t.notJson, error);
  }
  if (bundles.length > maxAttestationsPerBuild) throw refused(t.tooMany({ limit: maxAttestationsPerBuild }));
  return bundles;
}

const logs = v.optional(v.pipe(v.array(v.unknown()), v.maxLength(maxLogEntries)));
/** Checked before the library reads it, because it compares each entry with all others. */
const bundleLimits = v.object({
  verificationMaterial: v.object({
    tlogEntries: logs,
    timestampVerificationData: v.optional(v.object({ rfc3161Timestamps: logs })),
  }),
  dsseEnvelope: v.object({ payloadType: v.string() }),
});

async function verifyBundle(
  roots: readonly Root[],
  json: unknown,
  sha256: readonly string[],
): Promise<VerifiedAttestation> {
  const limits = v.safeParse(bundleLimits, json);
  if (!limits.success) throw refused(t.notBundle);
  if (limits.output.dsseEnvelope.payloadType !== payloadType) throw refused(t.otherPayload);
  const [{ toSignedEntity }, { bundleFromJSON, bundleToJSON }] = await Promise.all([
    import('@sigstore/verify'),
    import('@sigstore/bundle'),
  ]);
  let bundle: Bundle;
  let entity: SignedEntity;
  try {
    bundle = bundleFromJSON(json);
    entity = toSignedEntity(bundle);
  } catch (error) {
    throw refused(t.notBundle, error);
  }
  const { root, signer } = verifyEntity(roots, entity);
  const text = JSON.stringify(bundleToJSON(bundle));
  const facts = { ...readStatement(bundle, sha256), ...signer, signedAt: signingTime(entity), root };
  return { facts, bundle: text, bundleSha256: createHash('sha256').update(text).digest('hex') };
}

type SignerFacts = Pick<AttestationFacts, 'signer' | 'issuer' | 'repository' | 'commit' | 'ref' | 'runUrl'>;

/** Verifies with the first root that accepts it. Throws the error of the last one otherwise. */
function verifyEntity(
  roots: readonly Root[],
  entity: SignedEntity,
): { root: AttestationFacts['root']; signer: SignerFacts } {
  let last: unknown = null;
  for (const { name, verifier } of roots) {
    try {
      const { identity } = verifier.verify(entity);
      if (!identity) throw new Error('the bundle was signed with a key instead of a certificate');
      const { oids = [] } = identity;
      const claim = (suffix: number) => {
        const found = oids.find(({ oid }) => oid?.id.join('.') === `${fulcio}.${suffix}`);
        return found ? derText(Buffer.from(found.value)) : null;
      };
      return {
        root: name,
        signer: {
          signer: short(identity.subjectAlternativeName ?? null),
          issuer: short(identity.extensions?.issuer ?? null),
          repository: claim(claims.repository),
          commit: claim(claims.commit),
          ref: claim(claims.ref),
          runUrl: claim(claims.runUrl),
        },
      };
    } catch (error) {
      last = error;
    }
  }
  throw refused(t.notVerified({ reason: reasonOf(last) }), last);
}

/** Extensions of Fulcio's certificates: https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md */
const fulcio = '1.3.6.1.4.1.57264.1';
const claims = { repository: 12, commit: 13, ref: 14, runUrl: 21 } as const;

/** Reads a DER UTF8String; null for anything else. */
function derText(bytes: Buffer): string | null {
  const [tag, length = 0] = bytes;
  const head = length < 0x80 ? 2 : 2 + (length & 0x7f);
  return tag === 0x0c ? short(bytes.toString('utf8', head)) : null;
}

const short = (text: string | null) => text?.replaceAll('\0', '').slice(0, maxTextLength) ?? null;

const statementShape = v.object({
  _type: v.picklist(['https://in-toto.io/Statement/v1', 'https://in-toto.io/Statement/v0.1']),
  subject: v.array(v.object({ name: v.optional(v.string(), ''), digest: v.record(v.string(), v.string()) })),
  predicateType: v.string(),
});

/** Throws `invalid` unless the signed statement is about one of the files. */
function readStatement(
  { content }: Bundle,
  sha256: readonly string[],
): Pick<AttestationFacts, 'predicateType' | 'subjectName'> {
  const payload = content.$case === 'dsseEnvelope' ? content.dsseEnvelope.payload : null;
  let json: unknown = null;
  try {
    json = JSON.parse(payload?.toString('utf8') ?? '');
  } catch (error) {
    throw refused(t.otherPayload, error);
  }
  const statement = v.safeParse(statementShape, json);
  if (!statement.success) throw refused(t.otherPayload);
  const subject = statement.output.subject.find(({ digest }) =>
    sha256.includes((digest.sha256 ?? '').toLowerCase()),
  );
  if (!subject) throw refused(t.otherFile({ sha256: sha256[0] ?? '' }));
  const { predicateType } = statement.output;
  return { predicateType: short(predicateType) ?? '', subjectName: short(subject.name) ?? '' };
}

/** The earliest time that a log or an authority vouches for; the verifier requires one. */
function signingTime({ timestamps }: SignedEntity): number {
  const times = timestamps.flatMap((one) => {
    if (one.$case === 'timestamp-authority') return one.timestamp.signingTime.getTime();
    return one.tlogEntry.inclusionPromise ? Number(one.tlogEntry.integratedTime) * 1000 : [];
  });
  return Math.min(...times);
}
