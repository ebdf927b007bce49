/** Responses with the package, simulator build and icon of a build. Callers check access. */
import { open } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseBlobKey } from '../../blobs/blob-key.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { SendfileHeader } from '../../blobs/stored-file-config.ts';
import { DamagedBlob, type DamageReason, endsLikePng, findSizeError } from '../../blobs/verify-blob.ts';
import { NotFound } from '../../core/errors.ts';
import { errorCode } from '../../core/file-errors.ts';
import { type BlobResponse, contentDisposition } from '../../http/sending/send-blob.ts';
import { createSendFile, type SendFile } from '../../http/sending/send-file.ts';
import type { PackageReader } from '../../packages/package-reader.ts';
import { type App, type Build, installedFile, type StoredFile, uploadedFile } from '../app.ts';
import type { IconDrawer } from './draw-icon.ts';
import type { SymbolFile } from './symbol-file-queries.ts';

export interface StoredFiles {
  /** The uploaded file. */
  packageOf(app: App, build: Build): BlobResponse;
  /** The file that devices install. Throws `NotFound` while it is missing. */
  installedOf(app: App, build: Build): BlobResponse;
  /** Throws `NotFound` if the build has none. */
  simulatorOf(app: App, build: Build): BlobResponse;
  symbolsOf(build: Build, file: SymbolFile): BlobResponse;
  /** Waits for a drawing in progress. A build without an icon gets a monogram. */
  iconOf(app: App, build: Build): Promise<BlobResponse>;
}

export function createStoredFiles(parts: {
  blobs: BlobStore;
  packages: PackageReader;
  icons: IconDrawer;
  sendfile: SendfileHeader | null;
}): StoredFiles {
  const { blobs } = parts;
  const senders = { ...parts, sendFile: createSendFile() };
  const pictures = createPictures();
  const respond = (app: App, build: Build, file: StoredFile) => {
    const isBundle = build.apk !== null && file.blob === build.packageBlob;
    return {
      ...sources(senders, build, {
        blob: file.blob,
        sizeBytes: file.sizeBytes,
        fileName: fileNameOf(app, build, isBundle),
        contentType: isBundle ? 'application/octet-stream' : packageTypes[app.platform],
      }),
      etag: file.sha256,
      modifiedAt: build.createdAt,
    };
  };
  return {
    packageOf: (app, build) => respond(app, build, uploadedFile(build)),
    installedOf: (app, build) => {
      const file = installedFile(build);
      if (!file) throw new NotFound();
      return respond(app, build, file);
    },
    simulatorOf: (app, build) => {
      if (build.simulatorBlob === null || build.simulatorBytes === null) throw new NotFound();
      const fileName = `${app.packageName}-${build.revision}-simulator.zip`;
      return {
        ...sources(senders, build, {
          blob: build.simulatorBlob,
          sizeBytes: build.simulatorBytes,
          fileName,
          contentType: 'application/zip',
        }),
        etag: `${build.id}-simulator`,
        modifiedAt: build.createdAt,
      };
    },
    symbolsOf: (build, { blob, sizeBytes, fileName, sha256, createdAt }) => ({
      ...sources(senders, build, { blob, sizeBytes, fileName, contentType: 'application/octet-stream' }),
      etag: sha256,
      modifiedAt: createdAt,
    }),
    iconOf: async (app, build) => {
      const icon = build.icon.state === 'pending' ? await parts.icons.settle(build.id) : build.icon;
      if (icon?.state === 'drawn') {
        const { blob } = icon;
        if (build.damage?.[blob]) throw new DamagedBlob(blob, build.damage[blob]);
        return picture(build, 'icon', () => pictures.find(blob, () => readIcon(blobs, blob)));
      }
      const { name } = build.info;
      const key = JSON.stringify([name, app.packageName]);
      return picture(build, 'monogram', () =>
        pictures.find(key, async () =>
          Buffer.from(await parts.packages.drawMonogram(name, app.packageName, app.owner.id)),
        ),
      );
    },
  };
}

/** A crowd that opens a link asks for the same icon: as much work as its page if each reads the file. */
const maxKeptPictureBytes = 4 * 1024 * 1024;

/** Keeps pictures that never change; forgets the ones that were kept first. */
function createPictures() {
  const kept = new Map<string, Buffer>();
  let keptBytes = 0;
  return {
    find: async (key: string, load: () => Promise<Buffer>): Promise<Buffer> => {
      const known = kept.get(key);
      if (known) return known;
      const bytes = await load();
      if (kept.has(key)) return bytes;
      kept.set(key, bytes);
      keptBytes += bytes.length;
      for (const [oldest, { length }] of kept) {
        if (keptBytes <= maxKeptPictureBytes) break;
        kept.delete(oldest);
        keptBytes -= length;
      }
      return bytes;
    },
  };
}

async function readIcon(blobs: BlobStore, blob: string): Promise<Buffer> {
  const opened = await blobs.open(parseBlobKey(blob));
  if (!opened) throw new DamagedBlob(blob, 'missing');
  const bytes = await buffer(opened.stream);
  if (!endsLikePng(bytes)) throw new DamagedBlob(blob, 'wrong-size');
  return bytes;
}

/** Always sent by the server, because the content security policy of pages blocks images from other hosts. */
function picture(build: Build, kind: 'icon' | 'monogram', read: () => Promise<Buffer>): BlobResponse {
  let bytes: Buffer = Buffer.alloc(0);
  return {
    check: async () => {
      bytes = await read();
    },
    open: async (range) => bytes.subarray(range?.first, range ? range.last + 1 : undefined),
    get sizeBytes() {
      return bytes.length;
    },
    etag: `${build.id}-${kind}`,
    contentType: 'image/png',
    modifiedAt: build.createdAt,
    fileName: null,
    ...(kind === 'monogram' ? { cacheControl: 'private, max-age=3600' } : {}),
  };
}

const packageTypes = {
  android: 'application/vnd.android.package-archive',
  ios: 'application/octet-stream',
} as const;

function fileNameOf(app: App, build: Build, isBundle: boolean): string {
  const version = build.info.versionName ?? build.info.versionCode;
  const ending = isBundle ? 'aab' : app.platform === 'android' ? 'apk' : 'ipa';
  return `${app.packageName}-${version}-${build.revision}.${ending}`;
}

/** Lifetime of a link to the store. A running download continues after it, and a resumed one requests a new link here. */
const linkSeconds = 15 * 60;

interface ServedFile {
  blob: string;
  sizeBytes: number;
  fileName: string;
  contentType: string;
}

/** Clients may reach a store that this server cannot reach, so they must not wait long for a check that cannot succeed. */
const maxWaitedMs = 2000;

const whenKnown = (reason: Promise<DamageReason | null>) =>
  Promise.race([reason.catch(() => null), pause(maxWaitedMs, null, { ref: false })]);

interface Senders {
  blobs: BlobStore;
  sendFile: SendFile;
  sendfile: SendfileHeader | null;
}

/** nginx maps this location to the blob folder. */
const sendfileLocation = '/slipway-files';

function sendfileOf(header: SendfileHeader, { root }: BlobStore, path: string) {
  if (header === 'x-sendfile') return { header: 'X-Sendfile', value: path };
  const place = relative(root ?? '', path)
    .split(sep)
    .join('/');
  return { header: 'X-Accel-Redirect', value: `${sendfileLocation}/${place}` };
}

/** Where a client downloads the bytes: directly from the store if it provides links, with the same name and type. */
function sources(
  { blobs, sendFile, sendfile }: Senders,
  { damage }: Build,
  { blob, sizeBytes, fileName, contentType }: ServedFile,
): Pick<
  BlobResponse,
  'check' | 'open' | 'file' | 'sendfile' | 'link' | 'fileName' | 'contentType' | 'sizeBytes'
> {
  const options = {
    expiresInSeconds: linkSeconds,
    contentType,
    contentDisposition: contentDisposition(fileName),
  };
  const { link, localPath } = blobs;
  const key = parseBlobKey(blob);
  const openFile = (path: string) =>
    open(path).catch((error: unknown) => {
      throw errorCode(error) === 'ENOENT' ? new DamagedBlob(blob, 'missing') : error;
    });
  return {
    fileName,
    contentType,
    sizeBytes,
    check: async () => {
      const size = () => findSizeError(blobs, { key, sizeBytes, sha256: null });
      const reason = damage?.[blob] ?? (await (link ? whenKnown(size()) : size()));
      if (reason) throw new DamagedBlob(blob, reason);
    },
    open: async (range) => {
      const opened = await blobs.open(key, range ?? undefined);
      if (!opened) throw new DamagedBlob(blob, 'missing');
      return opened.stream;
    },
    file: localPath ? { open: () => openFile(localPath(key)), send: sendFile } : null,
    sendfile: sendfile && localPath ? sendfileOf(sendfile, blobs, localPath(key)) : null,
    link: link ? () => link(key, options) : null,
  };
}
