/**
 * Creates and verifies WebAuthn ceremonies (WebAuthn Level 3, sections 7.1 and 7.2). A challenge is random, valid once
 * across all nodes, for ten minutes, and only for the browser that requested it. Attestation is neither requested nor
 * checked. The verification library takes half a second to load, so it is loaded on first use.
 */
import { randomBytes } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { invalid } from '../../core/errors.ts';
import type { ServerSecret } from '../../core/signature.ts';
import { browserTokenFormat, createTokenCodec } from '../../core/signed-token.ts';
import type { Attempts } from '../../limits/attempts.ts';
import { securityTexts } from '../second-factor/security-texts.ts';
import { maxCredentialIdLength, maxCredentialLength, type Passkey, type PasskeyLine } from './passkey.ts';

/** Where a ceremony takes place, and the browser that its tokens are bound to. */
export interface CeremonyContext {
  /** For example `https://apps.example.com`. */
  origin: string;
  /** The relying party id, to which passkeys are bound. */
  relyingParty: string;
  boundTo: string;
}

/** Sent to the browser: options for `navigator.credentials`, and a token (`ticket` on the wire) to send back with the result. */
export interface CeremonyRequest<Options> {
  publicKey: Options;
  ticket: string;
}

/** The browser's response; `ticket` is the token. */
export interface PasskeyResponse {
  ticket: string;
  /** The browser's `PublicKeyCredential.toJSON()`. */
  credential: string;
}

export interface PasskeyCeremonies {
  createRegistrationOptions(
    place: CeremonyContext,
    person: { id: string; name: string },
    known: readonly PasskeyLine[],
  ): CeremonyRequest<PublicKeyCredentialCreationOptionsJSON>;
  /** Throws `invalid` if the response does not verify. */
  verifyRegistration(
    place: CeremonyContext,
    userId: string,
    answer: PasskeyResponse,
  ): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'signatureCount' | 'transports'>>;
  /** `only`: the person who must sign, with their passkeys; null for anyone. */
  createAuthenticationOptions(
    place: CeremonyContext,
    only: { userId: string; known: readonly PasskeyLine[] } | null,
  ): CeremonyRequest<PublicKeyCredentialRequestOptionsJSON>;
  /**
   * Returns the owner of the passkey that signed, and its signature count. Throws `invalid` if the response does not verify. Pass
   * the same `only` as to `createAuthenticationOptions`.
   */
  verifyAuthentication(
    place: CeremonyContext,
    only: { userId: string } | null,
    answer: PasskeyResponse,
    findPasskey: (credentialId: string) => Promise<Passkey | null>,
  ): Promise<{ passkey: Passkey; signatureCount: number }>;
}

export const challengeLifetimeMs = 10 * 60_000;
/** COSE algorithms: platforms use ES256 and RS256 (WebAuthn Level 3, section 5.4), some security keys EdDSA. */
const algorithms = [-7, -8, -257];
const t = securityTexts.passkeys;
const late = () => invalid(t.late);
const refused = (cause?: unknown) => invalid(t.refused, cause);

export function createPasskeyCeremonies(deps: {
  secret: ServerSecret;
  attempts: Attempts;
  now: () => number;
}): PasskeyCeremonies {
  const { now } = deps;
  const adding = createTokenCodec(deps.secret, 'new passkey', browserTokenFormat);
  const proving = createTokenCodec(deps.secret, 'passkey', browserTokenFormat);
  const browserToken = (values: string[]) => ({ values, expiresAt: now() + challengeLifetimeMs });
  const challenge = () => randomBytes(32).toString('base64url');
  const takeOnce = (value: string) => useChallenge(deps.attempts, value);
  return {
    createRegistrationOptions: (place, person, known) => {
      const value = challenge();
      const token = adding.issue(browserToken([value, person.id]), place.boundTo);
      return { publicKey: creationOptions(place, value, person, known), ticket: token };
    },
    verifyRegistration: async (place, userId, answer) => {
      const [value, askedFor] = adding.read(answer.ticket, now(), place.boundTo)?.values ?? [];
      if (value === undefined || askedFor !== userId || !(await takeOnce(value))) throw late();
      const response = readCredential(answer.credential) as RegistrationResponseJSON;
      return verifyNew(place, value, response);
    },
    createAuthenticationOptions: (place, only) => {
      const value = challenge();
      const token = proving.issue(browserToken([value, only?.userId ?? '']), place.boundTo);
      return { publicKey: requestOptions(place, value, only?.known ?? []), ticket: token };
    },
    verifyAuthentication: async (place, only, answer, findPasskey) => {
      const [value, askedFor] = proving.read(answer.ticket, now(), place.boundTo)?.values ?? [];
      if (value === undefined || askedFor !== (only?.userId ?? '') || !(await takeOnce(value))) throw late();
      const response = readCredential(answer.credential) as AuthenticationResponseJSON;
      const passkey = await findPasskey(response.id);
      if (!passkey || (only && passkey.userId !== only.userId)) throw invalid(t.unknown);
      const handle = response.response?.userHandle;
      if (handle !== undefined && handle !== null && handle !== handleOf(passkey.userId)) throw refused();
      return { passkey, signatureCount: await verifyProof(place, value, response, passkey) };
    },
  };
}

/** Challenges are remembered by digest for as long as their token is valid. */
const useChallenge = (attempts: Attempts, challenge: string) =>
  attempts.useOnce(['passkey challenge', challenge], 2 * challengeLifetimeMs);

/** The user handle, by which an authenticator identifies the account of a passkey. */
function handleOf(userId: string): string {
  return Buffer.from(userId).toString('base64url');
}

const descriptorOf = ({ credentialId, transports }: PasskeyLine) => ({
  type: 'public-key' as const,
  id: credentialId,
  transports,
});

function creationOptions(
  place: CeremonyContext,
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
      // For authenticators of WebAuthn Level 1.
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  };
}

function requestOptions(
  place: CeremonyContext,
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

/** Checks only the outer shape; the library checks the rest. */
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

async function verifyNew(place: CeremonyContext, challenge: string, response: RegistrationResponseJSON) {
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
 * Replaces the attestation statement with `none` (WebAuthn Level 3, section 8.7). Verifying an unrequested attestation
 * could contact addresses that its certificates name.
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

/**
 * WebAuthn Level 3, section 5.8.4, defines six values. They are stored and sent back, so only short words are accepted.
 */
function transportsOf(given: unknown): string[] {
  const list: unknown[] = Array.isArray(given) ? given : [];
  return list.filter((one) => typeof one === 'string' && /^[a-z-]{1,20}$/.test(one)).slice(0, 8) as string[];
}

async function verifyProof(
  place: CeremonyContext,
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
        // Accepts any count here. The database checks that it has grown, atomically for all nodes.
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
