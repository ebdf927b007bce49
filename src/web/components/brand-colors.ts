/**
 * The colors of a brand, derived from one accent color, with contrast as defined in WCAG 2.2
 * (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
 */

/** Colors as `#rrggbb`. */
export interface BrandScheme {
  accent: string;
  accentDeep: string;
  accentGround: string;
  onAccent: string;
  plots: readonly [string, string, string];
}

export interface BrandColors {
  light: BrandScheme;
  dark: BrandScheme;
}

interface SchemeBase {
  paper: string;
  /** Backgrounds other than `paper` that have text in the accent color. */
  grounds: readonly string[];
  /** Color to mix with the accent until it is legible; also used for its hover state. */
  away: string;
  /** The share of the accent in `accentGround`, and of `away` in `accentDeep`. */
  groundShare: number;
  deepShare: number;
}

type Rgb = readonly [number, number, number];

/** Minimum contrast of text (WCAG 2.2, 1.4.3). */
export const leastTextContrast = 4.5;

/** Must change with every change to the derivation of colors, so that addresses of stylesheets change too. */
const derivation = 1;

const steps = 64;

const light: SchemeBase = {
  paper: '#ffffff',
  grounds: ['#f4f7f7', '#e9efef'],
  away: '#000000',
  groundShare: 0.1,
  deepShare: 0.22,
};
const dark: SchemeBase = {
  paper: '#0e1416',
  grounds: ['#161f22', '#141c1f', '#1f2a2e'],
  away: '#ffffff',
  groundShare: 0.18,
  deepShare: 0.25,
};

/** The backgrounds in `elements.css` on which the colors must be legible, `paper` first. */
export const brandGrounds = {
  light: [light.paper, ...light.grounds],
  dark: [dark.paper, ...dark.grounds],
};

/** All text on `accent`, and `accent` as text on every background, has a contrast of at least 4.5. */
export function brandColors(color: string): BrandColors {
  return { light: deriveScheme(color, light), dark: deriveScheme(color, dark) };
}

function deriveScheme(color: string, base: SchemeBase): BrandScheme {
  const { paper, away } = base;
  const accentGround = mix(color, paper, base.groundShare);
  const accent = readableOn([paper, accentGround, ...base.grounds], color, away);
  return {
    accent,
    accentDeep: mix(away, accent, base.deepShare),
    accentGround,
    onAccent: base === light ? paper : mix(accent, '#000000', 0.12),
    plots: [accent, mix(accent, paper, 0.72), mix(accent, paper, 0.48)],
  };
}

/** Mixes the color with `away` until it is legible on every background. */
function readableOn(grounds: readonly string[], color: string, away: string): string {
  for (let step = 0; step < steps; step++) {
    const candidate = mix(away, color, step / steps);
    if (grounds.every((ground) => contrast(candidate, ground) >= leastTextContrast)) return candidate;
  }
  return away;
}

/** Returns a ratio from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = parse(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Mixes `share` of the first color with the second. */
function mix(first: string, second: string, share: number): string {
  const other = parse(second);
  const mixed = parse(first).map((value, at) => Math.round(value * share + (other[at] ?? 0) * (1 - share)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function parse(color: string): Rgb {
  const number = Number.parseInt(color.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** The name contains everything that the stylesheet depends on, so it can be cached permanently. */
export const brandStylesheetPath = (accent: string) => `/branding/${derivation}-${accent.slice(1)}.css`;

/** Null unless `brandStylesheetPath` returns this name for some color. */
export function brandStylesheet(name: string): string | null {
  const hex = /-([0-9a-f]{6})\.css$/.exec(name)?.[1];
  if (hex === undefined || brandStylesheetPath(`#${hex}`) !== `/branding/${name}`) return null;
  const { light, dark } = brandColors(`#${hex}`);
  return `:root{${declarations(light)}}\n@media (prefers-color-scheme:dark){:root{${declarations(dark)}}}\n`;
}

function declarations({ accent, accentDeep, accentGround, onAccent, plots }: BrandScheme): string {
  const main = `--accent:${accent};--accent-deep:${accentDeep};--accent-ground:${accentGround};--on-accent:${onAccent}`;
  return [main, ...plots.map((plot, at) => `--plot-${at + 1}:${plot}`)].join(';');
}
