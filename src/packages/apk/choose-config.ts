import { anyDensity, type ResourceConfig } from './resource-config.ts';

/**
 * Returns the configuration of a modern phone with a very new platform: portrait, day, touch. Without a locale, only values
 * without a language match.
 */
export function phone(densityDpi: number, locale: ResourceConfig | null = null): ResourceConfig {
  return {
    mcc: 0,
    mnc: 0,
    language: locale?.language ?? '',
    region: locale?.region ?? '',
    script: locale?.script ?? '',
    variant: locale?.variant ?? '',
    orientation: 1,
    touchscreen: 3,
    density: densityDpi,
    keyboard: 1,
    navigation: 1,
    inputFlags: 0x0b,
    grammaticalGender: 0,
    screenWidth: 1080,
    screenHeight: 2340,
    sdkVersion: 10_000,
    screenLayout: 0x62,
    uiMode: 0x11,
    smallestScreenWidthDp: 411,
    screenWidthDp: 411,
    screenHeightDp: 891,
    screenLayout2: 0x01,
    colorMode: 0x05,
  };
}

type Part = (config: ResourceConfig) => number;

const keysHidden: Part = (config) => config.inputFlags & 0x03;
const screenSize: Part = (config) => config.screenLayout & 0x0f;

/** The device must have exactly the stated value. */
const exactParts: readonly Part[] = [
  (config) => config.mcc,
  (config) => config.mnc,
  (config) => config.grammaticalGender,
  (config) => config.screenLayout & 0xc0,
  (config) => config.screenLayout & 0x30,
  (config) => config.screenLayout2 & 0x03,
  (config) => config.colorMode & 0x03,
  (config) => config.colorMode & 0x0c,
  (config) => config.orientation,
  (config) => config.uiMode & 0x0f,
  (config) => config.uiMode & 0x30,
  (config) => config.touchscreen,
  (config) => config.inputFlags & 0x0c,
  (config) => config.keyboard,
  (config) => config.navigation,
];

/** The device must have at least the stated value. */
const upperBoundParts: readonly Part[] = [
  screenSize,
  (config) => config.smallestScreenWidthDp,
  (config) => config.screenWidthDp,
  (config) => config.screenHeightDp,
  (config) => config.screenWidth,
  (config) => config.screenHeight,
  (config) => config.sdkVersion,
];

/**
 * Returns whether a device can use a value of this configuration. Any density can be scaled.
 *
 * @see `ResTable_config::match` in Android's ResourceTypes.cpp
 */
export function fits(config: ResourceConfig, device: ResourceConfig): boolean {
  const stated = (part: Part) => part(config) !== 0;
  const hidden = keysHidden(config);
  return (
    fitsLocale(config, device) &&
    exactParts.every((part) => !stated(part) || part(config) === part(device)) &&
    upperBoundParts.every((part) => part(config) <= part(device)) &&
    // An on-screen keyboard counts as not hidden.
    (hidden === 0 || hidden === keysHidden(device) || (hidden === 1 && keysHidden(device) === 3))
  );
}

function fitsLocale(config: ResourceConfig, device: ResourceConfig): boolean {
  if (config.language === '') return true;
  return (
    config.language === device.language &&
    (config.script === '' || config.script === device.script) &&
    (config.region === '' || config.region === device.region)
  );
}

/** Between two matching values, the one with more in the first differing part wins. */
const partsBeforeLocale: readonly Part[] = [(config) => config.mcc, (config) => config.mnc];
const partsBeforeDensity: readonly Part[] = [
  (config) => config.grammaticalGender,
  (config) => config.screenLayout & 0xc0,
  (config) => config.smallestScreenWidthDp,
  (config) => config.screenWidthDp + config.screenHeightDp,
  // An unstated size counts as normal, but a stated normal size wins.
  (config) => screenSize(config) || 1.5,
  (config) => config.screenLayout & 0x30,
  (config) => config.screenLayout2 & 0x03,
  (config) => config.colorMode & 0x03,
  (config) => config.colorMode & 0x0c,
  (config) => config.orientation,
  (config) => config.uiMode & 0x0f,
  (config) => config.uiMode & 0x30,
];
const partsAfterDensity: readonly Part[] = [
  (config) => config.touchscreen,
  keysHidden,
  (config) => config.inputFlags & 0x0c,
  (config) => config.keyboard,
  (config) => config.navigation,
  (config) => config.screenWidth + config.screenHeight,
  (config) => config.sdkVersion,
];

/**
 * Orders matching configurations: negative when `a` is better.
 *
 * @see `ResTable_config::isBetterThan` in Android's ResourceTypes.cpp
 */
export function compareConfigs(a: ResourceConfig, b: ResourceConfig, device: ResourceConfig): number {
  return (
    compareParts(partsBeforeLocale, a, b) ||
    localeWeight(b, device) - localeWeight(a, device) ||
    compareParts(partsBeforeDensity, a, b) ||
    compareDensities(a.density, b.density, device.density) ||
    compareParts(partsAfterDensity, a, b)
  );
}

function compareParts(parts: readonly Part[], a: ResourceConfig, b: ResourceConfig): number {
  for (const part of parts) {
    const difference = part(b) - part(a);
    if (difference !== 0) return difference;
  }
  return 0;
}

function localeWeight(config: ResourceConfig, device: ResourceConfig): number {
  if (config.language === '') return 0;
  const sameVariant = config.variant === device.variant ? 1 : 0;
  return 8 + (config.region === '' ? 0 : 4) + (config.script === '' ? 0 : 2) + sameVariant;
}

/** Prefers "any density", then the next higher density, then the highest. */
function compareDensities(a: number, b: number, wanted: number): number {
  const [first, second] = [a || 160, b || 160];
  if (first === second) return 0;
  if (first === anyDensity) return -1;
  if (second === anyDensity) return 1;
  const [high, low] = [Math.max(first, second), Math.min(first, second)];
  // Between the two, the platform weighs scaling down against scaling up with this formula.
  const prefersHigh = wanted >= high || (low < wanted && (2 * low - wanted) * high <= wanted * wanted);
  return prefersHigh === first > second ? -1 : 1;
}

/** Returns the values that match the device, best first; equal ones in table order. */
export function orderForDevice<T extends { config: ResourceConfig }>(
  values: readonly T[],
  device: ResourceConfig,
): T[] {
  return values
    .filter((value) => fits(value.config, device))
    .toSorted((a, b) => compareConfigs(a.config, b.config, device));
}

/** Returns the best value without sorting the others; null when none matches. */
export function chooseForDevice<T extends { config: ResourceConfig }>(
  values: readonly T[],
  device: ResourceConfig,
): T | null {
  let best: T | null = null;
  for (const value of values) {
    if (!fits(value.config, device)) continue;
    if (best === null || compareConfigs(value.config, best.config, device) < 0) best = value;
  }
  return best;
}
