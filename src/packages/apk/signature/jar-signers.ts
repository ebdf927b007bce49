import type { ZipArchive, ZipEntry } from '../../zip/zip-archive.ts';
import { maxSigners } from './signing-schemes.ts';

export const jarManifestName = 'META-INF/MANIFEST.MF';
/** Maximum size of one META-INF/*.RSA, *.DSA or *.EC. Real ones have one to three thousand bytes. */
export const maxSignatureBlockBytes = 1024 * 1024;

/** The two files of a JAR signer. */
export interface JarSigner {
  /** Display name, e.g. `CERT.RSA`. */
  name: string;
  block: ZipEntry;
  signatureFile: ZipEntry;
}

/**
 * Returns the JAR signers in directory order: each META-INF/*.RSA, *.DSA or *.EC with the .SF file of the same name.
 * Like Android, skips blocks without that file. Returns at most one more than `maxSigners`, so that a caller can detect
 * too many.
 */
export function findJarSigners(archive: ZipArchive): JarSigner[] {
  if (archive.find(jarManifestName) === null) return [];
  const signers: JarSigner[] = [];
  for (const block of archive.entries) {
    if (signers.length > maxSigners) break;
    if (!block.name.startsWith('META-INF/') || !/\.(RSA|DSA|EC)$/.test(block.name)) continue;
    const signatureFile = archive.find(block.name.replace(/(?:RSA|DSA|EC)$/, 'SF'));
    if (signatureFile !== null)
      signers.push({ name: block.name.slice('META-INF/'.length), block, signatureFile });
  }
  return signers;
}
