/** Keys as trusted publishers receive them, without an identity provider. */
import { hashApiKey } from '../../src/accounts/keys/api-key.ts';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import { defineQueries } from '../../src/db/data.ts';
import type { BuildSource } from '../../src/owners/build-source.ts';
import type { TestService } from './test-service.ts';

export const sampleSource: BuildSource = {
  provider: 'github',
  repository: 'acme/tide',
  commit: '1a2b3c4d5e6f70818283848586878889909192ab',
  ref: 'refs/heads/main',
  workflow: '.github/workflows/release.yml',
  run_id: '42',
  run_url: 'https://github.com/acme/tide/actions/runs/42',
  actor: 'mina',
};

const sourceQueries = defineQueries((db) => ({
  set: (keyHash: string, source: BuildSource) =>
    db
      .updateTable('api_keys')
      .set({ source: JSON.stringify(source) })
      .where('key_hash', '=', keyHash)
      .execute(),
}));

let keys = 0;

/** Returns the key. */
export async function issueTrustedKey(
  { data }: Pick<TestService, 'data'>,
  owner: { ownerKind: 'user' | 'project'; ownerName: string },
  source: Partial<BuildSource> = {},
): Promise<string> {
  const issueKey = createIssueKey({ data, now: Date.now });
  const { key } = await issueKey({
    ...owner,
    name: `trusted ${keys++}`,
    expiresAt: null,
    scopes: ['upload'],
    notify: false,
    by: 'command-line',
  });
  await sourceQueries(data).set(hashApiKey(key), { ...sampleSource, ...source });
  return key;
}
