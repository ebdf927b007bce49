/** Errors and background work as shown to administrators. */
import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '../../src/administration/administration-jobs.ts';
import { describePlace } from '../../src/administration/administration-overview-page.tsx';
import { administrationTexts } from '../../src/administration/administration-texts.ts';
import { type Job, lanes } from '../../src/jobs/outbox.ts';

describe('errors of background work', () => {
  it('keep the explanation and redact addresses and secrets', () => {
    for (const [told, shown] of [
      ['Error: connect ECONNREFUSED 10.0.0.5:587', 'Error: connect ECONNREFUSED 10.0.0.5:587'],
      ['GET https://user:hunter2@store.example/a failed', 'GET https://…@store.example/a failed'],
      [
        'https://s3.example/a?X-Amz-Signature=abc&x=1 was 403',
        'https://s3.example/a?X-Amz-Signature=…&x=… was 403',
      ],
      ['the key slw_abc-DEF_123 is wrong', 'the key slw_… is wrong'],
      ['Authorization: Bearer abcdefghijk', 'Authorization: …'],
      ['sent Bearer abcdefghijk.lmn to it', 'sent Bearer … to it'],
      ['{"password":"hunter2"} was refused', '{"password":"…"} was refused'],
      ['postgres password=hunter2 host=db', 'postgres password=… host=db'],
      [`token 0${'a1'.repeat(20)} expired`, 'token … expired'],
      ['a'.repeat(40), 'a'.repeat(40)],
    ] as const) {
      expect(withoutSecrets(told), told).not.toMatch(/hunter2|slw_abc|abcdefghijk|a1a1/);
      expect(withoutSecrets(told).replace(/^Authorization: .*/, 'Authorization: …')).toBe(shown);
    }
    expect(withoutSecrets(`${'too long '.repeat(100)}`)).toHaveLength(400);
  });
});

describe('background work', () => {
  it('has a sentence for every kind of job', () => {
    const kinds = Object.values(lanes).flatMap((lane): readonly Job['kind'][] => lane.kinds);
    expect(kinds.filter((kind) => !(kind in administrationTexts.work.kinds))).toEqual([]);
  });
});

describe('the administration overview', () => {
  it('shows the bucket name but no credentials', () => {
    const shown = describePlace({
      kind: 's3',
      bucket: 'builds',
      prefix: 'apps/',
      endpoint: 'https://s3.example.com',
      publicEndpoint: null,
      region: 'us-east-1',
      pathStyle: true,
      links: true,
      credentials: { accessKeyId: 'key-that-stays-secret', secretAccessKey: 'secret-that-stays-secret' },
    });
    expect(shown).toBe('Bucket builds, prefix apps/, at https://s3.example.com');
  });
});
