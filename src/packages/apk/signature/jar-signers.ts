import type { ZipArchive, ZipEntry } from '../../zip/zip-archive.ts';
import { maxSigners } from './signing-schemes.ts';

export const jarManifestName = 'META-INF/MANIFEST.MF';
/** Bytes of one META-INF/*.RSA, *.DSA or *.EC. Real ones have one to three thousand. */
export const maxSignatureBlockBytes = 1024 * 1024;

/** A pair of files that make one JAR signer. */
export interface JarSigner {
  /** For people, e.g. `CERT.RSA`. */
  name: string;
  block: ZipEntry;
  signatureFile: ZipEntry;
}

/**
 * The JAR signers in the order of the archive's directory: each META-INF/*.RSA, *.DSA or *.EC with the .SF file of the
 * same name beside it. Blocks without that file are left out, as Android does. At most one more than `maxSigners`, so
 * that a caller sees that there are too many.
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
