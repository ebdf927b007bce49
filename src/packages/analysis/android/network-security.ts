/** Reads a network security configuration. Source: developer.android.com, "Network security configuration". */
import { maxNameLength } from '../../apk/android-manifest.ts';
import { plainAttribute, type XmlElement } from '../../apk/binary-xml.ts';
import { booleanOf } from '../../apk/typed-value.ts';
import type { AndroidAnalysis } from '../analysis.ts';

/** Real ones have about a kilobyte. */
export const maxNamedXmlBytes = 1024 * 1024;
export const maxCleartextDomains = 1_000;

/** Overrides that apply only to debuggable apps are left out. */
export function readNetworkSecurity(root: XmlElement): NonNullable<AndroidAnalysis['networkSecurity']> {
  const base = root.children.find(({ name }) => name === 'base-config');
  const domains = new Set<string>();
  const configs = root.children.filter(({ name }) => name === 'domain-config');
  for (const config of configs) collectDomains(config, false, domains);
  return {
    cleartextDomains: [...domains],
    cleartextByDefault: base ? cleartext(base) : null,
    userCertificates: [...(base ? [base] : []), ...configs].some(trustsUser),
  };
}

const cleartext = (element: XmlElement) => {
  const value = plainAttribute(element, 'cleartextTrafficPermitted');
  return value && booleanOf(value);
};

/** A configuration inside another one inherits what it does not state. */
function collectDomains(config: XmlElement, inherited: boolean, domains: Set<string>): void {
  const isPermitted = cleartext(config) ?? inherited;
  for (const child of config.children) {
    if (child.name === 'domain-config') collectDomains(child, isPermitted, domains);
    const domain = child.name === 'domain' && isPermitted ? child.text?.trim() : '';
    if (domain && domains.size < maxCleartextDomains) domains.add(domain.slice(0, maxNameLength));
  }
}

function trustsUser(config: XmlElement): boolean {
  return config.children.some((child) => {
    if (child.name === 'domain-config') return trustsUser(child);
    return (
      child.name === 'trust-anchors' &&
      child.children.some((one) => {
        const source = plainAttribute(one, 'src');
        return one.name === 'certificates' && source?.kind === 'string' && source.text === 'user';
      })
    );
  });
}
