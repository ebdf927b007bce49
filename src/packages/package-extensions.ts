import type { Platform } from './package-info.ts';

/** The usual extensions of files that Slipway reads. They are only used to choose files; a package is recognized by its content. */
export const packageExtensions: Readonly<Record<Platform, readonly string[]>> = {
  android: ['.apk', '.aab', '.apks'],
  ios: ['.ipa'],
};

const extensions = [...packageExtensions.ios, ...packageExtensions.android];
/** For use in sentences: `.a, .b or .c`. */
export const anyPackageExtension = `${extensions.slice(0, -1).join(', ')} or ${extensions.at(-1)}`;
