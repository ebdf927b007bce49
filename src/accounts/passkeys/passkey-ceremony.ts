/**
 * What a browser is asked for and what its answer is worth (WebAuthn Level 3, sections 7.1 and 7.2). A challenge is random,
 * good once on all nodes together, for ten minutes, and for the browser that asked. Who made the authenticator is not asked
 * for and not looked at. The library that checks answers takes half a second to load, and so is loaded with the first one.
 */
import { randomBytes } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { AppError, invalid } from '../../core/errors.ts';
import type { ServerSecret } from '../../core/signature.ts';
import { createTickets } from '../../core/signed-ticket.ts';
import type { Attempts } from '../../limits/attempts.ts';
import { securityTexts } from '../second-factor/security-texts.ts';
import { maxCredentialIdLength, maxCredentialLength, type Passkey, type PasskeyLine } from './passkey.ts';

/** Where a browser is, and what its tickets are bound to. */
export interface CeremonyPlace {
  /** For example `https://apps.example.com`. */
  origin: string;
  /** The name that passkeys are bound to there. */
  relyingParty: string;
  boundTo: string;
}

/** What goes to the browser: options for `navigator.credentials`, and a ticket that comes back with its answer. */
export interface Asked<Options> {
  publicKey: Options;
  ticket: string;
}

/** What came back, both as text. */
export interface PasskeyAnswer {
  ticket: string;
  /** The browser's `PublicKeyCredential.toJSON()`. */
  credential: string;
}

export interface PasskeyCeremonies {
  askForNew(
    place: CeremonyPlace,
    person: { id: string; name: string },
    known: readonly PasskeyLine[],
  ): Asked<PublicKeyCredentialCreationOptionsJSON>;
  /** Throws `invalid` for an answer that is not good. */
  readNew(
    place: CeremonyPlace,
    userId: string,
    answer: PasskeyAnswer,
  ): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'signatureCount' | 'transports'>>;
  /** `only`: whose passkey it has to be, and which there are; null: whoever has one here. */
  askForProof(
    place: CeremonyPlace,
    only: { userId: string; known: readonly PasskeyLine[] } | null,
  ): Asked<PublicKeyCredentialRequestOptionsJSON>;
  /**
   * Whose the passkey is that has signed, and how often it says that it has. Throws `invalid` for an answer that is not good.
   * `only` as it was asked for.
   */
  readProof(
    place: CeremonyPlace,
    only: { userId: string } | null,
    answer: PasskeyAnswer,
    findPasskey: (credentialId: string) => Promise<Passkey | null>,
  ): Promise<{ passkey: Passkey; signatureCount: number }>;
}

export const challengeLifetimeMs = 10 * 60_000;
/** COSE algorithms: ES256 and RS256 are what platforms have (WebAuthn Level 3, section 5.4), EdDSA some keys. */
const algorithms = [-7, -8, -257];
const words = securityTexts.passkeys;
const late = () => invalid(words.late);
const refused = (cause?: unknown) => invalid(words.refused, cause);

export function createPasskeyCeremonies(parts: {
  secret: ServerSecret;
  attempts: Attempts;
  now: () => number;
}): PasskeyCeremonies {
  const { now } = parts;
  const adding = createTickets(parts.secret, 'new passkey');
  const proving = createTickets(parts.secret, 'passkey');
  const challenge = () => randomBytes(32).toString('base64url');
  const takeOnce = (value: string) => useChallenge(parts.attempts, value);
  return {
    askForNew: (place, person, known) => {
      const value = challenge();
      const ticket = adding.sign([value, person.id], place.boundTo, now() + challengeLifetimeMs);
      return { publicKey: creationOptions(place, value, person, known), ticket };
    },
    readNew: async (place, userId, answer) => {
      const [value, askedFor] = adding.read(answer.ticket, place.boundTo, now()) ?? [];
      if (value === undefined || askedFor !== userId || !(await takeOnce(value))) throw late();
      const response = readCredential(answer.credential) as RegistrationResponseJSON;
      return verifyNew(place, value, response);
    },
    askForProof: (place, only) => {
      const value = challenge();
      const ticket = proving.sign([value, only?.userId ?? ''], place.boundTo, now() + challengeLifetimeMs);
      return { publicKey: requestOptions(place, value, only?.known ?? []), ticket };
    },
    readProof: async (place, only, answer, findPasskey) => {
      const [value, askedFor] = proving.read(answer.ticket, place.boundTo, now()) ?? [];
      if (value === undefined || askedFor !== (only?.userId ?? '') || !(await takeOnce(value))) throw late();
      const response = readCredential(answer.credential) as AuthenticationResponseJSON;
      const passkey = await findPasskey(response.id);
      if (!passkey || (only && passkey.userId !== only.userId)) throw invalid(words.unknown);
      const handle = response.response?.userHandle;
      if (handle !== undefined && handle !== null && handle !== handleOf(passkey.userId)) throw refused();
      return { passkey, signatureCount: await verifyProof(place, value, response, passkey) };
    },
  };
}

/** The digest of a challenge is kept as long as a ticket for it could be. */
async function useChallenge(attempts: Attempts, challenge: string): Promise<boolean> {
  const limit = { most: 1, windowMs: 2 * challengeLifetimeMs, refusal: words.late };
  try {
    await attempts.count(['passkey challenge', challenge], limit);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'too_many') return false;
    throw error;
  }
}

/** What an authenticator keeps to know whose a passkey is. */
function handleOf(userId: string): string {
  return Buffer.from(userId).toString('base64url');
}

const descriptorOf = ({ credentialId, transports }: PasskeyLine) => ({
  type: 'public-key' as const,
  id: credentialId,
  transports,
});

function creationOptions(
  place: CeremonyPlace,
  challenge: string,
  person: { id: string; name: string },
  known: readonly PasskeyLine[],
): PublicKeyCredentialCreationOptionsJSON {
  return {
    rp: { name: securityTexts.issuer, id: place.relyingParty },
    user: { id: handleOf(person.id), name: person.name, displayName: person.name },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: challengeLifetimeMs,
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'required',
      // Read by authenticators of the first level of WebAuthn.
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  };
}

function requestOptions(
  place: CeremonyPlace,
  challenge: string,
  known: readonly PasskeyLine[],
): PublicKeyCredentialRequestOptionsJSON {
  return {
    challenge,
    rpId: place.relyingParty,
    timeout: challengeLifetimeMs,
    userVerification: 'required',
    allowCredentials: known.map(descriptorOf),
  };
}

/** Only its outline is looked at here; what is inside, the library reads. */
function readCredential(text: string): { id: string } {
  if (text.length > maxCredentialLength) throw refused();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refused(error);
  }
  if (typeof value !== 'object' || value === null) throw refused();
  if (!('id' in value) || typeof value.id !== 'string') throw refused();
  if (value.id.length > maxCredentialIdLength || value.id.includes('\0')) throw refused();
  if (!('response' in value) || typeof value.response !== 'object' || value.response === null)
    throw refused();
  return { ...value, id: value.id };
}

async function verifyNew(place: CeremonyPlace, challenge: string, response: RegistrationResponseJSON) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  try {
    const { attestationObject } = response.response;
    const plain = await withoutAttestation(attestationObject);
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, response: { ...response.response, attestationObject: plain } },
      expectedChallenge: challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.relyingParty,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
    if (!registrationInfo) throw refused();
    const { credential } = registrationInfo;
    if (credential.id !== response.id || credential.id.length > maxCredentialIdLength) throw refused();
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      signatureCount: credential.counter,
      transports: transportsOf(response.response.transports),
    };
  } catch (error) {
    throw refused(error);
  }
}

/**
 * The same object with the statement `none` (WebAuthn Level 3, section 8.7): an attestation that nobody asked for is not
 * checked, because its certificates could name addresses that the check would ask.
 */
async function withoutAttestation(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const plain = new Map<string, string | Uint8Array | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', decoded.get('authData')],
  ]);
  return Buffer.from(isoCBOR.encode(plain)).toString('base64url');
}

/** WebAuthn Level 3, section 5.8.4, names six; what comes is kept to be sent back, so only short words are. */
function transportsOf(given: unknown): string[] {
  const list: unknown[] = Array.isArray(given) ? given : [];
  return list.filter((one) => typeof one === 'string' && /^[a-z-]{1,20}$/.test(one)).slice(0, 8) as string[];
}

async function verifyProof(
  place: CeremonyPlace,
  challenge: string,
  response: AuthenticationResponseJSON,
  passkey: Passkey,
): Promise<number> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.relyingParty,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        // Any count passes here: whether it has grown is decided where it is written, for all nodes at once.
        counter: -1,
      },
      requireUserVerification: true,
    });
    if (!verified) throw refused();
    return authenticationInfo.newCounter;
  } catch (error) {
    throw refused(error);
  }
}
