/** The overlay that covers the page while files are dragged over it. */
import type { FoundFile } from './selected-file.ts';

interface DropTarget {
  overlay: HTMLElement;
  take(found: readonly FoundFile[]): void;
}

/** One per window, because its event listeners stay when the upload page replaces another page. */
let target: DropTarget | null = null;

/** Shows the overlay while files are dragged over the page, and passes dropped files to `take`. Replaces an earlier overlay. */
export function watchDrops(overlay: HTMLElement, take: DropTarget['take']): void {
  if (target === null) listenForDrops();
  target = { overlay, take };
}

function listenForDrops(): void {
  let depth = 0;
  const listen = (type: 'dragenter' | 'dragover' | 'dragleave' | 'drop', act: (data: DataTransfer) => void) =>
    addEventListener(type, (event) => {
      const data = event.dataTransfer;
      if (!data?.types.includes('Files')) return;
      event.preventDefault();
      act(data);
      if (target) target.overlay.hidden = depth === 0;
    });
  listen('dragenter', () => {
    depth += 1;
  });
  listen('dragover', (data) => {
    data.dropEffect = 'copy';
  });
  listen('dragleave', () => {
    depth = Math.max(0, depth - 1);
  });
  listen('drop', (data) => {
    depth = 0;
    target?.take(Array.from(data.items, readItem).filter((found) => found !== null));
  });
}

function readItem(item: DataTransferItem): FoundFile | null {
  const file = item.kind === 'file' ? item.getAsFile() : null;
  return file && { file, folder: item.webkitGetAsEntry?.()?.isDirectory ?? false };
}
