/** Passkeys: key pairs whose private half stays on a device that asks for a finger, a face or a PIN before it signs. */

export interface Passkey {
  id: string;
  userId: string;
  /** Base64url, as the authenticator named it. */
  credentialId: string;
  /** A COSE key (RFC 9052, section 7), base64url. */
  publicKey: string;
  /** How often it has signed, as it says; 0 for one that does not count. */
  signatureCount: number;
  /** How it can be reached, for example `internal`, `hybrid`, `usb`. */
  transports: string[];
  name: string;
}

/** One of a person's passkeys, as the person sees it. */
export interface PasskeyLine extends Pick<Passkey, 'id' | 'credentialId' | 'transports' | 'name'> {
  createdAt: number;
  lastUsedAt: number | null;
}

export const maxPasskeysOfUser = 20;
export const maxPasskeyNameLength = 64;
/** WebAuthn Level 3, section 4: an id has at most 1023 bytes. */
export const maxCredentialIdLength = 1364;
/** The answer of an authenticator as JSON; one with an attestation chain has some 6 KiB. */
export const maxCredentialLength = 16 * 1024;

/**
 * The name that a passkey is bound to: the host of the origin (WebAuthn Level 3, section 5.1.2). Null where browsers
 * make none: at an address of digits, and without https but on this very machine.
 */
export function relyingPartyOf(origin: string): string | null {
  const { protocol, hostname } = new URL(origin);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isNumber = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  return !isNumber && (protocol === 'https:' || isLocal) ? hostname : null;
}
