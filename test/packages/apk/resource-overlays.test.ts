/** Other chunks of a resource table (overlays, libraries, aliases), and several packages with the same id. */
import { expect, it } from 'vitest';
import { parseResourceTable } from '../../../src/packages/apk/resource-table.ts';
import { chunk, uint32s } from '../../support/build-binary-xml.ts';
import { buildResourceTable, type ResourceTypeSpec } from '../../support/build-resource-table.ts';

const types = (value: string): ResourceTypeSpec[] => [
  { name: 'string', resources: [{ name: 'name', values: [{ value }] }] },
];
const id = 0x7f010000;

function textsOf(bytes: Buffer): (string | null)[] {
  return parseResourceTable(bytes)
    .resolveAll(id)
    .map(({ value }) => (value?.kind === 'string' ? value.text : null));
}

/** The package chunk is the last of the table; both grow. */
function withChunk(bytes: Buffer, added: Buffer): Buffer {
  const grown = Buffer.concat([bytes, added]);
  let position = grown.readUInt16LE(2);
  while (grown.readUInt16LE(position) !== 0x0200) position += grown.readUInt32LE(position + 4);
  for (const start of [0, position])
    grown.writeUInt32LE(grown.readUInt32LE(start + 4) + added.length, start + 4);
  return grown;
}

it.each([
  ['what may be overlaid', chunk(0x0204, Buffer.alloc(1024), chunk(0x0205, uint32s(1, 1), uint32s(id)))],
  ['names of libraries', chunk(0x0203, uint32s(1), Buffer.alloc(260))],
  ['aliases of ids', chunk(0x0206, uint32s(1), uint32s(0x7f010005, id))],
  ['what is not known', chunk(0x02ff, uint32s(0), Buffer.alloc(40, 0xff))],
])('%s do not prevent reading the texts', (_, added) => {
  const bytes = buildResourceTable([{ types: types('Name') }]);
  expect(textsOf(withChunk(bytes, added))).toEqual(['Name']);
});

it('packages with the same id form one package', () => {
  expect(textsOf(buildResourceTable([{ types: types('first') }, { types: types('second') }]))).toEqual([
    'first',
    'second',
  ]);
});
