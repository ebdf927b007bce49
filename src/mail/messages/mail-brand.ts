/** The brand in emails: one accent color per scheme, readable on every background in emails. */
import { brandColors } from '../../web/components/brand-colors.ts';
import type { Brand } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';

export interface MailColors {
  accent: string;
  onAccent: string;
}

const defaults: Record<'light' | 'dark', MailColors> = {
  light: { accent: '#0b5f66', onAccent: '#ffffff' },
  dark: { accent: '#6fcdc6', onAccent: '#062326' },
};

/** Backgrounds are white and `#f4f7f7`, in the dark scheme `#162024` and `#0e1416`. */
export const mailColors = ({ accent }: Brand): Record<'light' | 'dark', MailColors> =>
  accent === null ? defaults : brandColors(accent);

export const mailSender = ({ name }: Brand): string => name ?? texts.product;

export interface MailSupport {
  address: string;
  label: string;
}

export function mailSupport({ support }: Brand): MailSupport | null {
  if (support === null) return null;
  return support.startsWith('https://')
    ? { address: support, label: support.replace('https://', '') }
    : { address: `mailto:${support}`, label: support };
}
