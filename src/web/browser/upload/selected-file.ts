/** A chosen or dropped file, and the reason why it cannot be uploaded. */
import type { UploadTexts } from './upload-texts.ts';
import { fillIn } from './upload-texts.ts';

export interface FoundFile {
  file: File;
  /** A dropped folder, which browsers present as a file. */
  folder: boolean;
}

export interface FileRules {
  /** File name extensions with their dots, in lower case. */
  endings: readonly string[];
  maxBytes: number;
  /** `maxBytes`, formatted. */
  limit: string;
}

/** Returns an error message, or null. */
export function problemOf({ file, folder }: FoundFile, rules: FileRules, texts: UploadTexts): string | null {
  if (folder) return texts.folder;
  const kind = kindOf(file.name);
  if (!rules.endings.includes(`.${kind}`)) {
    return fillIn(texts.wrongKind, { kinds: rules.endings.join(', ') });
  }
  if (file.size === 0) return texts.empty;
  return file.size > rules.maxBytes ? fillIn(texts.tooLarge, { limit: rules.limit }) : null;
}

/** Returns the extension in lower case and without its dot; `''` for a name that has none. */
export function kindOf(fileName: string): string {
  return /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
}
