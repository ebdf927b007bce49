/** Blobs written part by part as a multipart upload, whose parts S3 keeps until it is completed or aborted. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { parseBlobKey } from '../blob-key.ts';
import type { BlobParts, UnfinishedBlob } from '../blob-store.ts';
import { rangeBody } from './s3-body.ts';
import type { S3Connection } from './s3-connection.ts';
import { isS3Error, S3Error } from './s3-error.ts';
import { type PutState, partSizeFor, putBlob, sendRange } from './s3-put.ts';

export function createS3Parts(connection: S3Connection, state: PutState): BlobParts {
  const { client, request, bucket: Bucket, prefix } = connection;
  const objectOf = (key: string) => ({ Bucket, Key: prefix + parseBlobKey(key) });
  const uploadOf = ({ key, id }: UnfinishedBlob) => ({ ...objectOf(key), UploadId: id });
  return {
    partBytes: partSizeFor,
    async begin(key) {
      const command = new CreateMultipartUploadCommand({
        ...objectOf(key),
        ContentType: 'application/octet-stream',
      });
      const { UploadId } = await request((abortSignal) => client.send(command, { abortSignal }));
      if (UploadId) return UploadId;
      throw new S3Error('refused', new Error('the service returned no upload ID'));
    },
    async put(blob, PartNumber, range) {
      const all = { first: 0, length: range.length };
      return state.parts.run(async () => {
        const { ETag } = await sendRange({ connection, body: rangeBody(range) }, all, (sent, abortSignal) =>
          client.send(new UploadPartCommand({ ...uploadOf(blob), PartNumber, ...sent }), { abortSignal }),
        );
        if (ETag) return ETag;
        throw new S3Error('refused', new Error('the service returned no tag'));
      });
    },
    putRange: (key, range) => putBlob(connection, state, parseBlobKey(key), rangeBody(range)),
    async complete(blob, parts) {
      const Parts = parts.map(({ number, tag }) => ({ PartNumber: number, ETag: tag }));
      const command = new CompleteMultipartUploadCommand({ ...uploadOf(blob), MultipartUpload: { Parts } });
      try {
        await request((abortSignal) => client.send(command, { abortSignal }));
        return true;
      } catch (error) {
        if (!isS3Error(error, 'absent')) throw error;
      }
      // An earlier attempt has completed it, or it was aborted.
      const head = new HeadObjectCommand(objectOf(blob.key));
      return request((abortSignal) => client.send(head, { abortSignal })).then(
        () => true,
        (error: unknown) => {
          if (isS3Error(error, 'absent')) return false;
          throw error;
        },
      );
    },
    async abort(blob) {
      const command = new AbortMultipartUploadCommand(uploadOf(blob));
      await request((abortSignal) => client.send(command, { abortSignal })).catch((error: unknown) => {
        if (!isS3Error(error, 'absent')) throw error;
      });
    },
  };
}
