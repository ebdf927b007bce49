/** The apksigner of the Android SDK, if it is installed: one start of Java per call, so that only the full run uses it. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { runsEverything } from './runs-everything.ts';

export const apksignerPresent =
  runsEverything &&
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'apksigner')));

/** A short run costs less without the compiler that optimizes. */
const env = { ...process.env, JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' };

/** Returns what `apksigner verify` prints; null when the package does not verify. */
export async function verifyWithApksigner(path: string, ...options: string[]): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('apksigner', ['verify', ...options, path], { env });
    return stdout;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 1) return null;
    throw error;
  }
}
