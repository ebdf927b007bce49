/** A private Sigstore instance without network: a certificate authority, a transparency log, and bundles signed with them. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  der,
  derIdentifier,
  derName,
  derSequence,
  utcTime,
} from '../../src/packages/certificate/der-writer.ts';

export interface BundleSpec {
  /** Digest of the file, lowercase hexadecimal. */
  sha256: string;
  fileName?: string;
  commit?: string;
  payloadType?: string;
  /** Replaces the in-toto statement. */
  payload?: Buffer;
  /** Epoch milliseconds; the certificate is valid for ten minutes from then. */
  certifiedAt?: number;
  /** When the log has seen it. */
  loggedAt?: number;
}

export interface PrivateSigstore {
  /** `trusted_root.json`. */
  trustedRoot: object;
  createBundle(spec: BundleSpec): Record<string, unknown>;
}

const ecdsaWithSha256 = derSequence([derIdentifier('1.2.840.10045.4.3.2')]);
const time = (at: number) => utcTime(`${new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)}Z`);
const spkiOf = (key: KeyObject) => key.export({ format: 'der', type: 'spki' });
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
const truth = der(0x01, Buffer.of(0xff));
const extension = (id: string, value: Buffer, critical = false) =>
  derSequence([derIdentifier(id), ...(critical ? [truth] : []), der(0x04, value)]);

export const signerIdentity = 'https://github.com/acme/tide/.github/workflows/release.yml@refs/heads/main';

export function createPrivateSigstore(name = 'Private Sigstore'): PrivateSigstore {
  const [authority, log] = [newKey(), newKey()];
  const issuer = derName([['2.5.4.3', name]]);
  const certify = (
    subject: Buffer,
    key: KeyObject,
    [from, until]: readonly [number, number],
    extensions: readonly Buffer[],
  ) => {
    const body = derSequence([
      der(0xa0, der(0x02, Buffer.of(2))),
      der(0x02, Buffer.of(1, Math.floor(Math.random() * 256))),
      ecdsaWithSha256,
      issuer,
      derSequence([time(from), time(until)]),
      subject,
      spkiOf(key),
      der(0xa3, derSequence(extensions)),
    ]);
    const signature = sign('sha256', body, authority.privateKey);
    return derSequence([body, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.of(0), signature]))]);
  };
  const root = certify(
    issuer,
    authority.publicKey,
    [Date.parse('2020-01-01'), Date.parse('2040-01-01')],
    [
      extension('2.5.29.19', derSequence([truth]), true),
      extension('2.5.29.15', der(0x03, Buffer.of(2, 0x04)), true),
    ],
  );
  const logId = sha256(spkiOf(log.publicKey));
  const validFor = { start: '2020-01-01T00:00:00Z' };

  const createBundle = (spec: BundleSpec) => {
    const certifiedAt = spec.certifiedAt ?? Date.parse('2026-11-01T10:00:00Z');
    const { privateKey, publicKey } = newKey();
    const claim = (suffix: number, text: string) =>
      extension(`1.3.6.1.4.1.57264.1.${suffix}`, der(0x0c, Buffer.from(text)));
    const certificate = certify(
      derSequence([]),
      publicKey,
      [certifiedAt, certifiedAt + 600_000],
      [
        extension('2.5.29.17', derSequence([der(0x86, Buffer.from(signerIdentity))]), true),
        claim(8, 'https://token.actions.githubusercontent.com'),
        claim(12, 'https://github.com/acme/tide'),
        claim(13, spec.commit ?? 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00'),
        claim(14, 'refs/heads/main'),
        claim(21, 'https://github.com/acme/tide/actions/runs/7/attempts/1'),
      ],
    );
    const payloadType = spec.payloadType ?? 'application/vnd.in-toto+json';
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: spec.fileName ?? 'app.apk', digest: { sha256: spec.sha256 } }],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {},
    };
    const payload = spec.payload ?? Buffer.from(JSON.stringify(statement));
    const head = Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `);
    const signature = sign('sha256', Buffer.concat([head, payload]), privateKey).toString('base64');
    const body = Buffer.from(
      JSON.stringify({
        apiVersion: '0.0.1',
        kind: 'dsse',
        spec: {
          payloadHash: { algorithm: 'sha256', value: sha256(payload).toString('hex') },
          signatures: [{ signature }],
        },
      }),
    ).toString('base64');
    const integratedTime = Math.floor((spec.loggedAt ?? certifiedAt + 1_000) / 1000);
    // Canonical JSON: the names in order.
    const promised = JSON.stringify({ body, integratedTime, logID: logId.toString('hex'), logIndex: 0 });
    const rootHash = sha256(Buffer.concat([Buffer.of(0), Buffer.from(body, 'base64')])).toString('base64');
    const note = `log.example\n1\n${rootHash}\n`;
    const noteSignature = Buffer.concat([
      logId.subarray(0, 4),
      sign('sha256', Buffer.from(note), log.privateKey),
    ]);
    return {
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: {
        certificate: { rawBytes: certificate.toString('base64') },
        tlogEntries: [
          {
            logIndex: '0',
            logId: { keyId: logId.toString('base64') },
            kindVersion: { kind: 'dsse', version: '0.0.1' },
            integratedTime: String(integratedTime),
            inclusionPromise: {
              signedEntryTimestamp: sign('sha256', Buffer.from(promised), log.privateKey).toString('base64'),
            },
            inclusionProof: {
              logIndex: '0',
              rootHash,
              treeSize: '1',
              hashes: [],
              checkpoint: { envelope: `${note}\n\u2014 log.example ${noteSignature.toString('base64')}\n` },
            },
            canonicalizedBody: body,
          },
        ],
      },
      dsseEnvelope: { payload: payload.toString('base64'), payloadType, signatures: [{ sig: signature }] },
    };
  };

  return {
    trustedRoot: {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [
        {
          baseUrl: 'https://log.example',
          hashAlgorithm: 'SHA2_256',
          publicKey: {
            rawBytes: spkiOf(log.publicKey).toString('base64'),
            keyDetails: 'PKIX_ECDSA_P256_SHA_256',
            validFor,
          },
          logId: { keyId: logId.toString('base64') },
        },
      ],
      certificateAuthorities: [
        {
          subject: { organization: name, commonName: name },
          uri: 'https://fulcio.example',
          certChain: { certificates: [{ rawBytes: root.toString('base64') }] },
          validFor,
        },
      ],
      ctlogs: [],
      timestampAuthorities: [],
    },
    createBundle,
  };
}
