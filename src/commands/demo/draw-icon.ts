/** Draws the icons of the apps: a glyph on a gradient, without text. */
import sharp from 'sharp';

export interface IconDesign {
  /** Colors of the gradient, from top to bottom. */
  from: string;
  to: string;
  /** SVG elements on a canvas of 100 by 100. */
  glyph: string;
}

const stroke = (color: string, width: number) =>
  `fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"`;

export const iconDesigns = {
  tideline: {
    from: '#1583b8',
    to: '#0a4a7d',
    glyph: `<circle cx="67" cy="31" r="12" fill="#ffc857"/>
      <path d="M-4 50q13-14 27 0t27 0 27 0 27 0" ${stroke('#ffffff', 9)}/>
      <path d="M-4 72q13-14 27 0t27 0 27 0 27 0" ${stroke('#8fd3f4', 9)}/>`,
  },
  courier: {
    from: '#f97a4b',
    to: '#d6401f',
    glyph: `<path d="M50 18a25 25 0 0 1 25 25c0 18-25 41-25 41S25 61 25 43a25 25 0 0 1 25-25Z" fill="#fff"/>
      <circle cx="50" cy="43" r="10" fill="#d9461f"/>`,
  },
  pulse: {
    from: '#2fa57c',
    to: '#12694d',
    glyph: `<path d="M12 54h18l9-26 16 48 10-30 5 8h18" ${stroke('#fff', 8)}/>`,
  },
  bramble: {
    from: '#7c4bb8',
    to: '#452378',
    glyph: `<g fill="#e6d4ff"><circle cx="37" cy="50" r="14"/><circle cx="63" cy="50" r="14"/></g>
      <circle cx="50" cy="70" r="14" fill="#fff"/><path d="M50 38q2-18 18-20-1 17-18 20Z" fill="#a6dd7b"/>`,
  },
  orbit: {
    from: '#f4f6fd',
    to: '#d5ddf5',
    glyph: `<circle cx="50" cy="50" r="17" fill="#2f55d4"/>
      <ellipse cx="50" cy="50" rx="38" ry="15" transform="rotate(-24 50 50)" ${stroke('#101b46', 6)}/>
      <circle cx="82" cy="31" r="6" fill="#f2704d"/>`,
  },
  ledgerly: {
    from: '#343a48',
    to: '#14171f',
    glyph: `<path d="M32 80V22h38M32 50h28" ${stroke('#ffc24b', 11)}/><circle cx="70" cy="76" r="7" fill="#fff"/>`,
  },
  fieldnotes: {
    from: '#e5a823',
    to: '#b8770b',
    glyph: `<rect x="27" y="18" width="46" height="64" rx="7" fill="#fff"/>
      <path d="M38 37h24M38 50h24M38 63h14" ${stroke('#a2690a', 6)}/>`,
  },
} as const satisfies Record<string, IconDesign>;

export type IconName = keyof typeof iconDesigns;

/** Returns a square PNG with `pixels` per side. */
export async function drawIcon(name: IconName, pixels: number): Promise<Buffer> {
  const { from, to, glyph } = iconDesigns[name];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="${pixels}" height="${pixels}">
    <defs>
      <linearGradient id="ground" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/>
      </linearGradient>
      <radialGradient id="light" cx="0.3" cy="0" r="0.9">
        <stop offset="0" stop-color="#fff" stop-opacity="0.28"/><stop offset="1" stop-color="#fff" stop-opacity="0"/>
      </radialGradient>
    </defs>
    <rect width="100" height="100" fill="url(#ground)"/><rect width="100" height="100" fill="url(#light)"/>
    ${glyph}
  </svg>`;
  return sharp(Buffer.from(svg)).png({ compressionLevel: 9, palette: true }).toBuffer();
}
