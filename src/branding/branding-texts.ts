export const brandingTexts = {
  title: 'Branding',
  installationLine:
    'Shown on every page. Workspaces can override it on the distribution pages of their Projects.',
  workspaceLine:
    'Shown on the distribution pages of this Workspace’s Projects. Empty fields use the installation’s branding.',
  name: 'Name',
  nameHint: 'Replaces “Slipway” in the header and in page titles.',
  accent: 'Accent color',
  accentHint: 'For example #7a1fa2. Used for links, buttons and plots. Leave empty for the default.',
  support: 'Support address',
  supportHint: 'An email address or an https:// link, shown at the bottom of pages.',
  preview: 'Preview',
  save: 'Save',
  saved: 'Branding saved.',
  colors: 'Preview of the accent color',
  light: 'Light',
  dark: 'Dark',
  sample: 'Install',
  unchanged: (scheme: string, color: string) => `${scheme}: ${color}`,
  adjusted: (scheme: string, from: string, to: string) =>
    `${scheme}: Adjusted from ${from} to ${to} for contrast.`,
  confirm: 'Save again to use the adjusted colors, or choose another color.',
  errors: {
    name: 'The name is too long. The limit is 60 characters.',
    nameCharacters: 'The name contains control characters. Remove them.',
    accent: 'Enter a color as # and six hexadecimal digits, for example #7a1fa2.',
    support: 'Enter an email address or an address that starts with https://, up to 254 characters.',
  },
};
