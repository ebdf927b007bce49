/** A separate prefix in a bucket of an S3 service, per test. */
import { randomUUID } from 'node:crypto';
import {
  DeleteObjectsCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { S3BlobConfig } from '../../src/blobs/blob-config.ts';

export interface S3Service {
  endpoint: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface S3Scratch {
  config: S3BlobConfig;
  /** Values of SLIPWAY_BLOB_URL and related settings. */
  settings: Record<string, string>;
  client: S3Client;
  /** Keys of all objects under the prefix, without it. */
  objects(): Promise<string[]>;
  /** Keys of unfinished multipart uploads. */
  uploads(): Promise<string[]>;
  remove(): Promise<void>;
}

export async function createS3ScratchOn(service: S3Service): Promise<S3Scratch> {
  const { endpoint, bucket, accessKeyId, secretAccessKey } = service;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  await untilReady(client, bucket);
  const prefix = `${randomUUID()}/`;
  const objects = async () => {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
    return (page.Contents ?? []).map(({ Key = '' }) => Key.slice(prefix.length));
  };
  return {
    config: {
      kind: 's3',
      bucket,
      prefix,
      endpoint,
      publicEndpoint: null,
      region: 'us-east-1',
      pathStyle: true,
      links: true,
      credentials,
    },
    settings: {
      SLIPWAY_BLOB_URL: `s3://${bucket}/${prefix}?endpoint=${endpoint}`,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    client,
    objects,
    uploads: async () => {
      const page = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }));
      return (page.Uploads ?? []).map(({ Key = '' }) => Key.slice(prefix.length));
    },
    remove: async () => {
      for (let keys = await objects(); keys.length > 0; keys = await objects()) {
        const Objects = keys.map((key) => ({ Key: prefix + key }));
        await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
      }
      client.destroy();
    },
  };
}

/** The service starts in parallel with the first tests. */
async function untilReady(client: S3Client, bucket: string): Promise<void> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    try {
      await client.send(new HeadBucketCommand({ Bucket: bucket }));
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
