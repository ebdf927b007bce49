import { type PackageInfo, UnreadablePackage } from './package-info.ts';

/** In JSON text: an escaped backslash, a NUL, or a lone surrogate (pairs are not escaped). */
const escapes = /\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/gi;

/**
 * Removes characters from every text and key that databases do not store: drops NUL characters and replaces lone surrogates
 * with U+FFFD.
 *
 * @throws UnreadablePackage when nothing is left of the identifier
 */
export function cleanFacts(info: PackageInfo): PackageInfo {
  const json = JSON.stringify(info);
  const cleanJson = json.replace(escapes, cleanEscape);
  if (cleanJson === json) return info;
  const clean: PackageInfo = JSON.parse(cleanJson);
  if (clean.packageName === '') throw new UnreadablePackage('the identifier of the app is damaged');
  return { ...clean, name: clean.name.trim() || clean.packageName };
}

function cleanEscape(found: string): string {
  if (found === '\\\\') return found;
  return found === '\\u0000' ? '' : '\ufffd';
}
