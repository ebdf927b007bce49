/** Found by fuzzing: a problem quoted the name of a sealed file that contains a line end. */
import { expect, it } from 'vitest';
import { verifyCodeSignature } from '../../../src/packages/ipa/signature/verify-code-signature.ts';
import { maxRefusalLength } from '../../../src/packages/package-info.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildIpa, createSigningIdentity } from '../../support/build-ipa.ts';
import { fileInMemory } from '../../support/build-zip.ts';
import { buildCodeResources } from './build-code-resources.ts';

it('an error message that quotes a package is one bounded line without control characters', async () => {
  const names = ['\na.txt', 'b\t\u202e.txt', 'c'.repeat(5_000)];
  const codeResources = buildCodeResources(Object.fromEntries(names.map((name) => [name, 'x'])));
  const ipa = buildIpa({ identity: createSigningIdentity(), codeResources, files: { 'd\ne.txt': 'x' } });
  const { problems } = await verifyCodeSignature(await openZip(fileInMemory(ipa)));
  expect(problems).toEqual([
    'a.txt is missing, although the signature covers it.',
    expect.stringMatching(/^b .*\.txt is missing/),
    expect.stringMatching(/^c+…$/),
    'd e.txt was added after signing.',
  ]);
  for (const problem of problems) {
    expect(problem.length).toBeLessThanOrEqual(maxRefusalLength);
    expect(problem).not.toMatch(/\p{Cc}/u);
  }
});
