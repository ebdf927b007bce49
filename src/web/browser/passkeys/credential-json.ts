/** The response of an authenticator as JSON (WebAuthn Level 3, section 5.1). */
import { isRecord } from '../json.ts';
import { encodeBase64url } from './base64url.ts';

const binaryFields = ['attestationObject', 'authenticatorData', 'signature', 'userHandle'] as const;

/** A `PublicKeyCredential` after a registration or sign-in, with the fields that Slipway reads. */
export interface PasskeyCredential {
  id: string;
  rawId: ArrayBuffer;
  type: string;
  response: Partial<Record<(typeof binaryFields)[number], ArrayBuffer | null>> & {
    clientDataJSON: ArrayBuffer;
    getTransports?(): string[];
  };
}

/** Checks the fields, not the class, because password managers that act as authenticators may return plain objects. */
export function isPasskeyCredential(value: unknown): value is PasskeyCredential {
  return (
    isRecord(value) && 'rawId' in value && isRecord(value.response) && 'clientDataJSON' in value.response
  );
}

/** Not `PublicKeyCredential.toJSON()`, which the objects of such password managers lack. */
export function encodeCredential({ id, rawId, type, response }: PasskeyCredential): object {
  const encoded: Record<string, string | string[]> = {
    clientDataJSON: encodeBase64url(response.clientDataJSON),
  };
  for (const name of binaryFields) {
    const bytes = response[name];
    if (bytes) encoded[name] = encodeBase64url(bytes);
  }
  if (response.getTransports) encoded.transports = response.getTransports();
  return { id, rawId: encodeBase64url(rawId), type, response: encoded, clientExtensionResults: {} };
}
