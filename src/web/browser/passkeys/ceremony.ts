/**
 * WebAuthn options from the server, as JSON with bytes in base64url. Not `@simplewebauthn/browser`, which would add at least 3.0
 * KB compressed to a script of 1.9 KB, and not `parseCreationOptionsFromJSON`, which is missing in Safari before 18.4.
 */
import { isRecord } from '../json.ts';
import { decodeBase64url } from './base64url.ts';

export interface Ceremony {
  /** Passed to `creationOptions` or `requestOptions`, depending on the form. */
  publicKey: unknown;
  /** Sent back with the authenticator's response. */
  ticket: string;
}

interface DescriptorJson extends Omit<PublicKeyCredentialDescriptor, 'id'> {
  id: string;
}

interface CreationJson
  extends Omit<
    PublicKeyCredentialCreationOptions,
    'challenge' | 'user' | 'excludeCredentials' | 'extensions'
  > {
  challenge: string;
  user: Omit<PublicKeyCredentialUserEntity, 'id'> & { id: string };
  excludeCredentials: DescriptorJson[];
}

interface RequestJson
  extends Omit<PublicKeyCredentialRequestOptions, 'challenge' | 'allowCredentials' | 'extensions'> {
  challenge: string;
  allowCredentials: DescriptorJson[];
}

/** Throws if the value is not a ceremony. */
export function readCeremony(value: unknown): Ceremony {
  if (!isRecord(value) || typeof value.ticket !== 'string') throw new Error('the server sent no ceremony');
  return { publicKey: value.publicKey, ticket: value.ticket };
}

/** Returns the options of a registration. Throws for anything else. */
export function creationOptions(value: unknown): PublicKeyCredentialCreationOptions {
  if (!isCreation(value)) throw new Error('the server sent no options of a registration');
  if (PublicKeyCredential.parseCreationOptionsFromJSON) {
    return PublicKeyCredential.parseCreationOptionsFromJSON(value);
  }
  return decodeCreation(value);
}

/** Returns the options of a sign-in. Throws for anything else. */
export function requestOptions(value: unknown): PublicKeyCredentialRequestOptions {
  if (!isRequest(value)) throw new Error('the server sent no options of a sign-in');
  if (PublicKeyCredential.parseRequestOptionsFromJSON) {
    return PublicKeyCredential.parseRequestOptionsFromJSON(value);
  }
  return decodeRequest(value);
}

// For browsers before 2025: WebAuthn Level 3, sections 5.1.8 and 5.1.9.

function decodeCreation(json: CreationJson): PublicKeyCredentialCreationOptions {
  return {
    ...json,
    challenge: decodeBase64url(json.challenge),
    user: { ...json.user, id: decodeBase64url(json.user.id) },
    excludeCredentials: json.excludeCredentials.map(decodeDescriptor),
  };
}

function decodeRequest(json: RequestJson): PublicKeyCredentialRequestOptions {
  return {
    ...json,
    challenge: decodeBase64url(json.challenge),
    allowCredentials: json.allowCredentials.map(decodeDescriptor),
  };
}

function decodeDescriptor(descriptor: DescriptorJson): PublicKeyCredentialDescriptor {
  return { ...descriptor, id: decodeBase64url(descriptor.id) };
}

/** Validates the fields that are decoded here; the browser validates the rest. */
function isCreation(value: unknown): value is CreationJson {
  return (
    isRecord(value) &&
    typeof value.challenge === 'string' &&
    isRecord(value.user) &&
    typeof value.user.id === 'string' &&
    areDescriptors(value.excludeCredentials)
  );
}

function isRequest(value: unknown): value is RequestJson {
  return isRecord(value) && typeof value.challenge === 'string' && areDescriptors(value.allowCredentials);
}

function areDescriptors(value: unknown): value is DescriptorJson[] {
  return Array.isArray(value) && value.every((one) => isRecord(one) && typeof one.id === 'string');
}
