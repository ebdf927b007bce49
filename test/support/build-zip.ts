export * from '../../src/commands/demo/packages/build-zip.ts';
export { fileInMemory } from './file-in-memory.ts';
