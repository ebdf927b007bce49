/**
 * The attributes with which one CMS signature covers several code directories ("hash agility", `CMSEncoder` in Apple's Security
 * framework): a property list of hashes truncated to 20 bytes, and pairs of digest and full hash.
 */
import { hash } from 'node:crypto';
import {
  BerTag,
  type BerValue,
  berChildren,
  berObjectIdentifier,
  berOctets,
  expectBer,
} from '../../certificate/ber.ts';
import { type CmsSigner, digestName, readSignedAttributes } from '../../certificate/cms-signed-data.ts';
import { say } from '../../messages/package-messages.ts';
import { parsePropertyList } from '../../property-list/property-list.ts';
import { isDictionary } from '../../property-list/property-list-value.ts';
import type { CodeDirectory } from './code-signature.ts';

const hashListAttribute = '1.2.840.113635.100.9.1';
const hashPairsAttribute = '1.2.840.113635.100.9.2';
const listedHashBytes = 20;

/** Returns full sentences. The primary directory is signed directly; every other one must be listed in an attribute. */
export function problemsWithDirectoryHashes(signer: CmsSigner, directories: CodeDirectory[]): string[] {
  try {
    const attributes = new Map(readSignedAttributes(signer));
    const listed = hashList(attributes.get(hashListAttribute));
    const pairs = (attributes.get(hashPairsAttribute) ?? []).map(readPair);
    return directories.flatMap((directory, index) => {
      const { digest } = directory;
      if (digest === null) return [];
      const whole = hash(digest, directory.bytes, 'buffer');
      const isListed = listed?.some((one) => one.equals(whole.subarray(0, listedHashBytes))) ?? index === 0;
      const pair = pairs.find((candidate) => candidate.digest === digest);
      const isPaired = pair === undefined || pair.value.equals(whole);
      return isListed && isPaired ? [] : [say('code-directory-not-covered', { digest })];
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [say('signature-attributes-unreadable', { reason })];
  }
}

function hashList(values: BerValue[] | undefined): Buffer[] | null {
  if (values === undefined) return null;
  const list = parsePropertyList(berOctets(values[0]), 'the list of code directories');
  const hashes = isDictionary(list) ? list.cdhashes : null;
  if (!Array.isArray(hashes)) throw new Error('the list of code directories is malformed');
  return hashes.filter((one) => Buffer.isBuffer(one));
}

function readPair(value: BerValue): { digest: string | null; value: Buffer } {
  const [algorithm, whole] = berChildren(expectBer(value, BerTag.sequence));
  return { digest: digestName(berObjectIdentifier(algorithm)), value: berOctets(whole) };
}
