export * from '../../src/packages/apk/signing/signing-key.ts';
export {
  createSigningKey as createTestKey,
  type SigningKey as TestKey,
} from '../../src/packages/apk/signing/signing-key.ts';
export * from '../../src/packages/certificate/der-writer.ts';
