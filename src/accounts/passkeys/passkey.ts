/** Passkeys: key pairs whose private key stays on a device that verifies its user by fingerprint, face or PIN. */

export interface Passkey {
  id: string;
  userId: string;
  /** Base64url, as reported by the authenticator. */
  credentialId: string;
  /** A COSE key (RFC 9052, section 7), base64url. */
  publicKey: string;
  /** The authenticator's signature counter; 0 if it has none. */
  signatureCount: number;
  /** Transports of the authenticator, for example `internal`, `hybrid`, `usb`. */
  transports: string[];
  name: string;
}

/** One of a person's passkeys, as shown to them. */
export interface PasskeyLine extends Pick<Passkey, 'id' | 'credentialId' | 'transports' | 'name'> {
  createdAt: number;
  lastUsedAt: number | null;
}

export const maxPasskeysOfUser = 20;
export const maxPasskeyNameLength = 64;
/** WebAuthn Level 3, section 4: an id has at most 1023 bytes. */
export const maxCredentialIdLength = 1364;
/** An authenticator's response as JSON; with an attestation chain it has about 6 KiB. */
export const maxCredentialLength = 16 * 1024;

/**
 * Returns the relying party id of an origin: its host (WebAuthn Level 3, section 5.1.2). Null where browsers do not
 * support passkeys: at IP addresses, and without https except on localhost.
 */
export function relyingPartyOf(origin: string): string | null {
  const { protocol, hostname } = new URL(origin);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isNumber = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  return !isNumber && (protocol === 'https:' || isLocal) ? hostname : null;
}
