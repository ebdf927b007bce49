/** A chosen or dropped file, and the reason why it cannot be uploaded. */
import type { UploadTexts } from './upload-texts.ts';
import { fillIn } from './upload-texts.ts';

export interface FoundFile {
  file: File;
  /** Whether it is a folder, which browsers present as a file when it is dropped. */
  folder: boolean;
}

export interface FileRules {
  /** File name extensions with dots, in lower case. */
  endings: readonly string[];
  maxBytes: number;
  /** `maxBytes`, formatted. */
  limit: string;
}

/** Returns an error message; null if the file can be uploaded. */
export function problemOf({ file, folder }: FoundFile, rules: FileRules, texts: UploadTexts): string | null {
  if (folder) return texts.folder;
  const kind = kindOf(file.name);
  if (!rules.endings.includes(`.${kind}`)) {
    return fillIn(texts.wrongKind, { kinds: rules.endings.join(', ') });
  }
  if (file.size === 0) return texts.empty;
  return file.size > rules.maxBytes ? fillIn(texts.tooLarge, { limit: rules.limit }) : null;
}

/** Returns the extension in lower case without its dot; an empty string if there is none. */
export function kindOf(fileName: string): string {
  return /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
}
