/**
 * Checks the code signature of an app's main executable, based on Apple's TN3126 "Inside Code Signing: Hashes": every page of
 * code against the code directories, the sealed files and blobs against their special slots, the CMS signature against the
 * primary directory, the other directories against the hashes in the signature, and the files of the app against the sealed list.
 * Checks neither whether Apple issued the certificate, nor the signatures of nested bundles.
 */
import { createHash, type Hash, hash } from 'node:crypto';
import { type CmsSigner, problemWithSigner } from '../../certificate/cms-signed-data.ts';
import { say } from '../../messages/package-messages.ts';
import type { SignatureVerification } from '../../package-info.ts';
import { textUnder } from '../../property-list/property-list-value.ts';
import type { EntryReader, ZipArchive, ZipEntry } from '../../zip/zip-archive.ts';
import { type AppBundle, openAppInPayload, readInfoPlist } from '../app-bundle.ts';
import { problemsWithDirectoryHashes } from './code-directory-hashes.ts';
import {
  type CodeDirectory,
  type CodeSignature,
  hashAt,
  readCodeSignature,
  signatureSlot,
} from './code-signature.ts';
import { type ExecutableSlice, MalformedExecutable, readExecutable, withExecutable } from './executable.ts';
import { problemsWithSealedFiles } from './verify-sealed-files.ts';

/** Maximum size of Info.plist and of CodeResources. */
export const maxSealedFileBytes = 64 * 1024 * 1024;

const codeResourcesName = '_CodeSignature/CodeResources';

interface SignedSlice {
  slice: ExecutableSlice;
  signature: CodeSignature;
}

/** Files that a signature seals in addition to the code; null if missing. */
interface SealedFiles {
  infoPlist: Buffer | null;
  codeResources: Buffer | null;
}

/**
 * Verifies every slice of the executable. Problems are full sentences. Streams the executable twice and every other file once, in
 * constant memory. Rejects with `UnreadablePackage` if the archive contains no app or is damaged.
 */
export async function verifyCodeSignature(archive: ZipArchive): Promise<SignatureVerification> {
  const problems = [...new Set(await findProblems(archive))];
  return { verified: problems.length === 0, verifiedFromSdk: null, problems };
}

async function findProblems(archive: ZipArchive): Promise<string[]> {
  const bundle = openAppInPayload(archive);
  const executableName = textUnder(await readInfoPlist(bundle), 'CFBundleExecutable');
  const entry = executableName === null ? null : bundle.files.find(executableName);
  if (executableName === null || !entry) return [say('app-without-executable')];
  const readSealed = async (name: string) => {
    const sealed = bundle.files.find(name);
    return sealed ? archive.read(sealed, maxSealedFileBytes) : null;
  };
  const files: SealedFiles = {
    infoPlist: await readSealed('Info.plist'),
    codeResources: await readSealed(codeResourcesName),
  };
  try {
    return await problemsWithExecutable(bundle, executableName, entry, files);
  } catch (error) {
    if (!(error instanceof MalformedExecutable)) throw error;
    return [say('executable-malformed', { reason: error.message })];
  }
}

async function problemsWithExecutable(
  bundle: AppBundle,
  executableName: string,
  entry: ZipEntry,
  files: SealedFiles,
): Promise<string[]> {
  const { archive } = bundle;
  const slices = await readExecutable(archive, entry);
  if (slices === null || slices.length === 0) return [say('app-executable-not-mach-o')];
  const problems: string[] = [];
  const signed: SignedSlice[] = [];
  for (const slice of slices) {
    const signature = openSignature(slice);
    if (typeof signature === 'string') problems.push(signature);
    else signed.push({ slice, signature });
  }
  for (const one of signed) problems.push(...problemsWithSignature(one, files));
  problems.push(...(await problemsWithPages(archive, entry, signed)));
  const { codeResources } = files;
  if (codeResources === null || !signed.some((one) => sealsList(one, codeResources))) return problems;
  return [...problems, ...(await problemsWithSealedFiles(bundle, codeResources, executableName))];
}

/** Whether the list is sealed, because only a sealed list is valid evidence about the files. */
function sealsList({ signature }: SignedSlice, codeResources: Buffer): boolean {
  return signature.directories.some((directory) => {
    const expected = hashAt(directory, -signatureSlot.codeResources);
    return expected !== null && isHashOf(directory, codeResources, expected);
  });
}

function isHashOf({ digest, hashBytes }: CodeDirectory, content: Buffer, expected: Buffer): boolean {
  return digest !== null && hash(digest, content, 'buffer').subarray(0, hashBytes).equals(expected);
}

/** Returns the problem as text if the signature is unusable. */
function openSignature(slice: ExecutableSlice): CodeSignature | string {
  if (slice.signature === null) return say('code-not-signed', { cpu: slice.cpu });
  try {
    const signature = readCodeSignature(slice.signature);
    return signature.directories.length > 0 ? signature : say('code-directory-missing', { cpu: slice.cpu });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return say('code-signature-unreadable', { cpu: slice.cpu, reason });
  }
}

function problemsWithSignature({ slice, signature }: SignedSlice, files: SealedFiles): string[] {
  const signers = signature.cms?.signers ?? [];
  const problems = signature.directories.flatMap((directory) => [
    ...problemsWithShape(directory, slice),
    ...problemsWithSeals(directory, signature, files),
  ]);
  if (signers.length === 0) problems.push(say('code-signed-ad-hoc'));
  return [...problems, ...signers.flatMap((signer) => problemsWithCms(signer, signature.directories))];
}

function problemsWithShape(directory: CodeDirectory, slice: ExecutableSlice): string[] {
  if (directory.digest === null) return [say('code-hash-unknown', { cpu: slice.cpu })];
  if (directory.codeLimit !== slice.codeBytes) return [say('code-not-covered', { cpu: slice.cpu })];
  return [];
}

function problemsWithSeals(directory: CodeDirectory, signature: CodeSignature, files: SealedFiles): string[] {
  if (directory.digest === null) return [];
  const blob = (slot: number) => signature.blobs.get(slot) ?? null;
  const sealed: [number, string, Buffer | null][] = [
    [signatureSlot.infoPlist, 'Info.plist', files.infoPlist],
    [signatureSlot.codeResources, codeResourcesName, files.codeResources],
    [signatureSlot.requirements, 'The requirements', blob(signatureSlot.requirements)],
    [signatureSlot.entitlements, 'The entitlements', blob(signatureSlot.entitlements)],
    [signatureSlot.derEntitlements, 'The entitlements in DER', blob(signatureSlot.derEntitlements)],
  ];
  return sealed.flatMap(([slot, name, content]) => {
    const expected = hashAt(directory, -slot);
    if (expected === null) return content === null ? [] : [say('seal-missing', { name })];
    if (content === null) return [say('entry-missing', { name })];
    return isHashOf(directory, content, expected) ? [] : [say('entry-changed', { name })];
  });
}

/** The signature covers the primary directory, and the others through the hashes in its attributes. */
function problemsWithCms(signer: CmsSigner, directories: CodeDirectory[]): string[] {
  const [primary] = directories;
  if (!primary) return [];
  const problem = problemWithSigner(signer, primary.bytes);
  return problem === null
    ? problemsWithDirectoryHashes(signer, directories)
    : [say('signature-invalid', { problem })];
}

async function problemsWithPages(
  archive: EntryReader,
  entry: ZipEntry,
  signed: SignedSlice[],
): Promise<string[]> {
  return withExecutable(archive, entry, async (bytes) => {
    const problems: string[] = [];
    for (const { slice, signature } of signed) {
      const checks = signature.directories.flatMap((directory) =>
        directory.digest !== null && directory.codeLimit === slice.codeBytes
          ? [createPageCheck(directory, directory.digest)]
          : [],
      );
      if (checks.length === 0) continue;
      await bytes.pipe(slice.position, slice.codeBytes, (piece) => {
        for (const check of checks) check.feed(piece);
      });
      for (const check of checks) {
        const { pages, matchingPages } = check.count();
        const wrong = pages - matchingPages;
        if (wrong > 0)
          problems.push(say('code-pages-changed', { count: wrong, total: pages, cpu: slice.cpu }));
      }
    }
    return problems;
  });
}

/** Checks streamed code against the page hashes of a code directory. */
interface PageCheck {
  /** Accepts the next bytes of the slice; ignores bytes beyond the directory's limit. */
  feed(piece: Buffer): void;
  /** Returns the number of pages and of matching pages. Pages without a hash, and hashes without a page, do not match. */
  count(): { pages: number; matchingPages: number };
}

/** `digest` is the known digest of the directory. */
export function createPageCheck(directory: CodeDirectory, digest: string): PageCheck {
  const pageBytes = directory.pageBytes === 0 ? directory.codeLimit : directory.pageBytes;
  let page = 0;
  let position = 0;
  let matchingPages = 0;
  let hasher: Hash | null = null;

  function takePart(part: Buffer): void {
    hasher ??= createHash(digest);
    hasher.update(part);
    position += part.length;
    if (position % pageBytes !== 0 && position !== directory.codeLimit) return;
    const found = hasher.digest().subarray(0, directory.hashBytes);
    if (hashAt(directory, page)?.equals(found)) matchingPages++;
    hasher = null;
    page++;
  }

  return {
    feed(piece) {
      const usable = piece.subarray(0, directory.codeLimit - position);
      for (let done = 0; done < usable.length; ) {
        const part = usable.subarray(done, done + pageBytes - (position % pageBytes));
        done += part.length;
        takePart(part);
      }
    },
    count: () => ({ pages: Math.max(directory.codeSlotCount, page), matchingPages }),
  };
}
