/** What is stored of a build, as answers: its package, its simulator build, its icon. Callers decide who may have them. */
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parseBlobKey } from '../blobs/blob-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { NotFound } from '../errors.ts';
import { type BlobAnswer, contentDisposition } from '../http/send-blob.ts';
import { createSendFile, type SendFile } from '../http/send-file.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import type { App, Build } from './app.ts';
import type { IconDrawer } from './draw-icon.ts';

export interface StoredFiles {
  packageOf(app: App, build: Build): BlobAnswer;
  /** Throws `NotFound` when none came with the build. */
  simulatorOf(app: App, build: Build): BlobAnswer;
  /** Waits for a drawing in progress. A build without an icon has a monogram. */
  iconOf(app: App, build: Build): Promise<BlobAnswer>;
}

export function createStoredFiles(parts: {
  blobs: BlobStore;
  packages: PackageReader;
  icons: IconDrawer;
}): StoredFiles {
  const { blobs } = parts;
  const sendFile = createSendFile();
  return {
    packageOf: (app, build) => ({
      ...sources(blobs, sendFile, build.packageBlob, fileNameOf(app, build), packageTypes[app.platform]),
      sizeBytes: build.sizeBytes,
      etag: build.sha256,
      modifiedAt: build.createdAt,
    }),
    simulatorOf: (app, build) => {
      if (build.simulatorBlob === null || build.simulatorBytes === null) throw new NotFound();
      const fileName = `${app.packageName}-${build.revision}-simulator.zip`;
      return {
        ...sources(blobs, sendFile, build.simulatorBlob, fileName, 'application/zip'),
        sizeBytes: build.simulatorBytes,
        etag: `${build.id}-simulator`,
        modifiedAt: build.createdAt,
      };
    },
    iconOf: async (app, build) => {
      const icon = await parts.icons.settle(build.id);
      const blob = icon?.state === 'drawn' ? await blobs.open(parseBlobKey(icon.blob)) : null;
      if (blob) return picture(build, 'icon', await buffer(blob.stream));
      const monogram = await parts.packages.drawMonogram(build.info.name, app.packageName);
      return { ...picture(build, 'monogram', Buffer.from(monogram)), cacheControl: 'private, max-age=3600' };
    },
  };
}

/** Never a link: the policy of a page admits no pictures of other hosts. */
function picture(build: Build, kind: 'icon' | 'monogram', bytes: Buffer): BlobAnswer {
  return {
    open: async (range) => {
      const part = bytes.subarray(range?.first, range ? range.last + 1 : undefined);
      return Readable.from([part], { objectMode: false });
    },
    sizeBytes: bytes.length,
    etag: `${build.id}-${kind}`,
    contentType: 'image/png',
    modifiedAt: build.createdAt,
    fileName: null,
  };
}

const packageTypes = {
  android: 'application/vnd.android.package-archive',
  ios: 'application/octet-stream',
} as const;

function fileNameOf(app: App, build: Build): string {
  const version = build.info.versionName ?? build.info.versionCode;
  return `${app.packageName}-${version}-${build.revision}.${app.platform === 'android' ? 'apk' : 'ipa'}`;
}

/** How long a link opens the bytes. A download that has begun by then goes on, and one resumed later asks here again. */
const linkSeconds = 15 * 60;

/** From where a client gets the bytes: directly where the store gives links, under the same name and type. */
function sources(
  blobs: BlobStore,
  sendFile: SendFile,
  blob: string,
  fileName: string,
  contentType: string,
): Pick<BlobAnswer, 'open' | 'file' | 'link' | 'fileName' | 'contentType'> {
  const options = {
    expiresInSeconds: linkSeconds,
    contentType,
    contentDisposition: contentDisposition(fileName),
  };
  const { link, localPath } = blobs;
  return {
    fileName,
    contentType,
    open: opener(blobs, blob),
    file: localPath ? { open: () => open(localPath(parseBlobKey(blob))), send: sendFile } : null,
    link: link ? () => link(parseBlobKey(blob), options) : null,
  };
}

/** What a row names is there; a blob that is missing all the same is a defect, never an empty answer. */
function opener(blobs: BlobStore, blob: string): BlobAnswer['open'] {
  return async (range) => {
    const opened = await blobs.open(parseBlobKey(blob), range ?? undefined);
    if (!opened) throw new Error(`the blob ${blob} is missing although a row names it`);
    return opened.stream;
  };
}
