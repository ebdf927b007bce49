/** The limits on the bytes of a page, see docs/performance.md. */
import { readElements } from '../web/elements.ts';

/** HTML, styles, scripts and images as sent. */
export const maxPageBytes = 60 * 1024;
/** The reference of the API, which grows by about 400 bytes with each operation. */
const maxReferenceBytes = 96 * 1024;
/** Distribution pages, which testers open on phones. */
export const maxTesterPageBytes = 30 * 1024;

export const isTesterPage = (path: string) => /^\/distributions\/(?!.*\/settings)/.test(path);

export function maxBytesOf(path: string): number {
  if (path === '/docs') return maxReferenceBytes;
  return isTesterPage(path) ? maxTesterPageBytes : maxPageBytes;
}

/** The addresses of the styles, scripts and the icon that every visit of the page loads. */
export function assetsOf(html: string): string[] {
  const addresses = readElements(html).flatMap(({ tag, attributes }) => {
    if (tag === 'link') return [attributes.get('href')];
    return tag === 'script' ? [attributes.get('src')] : [];
  });
  return [...new Set(addresses)].filter(
    (address): address is string => address?.startsWith('/assets/') === true,
  );
}
