/**
 * A software authenticator: answers like `navigator.credentials` (WebAuthn Level 3, section 6) with ES256 keys. Each
 * option forges one value.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Forgeries {
  origin?: string;
  relyingParty?: string;
  challenge?: string;
  type?: string;
  userVerified?: boolean;
  userPresent?: boolean;
  /** The reported signature counter; its real one by default. */
  count?: number;
  userHandle?: string;
  /** Replaces the credential id. */
  id?: string;
  /** An unrequested attestation. */
  attestation?: { fmt: string; statement: Cbor };
  /** Replaces the key algorithm -7. */
  algorithm?: number;
  signature?: Buffer;
}

interface CreationOptions {
  rp: { id: string };
  user: { id: string };
  challenge: string;
}

interface RequestOptions {
  rpId: string;
  challenge: string;
}

export interface SoftwareAuthenticator {
  /** The id of the created credential. */
  id: string;
  /** The credential as JSON text. */
  create(options: CreationOptions, forgeries?: Forgeries): string;
  get(options: RequestOptions, forgeries?: Forgeries): string;
}

/** `counts`: whether it has a signature counter; synced passkeys always report 0. */
export function createAuthenticator(origin: string, { counts = false } = {}): SoftwareAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32).toString('base64url');
  let handle = '';
  let counted = 0;
  const countOf = (forgeries: Forgeries) => {
    if (counts) counted += 1;
    return forgeries.count ?? counted;
  };
  return {
    id,
    create: ({ rp, user, challenge }, forgeries = {}) => {
      handle = user.id;
      const head = authenticatorHead(rp.id, forgeries, countOf(forgeries), 0x40);
      const idBytes = Buffer.from(forgeries.id ?? id, 'base64url');
      const length = Buffer.from([idBytes.length >> 8, idBytes.length & 255]);
      const key = coseKey(publicKey, forgeries.algorithm ?? -7);
      const authData = Buffer.concat([head, Buffer.alloc(16), length, idBytes, key]);
      const { fmt, statement } = forgeries.attestation ?? { fmt: 'none', statement: new Map() };
      const object = new Map<string, Cbor>([
        ['fmt', fmt],
        ['attStmt', statement],
        ['authData', authData],
      ]);
      return credentialJson(id, {
        clientDataJSON: clientData(forgeries.type ?? 'webauthn.create', origin, challenge, forgeries),
        attestationObject: cbor(object),
        transports: ['internal', 'hybrid'],
      });
    },
    get: ({ rpId, challenge }, forgeries = {}) => {
      const authenticatorData = authenticatorHead(rpId, forgeries, countOf(forgeries), 0);
      const clientDataJSON = clientData(forgeries.type ?? 'webauthn.get', origin, challenge, forgeries);
      const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
      return credentialJson(forgeries.id ?? id, {
        clientDataJSON,
        authenticatorData,
        signature: forgeries.signature ?? sign('sha256', signed, privateKey),
        userHandle: Buffer.from(forgeries.userHandle ?? handle, 'base64url'),
      });
    },
  };
}

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

function clientData(type: string, origin: string, challenge: string, forgeries: Forgeries): Buffer {
  const data = {
    type,
    challenge: forgeries.challenge ?? challenge,
    origin: forgeries.origin ?? origin,
    crossOrigin: false,
  };
  return Buffer.from(JSON.stringify(data));
}

/** Section 6.1: the hash of the relying party id, flags and counter. */
function authenticatorHead(relyingParty: string, forgeries: Forgeries, count: number, more: number): Buffer {
  const present = forgeries.userPresent === false ? 0 : 0x01;
  const verified = forgeries.userVerified === false ? 0 : 0x04;
  const tail = Buffer.alloc(5);
  tail.writeUInt8(present | verified | more);
  tail.writeUInt32BE(count, 1);
  return Buffer.concat([sha256(forgeries.relyingParty ?? relyingParty), tail]);
}

function credentialJson(id: string, response: Record<string, Buffer | string[]>): string {
  const fields = Object.entries(response).map(([name, value]) => [
    name,
    Buffer.isBuffer(value) ? value.toString('base64url') : value,
  ]);
  return JSON.stringify({
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: Object.fromEntries(fields),
  });
}

/** RFC 9053, section 7.1.1. */
function coseKey(publicKey: KeyObject, algorithm: number): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, algorithm],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
}

type Cbor = number | string | Buffer | Cbor[] | Map<number, Cbor> | Map<string, Cbor>;

/** The part of RFC 8949 that authenticators use. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === 'string')
    return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([cborHead(4, value.length), ...value.map(cbor)]);
  const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)]);
  return Buffer.concat([cborHead(5, value.size), ...entries]);
}

function cborHead(major: number, count: number): Buffer {
  const type = major << 5;
  if (count < 24) return Buffer.from([type | count]);
  if (count < 256) return Buffer.from([type | 24, count]);
  return Buffer.from([type | 25, count >> 8, count & 255]);
}
