export * from '../../src/commands/demo/packages/sign-apk.ts';
