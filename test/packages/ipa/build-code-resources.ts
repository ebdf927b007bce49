export * from '../../../src/commands/demo/packages/build-code-resources.ts';
