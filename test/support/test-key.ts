export * from '../../src/commands/demo/packages/signing-key.ts';
export {
  createSigningKey as createTestKey,
  type SigningKey as TestKey,
} from '../../src/commands/demo/packages/signing-key.ts';
