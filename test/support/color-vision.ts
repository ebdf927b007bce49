/** How different colors look, also to color-blind people. Colors are `#rrggbb`. */

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/**
 * Matrices for linear RGB and complete dichromacy (severity 1.0). Machado, Oliveira, Fernandes: "A Physiologically-based Model for
 * Simulation of Color Vision Deficiency", 2009, table 1.
 */
const matrices = {
  typical: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const satisfies Record<string, Matrix>;

export type Vision = keyof typeof matrices;
export const visions = Object.keys(matrices) as Vision[];

/** Returns the difference of two colors as someone with that vision sees them, by CIEDE2000. About 1 is just noticeable. */
export const differenceOf = (vision: Vision, one: string, other: string): number =>
  ciede2000(labOf(seen(vision, one)), labOf(seen(vision, other)));

function seen(vision: Vision, color: string): Triple {
  const rgb = linearOf(color);
  return transform(matrices[vision], rgb).map((value) =>
    Math.min(1, Math.max(0, value)),
  ) as unknown as Triple;
}

function linearOf(color: string): Triple {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as unknown as Triple;
}

const transform = (matrix: Matrix, [x, y, z]: Triple): Triple =>
  matrix.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Triple;

/** IEC 61966-2-1, with the white point D65. */
const toXyz: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const white: Triple = [0.95047, 1, 1.08883];

function labOf(rgb: Triple): Triple {
  const [x, y, z] = transform(toXyz, rgb).map((value, axis) => {
    const share = value / (white[axis] ?? 1);
    return share > 216 / 24389 ? Math.cbrt(share) : ((24389 / 27) * share + 16) / 116;
  }) as unknown as Triple;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const degrees = (radians: number) => ((radians * 180) / Math.PI + 360) % 360;
const radians = (angle: number) => (angle * Math.PI) / 180;

/** Sharma, Wu, Dalal: "The CIEDE2000 Color-Difference Formula", 2005, with the names of that paper. */
export function ciede2000([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const meanC = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(meanC ** 7 / (meanC ** 7 + 25 ** 7)));
  const [a1g, a2g] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [Math.hypot(a1g, b1), Math.hypot(a2g, b2)];
  const [h1, h2] = [degrees(Math.atan2(b1, a1g)), degrees(Math.atan2(b2, a2g))];
  const isGray = c1 * c2 === 0;
  const turn = isGray ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const deltaH = 2 * Math.sqrt(c1 * c2) * Math.sin(radians(turn / 2));
  const l = (l1 + l2) / 2;
  const c = (c1 + c2) / 2;
  const h = isGray ? h1 + h2 : (h1 + turn / 2 + 360) % 360;
  const t =
    1 -
    0.17 * Math.cos(radians(h - 30)) +
    0.24 * Math.cos(radians(2 * h)) +
    0.32 * Math.cos(radians(3 * h + 6)) -
    0.2 * Math.cos(radians(4 * h - 63));
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const sc = 1 + 0.045 * c;
  const sh = 1 + 0.015 * c * t;
  const rotation = Math.sin(radians(60 * Math.exp(-(((h - 275) / 25) ** 2))));
  const rt = -2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * rotation;
  const [dl, dc, dh] = [(l2 - l1) / sl, (c2 - c1) / sc, deltaH / sh];
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rt * dc * dh);
}
