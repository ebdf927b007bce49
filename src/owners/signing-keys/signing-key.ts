/** A key that signs the APKs of the app bundles of an owner. */
export interface StoredSigningKey {
  id: string;
  ownerId: string;
  /** 1, 2, 3 … per owner. */
  number: number;
  /** Whether it replaces the key before it, as a proof of rotation states. */
  continues: boolean;
  origin: 'created' | 'imported';
  /** X.509 in DER. */
  certificate: Buffer;
  encryptedKey: string;
  createdAt: number;
}
