/** Property lists inside CMS signed data: the answer of a device to a profile service. */
import { MalformedBer } from '../../certificate/ber.ts';
import { type CmsSigner, problemWithSigner, readCmsSignedData } from '../../certificate/cms-signed-data.ts';
import { UnreadablePackage } from '../../package-info.ts';
import { parsePropertyList } from '../../property-list/property-list.ts';
import {
  isDictionary,
  type PropertyListDictionary,
  type PropertyListLimits,
} from '../../property-list/property-list-value.ts';

/**
 * Returns the dictionary in `bytes`. Requires at least one signer and valid signatures of all; does not check who issued the
 * certificates. Throws `UnreadablePackage`, whose message starts with `what`.
 */
export function readSignedPropertyList(
  bytes: Buffer,
  what: string,
  limits: PropertyListLimits,
): PropertyListDictionary {
  const list = parsePropertyList(signedContent(bytes, what), what, limits);
  if (!isDictionary(list)) throw new UnreadablePackage(`${what} is not a dictionary`);
  return list;
}

function signedContent(bytes: Buffer, what: string): Buffer {
  const { content, signers } = openSignedData(bytes, what);
  if (content === null || signers.length === 0) throw new UnreadablePackage(`${what} is not signed`);
  for (const signer of signers) {
    const problem = problemOrUnreadable(signer, content);
    if (problem !== null) throw new UnreadablePackage(`the signature of ${what} ${problem}`);
  }
  return content;
}

/** A malformed digest is detected only when it is compared. */
function problemOrUnreadable(signer: CmsSigner, content: Buffer): string | null {
  try {
    return problemWithSigner(signer, content);
  } catch (error) {
    if (!(error instanceof MalformedBer)) throw error;
    return 'cannot be read';
  }
}

function openSignedData(bytes: Buffer, what: string) {
  try {
    return readCmsSignedData(bytes);
  } catch (error) {
    throw new UnreadablePackage(`${what} is not signed`, { cause: error });
  }
}
