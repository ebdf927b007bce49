/** Checks streamed code against the page hashes of a code directory. */
import { createHash, type Hash } from 'node:crypto';
import { type CodeDirectory, hashAt } from './code-signature.ts';

interface PageCheck {
  /** Accepts the next bytes of the slice; ignores bytes beyond the directory's limit. */
  feed(piece: Buffer): void;
  /** Returns the number of pages and of matching pages; pages without a hash and hashes without a page do not match. */
  count(): { pages: number; rightPages: number };
}

/** `digest` is the known digest of the directory. */
export function createPageCheck(directory: CodeDirectory, digest: string): PageCheck {
  const pageBytes = directory.pageBytes === 0 ? directory.codeLimit : directory.pageBytes;
  let page = 0;
  let position = 0;
  let rightPages = 0;
  let hasher: Hash | null = null;

  function takePart(part: Buffer): void {
    hasher ??= createHash(digest);
    hasher.update(part);
    position += part.length;
    if (position % pageBytes !== 0 && position !== directory.codeLimit) return;
    const found = hasher.digest().subarray(0, directory.hashBytes);
    if (hashAt(directory, page)?.equals(found)) rightPages++;
    hasher = null;
    page++;
  }

  return {
    feed(piece) {
      const usable = piece.subarray(0, directory.codeLimit - position);
      for (let done = 0; done < usable.length; ) {
        const part = usable.subarray(done, done + pageBytes - (position % pageBytes));
        done += part.length;
        takePart(part);
      }
    },
    count: () => ({ pages: Math.max(directory.codeSlotCount, page), rightPages }),
  };
}
