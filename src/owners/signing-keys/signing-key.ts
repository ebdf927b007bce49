/** A key that signs the APKs generated from an owner's app bundles. */
export interface StoredSigningKey {
  id: string;
  ownerId: string;
  /** 1, 2, 3 … per owner. */
  number: number;
  /** Whether a proof of rotation states that it replaces the key before it. */
  continues: boolean;
  origin: 'created' | 'imported';
  /** X.509 in DER. */
  certificate: Buffer;
  encryptedKey: string;
  createdAt: number;
}

/** A key that is registered with Google for an app. */
export interface KeyRegistration {
  /** SHA-256 of the certificate, lowercase hexadecimal. */
  sha256: string;
  registeredAt: number;
}

export interface RegisteredPackage extends KeyRegistration {
  packageName: string;
}
