export * from '../../src/commands/demo/packages/build-binary-xml.ts';
