import { resolve } from 'node:path';
import type { Settings } from '../../core/settings.ts';

/** The file with further trusted roots; null without one. */
export function readTrustedRoots(settings: Settings): string | null {
  const path = settings.text('SLIPWAY_TRUSTED_ROOTS');
  return path === null ? null : resolve(path);
}
