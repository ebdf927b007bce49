export * from '../../../src/commands/demo/packages/build-mach-o.ts';
