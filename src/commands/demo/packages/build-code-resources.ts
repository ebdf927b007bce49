/** The list of sealed files, as written into an iOS app by Xcode's codesign. */
import { hash } from 'node:crypto';
import { type PropertyListValue, writePropertyList } from './write-property-list.ts';

export const resourceRules: Record<string, PropertyListValue> = {
  '.*\\.dSYM($|/)': { weight: 11 },
  '^(.*/)?\\.DS_Store$': { omit: true, weight: 2000 },
  '^.*': true,
  '^.*\\.lproj/': { optional: true, weight: 1000 },
  '^.*\\.lproj/locversion.plist$': { omit: true, weight: 1100 },
  '^Base\\.lproj/': { weight: 1010 },
  '^Info\\.plist$': { omit: true, weight: 20 },
  '^PkgInfo$': { omit: true, weight: 20 },
  '^embedded\\.provisionprofile$': { weight: 20 },
  '^version\\.plist$': { weight: 20 },
};

export type SealedFiles = Record<string, Buffer | string>;

/** `more` overrides keys of the list. */
export function buildCodeResources(files: SealedFiles, more: Record<string, PropertyListValue> = {}): Buffer {
  return writePropertyList({
    files: seals(files, (sha1) => sha1),
    files2: seals(files, (sha1, sha256) => ({ hash: sha1, hash2: sha256 })),
    rules: { '^.*': true },
    rules2: resourceRules,
    ...more,
  });
}

function seals(
  files: SealedFiles,
  encryption: (sha1: Buffer, sha256: Buffer) => PropertyListValue,
): PropertyListValue {
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => [
      name,
      encryption(hash('sha1', content, 'buffer'), hash('sha256', content, 'buffer')),
    ]),
  );
}
