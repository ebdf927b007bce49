import type { CertificateFacts } from '../../packages/package-info.ts';

const commonName = /(?:^|[,+] ?)CN=((?:\\.|[^\\,+])+)/;
const organisation = /(?:^|[,+] ?)O=((?:\\.|[^\\,+])+)/;

/**
 * Short name of a certificate subject: its common name, else its organization, else the whole subject. Subjects are RFC
 * 4514 strings (section 2.4): `\` escapes commas, pluses and other characters in a value.
 */
export function signerName({ subject }: Pick<CertificateFacts, 'subject'>): string {
  const [, value] = commonName.exec(subject) ?? organisation.exec(subject) ?? [];
  return value ? value.replace(/\\(.)/g, '$1').trim() : subject;
}
