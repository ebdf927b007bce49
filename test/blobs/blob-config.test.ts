import { describe, expect, test } from 'vitest';
import { blobConfigWarnings, readBlobConfig } from '../../src/blobs/blob-config.ts';

const read = (text: string, environment: Record<string, string> = {}) =>
  readBlobConfig(text, '/srv/data', environment);

describe('the blob store settings', () => {
  test('resolve a folder relative to the data folder', () => {
    expect(read('file:blobs')).toEqual({ kind: 'disk', folder: '/srv/data/blobs' });
    expect(read('file:///mnt/blobs')).toEqual({ kind: 'disk', folder: '/mnt/blobs' });
  });

  test('accept an Amazon bucket in a region', () => {
    const inRegion = {
      kind: 's3',
      bucket: 'my-bucket',
      prefix: '',
      endpoint: null,
      publicEndpoint: null,
      region: 'eu-central-1',
      pathStyle: false,
      links: true,
      credentials: null,
    };
    expect(read('s3://my-bucket?region=eu-central-1')).toEqual(inRegion);
    expect(read('s3://my-bucket/', { AWS_REGION: 'eu-central-1' })).toEqual(inRegion);
    expect(read('s3://my-bucket', { AWS_DEFAULT_REGION: 'eu-central-1' })).toEqual(inRegion);
  });

  test('accept a bucket of another service with its parameters', () => {
    const text =
      's3://apps/team-a/slipway/?endpoint=http://minio:9000&publicEndpoint=https://files.example.com/&region=here&pathStyle=false&links=false';
    const environment = {
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'token',
      AWS_REGION: 'elsewhere-1',
    };
    expect(read(text, environment)).toEqual({
      kind: 's3',
      bucket: 'apps',
      prefix: 'team-a/slipway/',
      endpoint: 'http://minio:9000',
      publicEndpoint: 'https://files.example.com',
      region: 'here',
      pathStyle: false,
      links: false,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' },
    });
    expect(read('s3://apps?endpoint=http://minio:9000')).toMatchObject({
      prefix: '',
      region: 'us-east-1',
      pathStyle: true,
    });
  });

  test.each([
    ['', /file: .* s3:\/\//],
    ['file:', /file:/],
    ['/mnt/blobs', /file:/],
    ['S3://bucket', /file:/],
    ['s3:bucket', /file:/],
    ['s3://?region=a', /bucket/],
    ['s3:///prefix?region=a', /bucket/],
    ['s3://Bucket?region=a', /bucket/],
    ['s3://b?region=a', /bucket/],
    ['s3://bucket:9000?region=a', /bucket/],
    [`s3://${'b'.repeat(64)}?region=a`, /bucket/],
    ['s3://id:hush@bucket?region=a', /credentials/],
    ['s3://bucket/a b?region=a', /prefix/],
    ['s3://bucket/a//b?region=a', /prefix/],
    ['s3://bucket/ä?region=a', /prefix/],
    ['s3://bucket/x?region=a#hush', /prefix/],
    [`s3://bucket/${'p'.repeat(513)}?region=a`, /prefix/],
    ['s3://bucket', /region/],
    ['s3://bucket?region=', /region/],
    ['s3://bucket?region=EU%20West', /region/],
    ['s3://bucket?region=a&region=b', /parameters/],
    ['s3://bucket?region=a&secret=hush', /parameters/],
    ['s3://bucket?endpoint=minio:9000', /endpoint/],
    ['s3://bucket?endpoint=http://id:hush@minio', /endpoint/],
    ['s3://bucket?endpoint=http://minio/path', /endpoint/],
    ['s3://bucket?endpoint=http://minio&publicEndpoint=x', /publicEndpoint/],
    ['s3://bucket?region=a&pathStyle=yes', /pathStyle/],
    ['s3://bucket?region=a&links=1', /links/],
  ])('refuse %s without repeating secrets', (text, words) => {
    expect(() => read(text)).toThrow(words);
    expect(() => read(text)).not.toThrow(/hush/);
  });

  test('refuse a prefix that leads outside the store', () => {
    expect(read('s3://bucket/a/../b/%2e%2e/c?region=a')).toMatchObject({ prefix: 'c/' });
  });

  const halves: Record<string, string>[] = [{ AWS_ACCESS_KEY_ID: 'id' }, { AWS_SECRET_ACCESS_KEY: 'hush' }];
  test.each(halves)('refuse half of the credentials: %o', (environment) => {
    const half = () => read('s3://bucket?region=a', environment);
    expect(half).toThrow(/AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY together/);
    expect(half).not.toThrow(/hush/);
  });

  test('warn of links that clients would not follow', () => {
    const warnings = (text: string, publicUrl: string | null) => blobConfigWarnings(read(text), publicUrl);
    const plain = 's3://bucket?endpoint=http://minio:9000';
    expect(warnings(plain, 'https://apps.example.com')).toEqual([
      expect.stringMatching(/publicEndpoint.*links=false/),
    ]);
    const fine: [string, string | null][] = [
      [plain, 'http://apps.local'],
      [plain, null],
      [`${plain}&links=false`, 'https://apps.example.com'],
      [`${plain}&publicEndpoint=https://files.example.com`, 'https://apps.example.com'],
      ['s3://bucket?region=a', 'https://apps.example.com'],
      ['file:blobs', 'https://apps.example.com'],
    ];
    for (const [text, publicUrl] of fine) expect(warnings(text, publicUrl)).toEqual([]);
  });
});
