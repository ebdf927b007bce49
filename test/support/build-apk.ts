export * from '../../src/commands/demo/packages/build-apk.ts';
