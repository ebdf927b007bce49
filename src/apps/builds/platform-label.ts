import type { Platform } from '../../packages/package-info.ts';

/** ID of the platform heading. On pages with two platforms it labels their equally named sections. */
export function platformLabelId(platform: Platform): string {
  return `${platform}-platform`;
}
