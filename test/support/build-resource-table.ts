export * from '../../src/commands/demo/packages/build-resource-table.ts';
