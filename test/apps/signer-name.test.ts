import { describe, expect, it } from 'vitest';
import { signerName } from '../../src/apps/builds/build-filters.ts';

describe('signer name', () => {
  it.each([
    ['CN=Android Debug, O=Android, C=US', 'Android Debug'],
    [
      'C=US, O=Acme Inc., CN=Apple Distribution: Acme Inc. (AB12CD34EF)',
      'Apple Distribution: Acme Inc. (AB12CD34EF)',
    ],
    ['UID=AB12+CN=Tide\\, Watch \\+ Sons,O=Harbour', 'Tide, Watch + Sons'],
    ['O=Harbour Labs, OU=CN', 'Harbour Labs'],
    ['OU=Builds', 'OU=Builds'],
    ['', ''],
    ['CN=, O=Harbour', 'Harbour'],
    ['DCN=x, O=Harbour', 'Harbour'],
    ['CN=a\\', 'a'],
  ])('for %j is %j', (subject, name) => {
    expect(signerName({ subject })).toBe(name);
  });
});
