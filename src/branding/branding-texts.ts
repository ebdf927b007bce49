import type { LogoRefusal } from '../packages/logo-limits.ts';

export const brandingTexts = {
  title: 'Branding',
  installationLine: 'Shown on every page and in emails. Workspaces can override it for their Projects.',
  workspaceLine:
    'Shown on pages of this Workspace’s Projects and in emails about their builds. Empty fields use the installation’s branding.',
  name: 'Name',
  nameHint: 'Replaces “Slipway” in the header, in page titles and in emails.',
  accent: 'Accent color',
  accentHint: 'For example #7a1fa2. Used for links, buttons and plots. Leave empty for the default.',
  support: 'Support address',
  supportHint: 'An email address or an https:// link, shown at the bottom of pages and emails.',
  preview: 'Preview',
  save: 'Save',
  colors: 'Preview of the accent color',
  light: 'Light',
  dark: 'Dark',
  sample: 'Install',
  unchanged: (scheme: string, color: string) => `${scheme}: ${color}`,
  adjusted: (scheme: string, from: string, to: string) =>
    `${scheme}: Adjusted from ${from} to ${to} for contrast.`,
  confirm: 'Save again to use the adjusted colors, or choose another color.',
  logo: 'Logo',
  logoHint: 'PNG, JPEG or WebP, up to 1 MiB and 4,096 pixels on a side. Shown in the header, 28 pixels high.',
  logoFile: 'Image file',
  logoNow: 'Current logo',
  logoUpload: 'Upload logo',
  logoRemove: 'Remove logo',
  logoErrors: {
    missing: 'Choose a file.',
    several: 'The form contains more than one file. Upload one logo.',
    format: 'The file is not a PNG, JPEG or WebP image. Convert the logo to one of these formats.',
    bytes: 'File too large. The limit is 1 MiB.',
    side: 'Image too large. The limit is 4,096 pixels on a side.',
    animated: 'The image is animated. Upload a still image.',
    damaged: 'The image is damaged or incomplete. Export it again.',
    limits: 'The image took too much time or memory to process. Upload a smaller image.',
  } satisfies Record<LogoRefusal | 'missing' | 'several' | 'limits', string>,
  errors: {
    name: 'The name is too long. The limit is 60 characters.',
    nameCharacters: 'The name contains control characters. Remove them.',
    accent: 'Enter a color as # and six hexadecimal digits, for example #7a1fa2.',
    support: 'Enter an email address or an address that starts with https://, up to 254 characters.',
  },
};

/** Confirmations by the `done` of the address. */
export const brandingMessages = {
  saved: 'Branding saved.',
  'logo-saved': 'Logo saved.',
  'logo-removed': 'Logo removed.',
};
