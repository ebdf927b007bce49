/**
 * An authenticator in software: answers what `navigator.credentials` would (WebAuthn Level 3, section 6), with ES256 keys.
 * Each knob makes it lie about one thing.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Lies {
  origin?: string;
  relyingParty?: string;
  challenge?: string;
  type?: string;
  userVerified?: boolean;
  userPresent?: boolean;
  /** What it says that it has counted; it counts by itself otherwise. */
  count?: number;
  userHandle?: string;
  /** Of the credential in place of its own. */
  id?: string;
  /** An attestation that nobody asked for. */
  attestation?: { fmt: string; statement: Cbor };
  /** Of the key in place of -7. */
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
  /** Of the key that `create` has made. */
  id: string;
  /** The credential as JSON text. */
  create(options: CreationOptions, lies?: Lies): string;
  get(options: RequestOptions, lies?: Lies): string;
}

/** `counts`: whether it counts its signatures; passkeys that are kept in a cloud say 0 for good. */
export function createAuthenticator(origin: string, { counts = false } = {}): SoftwareAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32).toString('base64url');
  let handle = '';
  let counted = 0;
  const countOf = (lies: Lies) => {
    if (counts) counted += 1;
    return lies.count ?? counted;
  };
  return {
    id,
    create: ({ rp, user, challenge }, lies = {}) => {
      handle = user.id;
      const head = authenticatorHead(rp.id, lies, countOf(lies), 0x40);
      const idBytes = Buffer.from(lies.id ?? id, 'base64url');
      const length = Buffer.from([idBytes.length >> 8, idBytes.length & 255]);
      const key = coseKey(publicKey, lies.algorithm ?? -7);
      const authData = Buffer.concat([head, Buffer.alloc(16), length, idBytes, key]);
      const { fmt, statement } = lies.attestation ?? { fmt: 'none', statement: new Map() };
      const object = new Map<string, Cbor>([
        ['fmt', fmt],
        ['attStmt', statement],
        ['authData', authData],
      ]);
      return credentialJson(id, {
        clientDataJSON: clientData(lies.type ?? 'webauthn.create', origin, challenge, lies),
        attestationObject: cbor(object),
        transports: ['internal', 'hybrid'],
      });
    },
    get: ({ rpId, challenge }, lies = {}) => {
      const authenticatorData = authenticatorHead(rpId, lies, countOf(lies), 0);
      const clientDataJSON = clientData(lies.type ?? 'webauthn.get', origin, challenge, lies);
      const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
      return credentialJson(lies.id ?? id, {
        clientDataJSON,
        authenticatorData,
        signature: lies.signature ?? sign('sha256', signed, privateKey),
        userHandle: Buffer.from(lies.userHandle ?? handle, 'base64url'),
      });
    },
  };
}

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

function clientData(type: string, origin: string, challenge: string, lies: Lies): Buffer {
  const data = {
    type,
    challenge: lies.challenge ?? challenge,
    origin: lies.origin ?? origin,
    crossOrigin: false,
  };
  return Buffer.from(JSON.stringify(data));
}

/** Section 6.1: the hash of the relying party's name, flags and count. */
function authenticatorHead(relyingParty: string, lies: Lies, count: number, more: number): Buffer {
  const present = lies.userPresent === false ? 0 : 0x01;
  const verified = lies.userVerified === false ? 0 : 0x04;
  const tail = Buffer.alloc(5);
  tail.writeUInt8(present | verified | more);
  tail.writeUInt32BE(count, 1);
  return Buffer.concat([sha256(lies.relyingParty ?? relyingParty), tail]);
}

function credentialJson(id: string, response: Record<string, Buffer | string[]>): string {
  const fields = Object.entries(response).map(([name, value]) => [
    name,
    Buffer.isBuffer(value) ? value.toString('base64url') : value,
  ]);
  return JSON.stringify({
    ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
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

/** RFC 8949, as much of it as authenticators speak. */
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
