export * from '../../../src/commands/demo/packages/signing-identity.ts';
