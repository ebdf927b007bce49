/** Property lists in CMS signed data that must be signed: the answers of devices to a profile service. */
import { problemWithSigner, readCmsSignedData } from '../../certificate/cms-signed-data.ts';
import { say } from '../../messages/package-messages.ts';
import { UnreadablePackage } from '../../package-info.ts';
import { parsePropertyList } from '../../property-list/property-list.ts';
import {
  isDictionary,
  type PropertyListDictionary,
  type PropertyListLimits,
} from '../../property-list/property-list-value.ts';

/**
 * Returns the dictionary in `bytes`. Requires at least one signer and valid signatures of all; does not check who issued the
 * certificates. Throws `UnreadablePackage` with a message that starts with `what`.
 */
export function readSignedPropertyList(
  bytes: Buffer,
  what: string,
  limits: PropertyListLimits,
): PropertyListDictionary {
  const list = parsePropertyList(signedContent(bytes, what), what, limits);
  if (!isDictionary(list)) throw new UnreadablePackage(say('property-list-not-dictionary', { name: what }));
  return list;
}

function signedContent(bytes: Buffer, what: string): Buffer {
  const { content, signers } = openSignedData(bytes, what);
  if (content === null || signers.length === 0) throw new UnreadablePackage(`${what} is not signed`);
  for (const signer of signers) {
    const problem = problemWithSigner(signer, content);
    if (problem !== null) throw new UnreadablePackage(`the signature of ${what} ${problem}`);
  }
  return content;
}

function openSignedData(bytes: Buffer, what: string) {
  try {
    return readCmsSignedData(bytes);
  } catch (error) {
    throw new UnreadablePackage(`${what} is not signed`, { cause: error });
  }
}
