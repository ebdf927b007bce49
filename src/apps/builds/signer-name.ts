import type { CertificateFacts } from '../../packages/package-info.ts';

const commonName = /(?:^|[,+] ?)CN=((?:\\.|[^\\,+])+)/;
const organisation = /(?:^|[,+] ?)O=((?:\\.|[^\\,+])+)/;

/**
 * The short name of whom a certificate stands for: its common name, else its organisation, else the whole subject.
 * Subjects are distinguished names as text (RFC 4514, section 2.4): commas, pluses and others in a value are escaped by `\`.
 */
export function signerName({ subject }: Pick<CertificateFacts, 'subject'>): string {
  const [, value] = commonName.exec(subject) ?? organisation.exec(subject) ?? [];
  return value ? value.replace(/\\(.)/g, '$1').trim() : subject;
}
