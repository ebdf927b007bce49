import type { Platform } from '../../packages/package-info.ts';

/** Id of what names the platform in a half of an app's page: with two halves, it tells their like-named parts apart. */
export function platformLabelId(platform: Platform): string {
  return `${platform}-platform`;
}
