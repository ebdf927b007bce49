import type { ZipArchive } from '../zip/zip-archive.ts';
import { createCanvas } from './drawing-work.ts';
import { renderSvg } from './render-svg.ts';
import type { Box } from './vector/drawable.ts';
import { openDrawableFiles } from './vector/drawable-files.ts';
import { createDrawableReader } from './vector/read-drawable.ts';

/** The size of a launcher icon without a stated size, in dp. */
const defaultDp = 48;

/**
 * Draws a compiled XML drawable, including adaptive icons, like a phone with the highest screen density, without the app's
 * theme.
 *
 * @param path of the XML file in the archive
 * @returns a square PNG; null when there is nothing to draw
 * @throws UnreadablePackage when it exceeds a drawing limit
 */
export async function drawCompiled(archive: ZipArchive, path: string): Promise<Buffer | null> {
  const files = openDrawableFiles(archive);
  const root = await files.openXml(path);
  const drawable = root && (await createDrawableReader(files).readElement(root));
  if (!drawable) return null;
  const view: Box = { x: 0, y: 0, width: drawable.width ?? defaultDp, height: drawable.height ?? defaultDp };
  const nodes = drawable.draw(view, createCanvas(Math.max(view.width, view.height)));
  return nodes.length > 0 ? renderSvg(view, nodes) : null;
}
