export * from '../../src/commands/demo/packages/build-dex.ts';
