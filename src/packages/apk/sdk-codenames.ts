/** API levels of platform codenames, which are used during development. */

/** A level above all released ones: `Build.VERSION_CODES.CUR_DEVELOPMENT`. */
export const unreleasedApiLevel = 10_000;

/** Names of `Build.VERSION_CODES` in lower case, as used by previews. */
const apiLevels: Readonly<Record<string, number>> = {
  base: 1,
  base11: 2,
  cupcake: 3,
  donut: 4,
  eclair: 5,
  eclair01: 6,
  eclairmr1: 7,
  froyo: 8,
  gingerbread: 9,
  gingerbreadmr1: 10,
  honeycomb: 11,
  honeycombmr1: 12,
  honeycombmr2: 13,
  icecreamsandwich: 14,
  icecreamsandwichmr1: 15,
  jellybean: 16,
  jellybeanmr1: 17,
  jellybeanmr2: 18,
  kitkat: 19,
  kitkatwatch: 20,
  l: 21,
  lollipop: 21,
  lollipopmr1: 22,
  m: 23,
  mnc: 23,
  n: 24,
  nmr1: 25,
  o: 26,
  omr1: 27,
  p: 28,
  q: 29,
  r: 30,
  s: 31,
  sv2: 32,
  tiramisu: 33,
  upsidedowncake: 34,
  vanillaicecream: 35,
  baklava: 36,
};

/**
 * Returns the API level of a codename, 10000 for an unknown name. Ignores a fingerprint after a dot, as in `S.0123abcd`.
 * Digits are the level itself.
 */
export function apiLevelOfCodename(codename: string): number {
  if (/^\d{1,5}$/.test(codename)) return Number(codename);
  const name = codename.split('.', 1)[0]?.toLowerCase().replaceAll('_', '') ?? '';
  return Object.hasOwn(apiLevels, name) ? (apiLevels[name] ?? unreleasedApiLevel) : unreleasedApiLevel;
}
