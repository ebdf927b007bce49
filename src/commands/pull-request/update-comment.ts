/** Keeps one comment per pull request, which several uploads can change at once. */
import { UploadError } from '../uploader/upload-error.ts';
import { type CommentRow, commentBody, commentMarker, mergeRows, readRows } from './comment-markdown.ts';
import type { Forge, ForgeIo } from './forge.ts';

const maxAttempts = 6;
/** Longer than the moment between reading and writing of another upload. */
const settleMs = 1_500;

/**
 * Adds the row to the comment, or creates it. Neither forge can edit on a condition: so every writer waits and reads again what
 * others may have overwritten, and comments that were created at once become the oldest.
 */
export async function putRow(forge: Forge, row: CommentRow, io: ForgeIo): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const own = await forge.listOwn(commentMarker);
    const rows = mergeRows([...own.flatMap(({ body }) => readRows(body)), row]);
    const body = commentBody({ rows, closed: false }, forge.noun);
    const [first, ...others] = own;
    if (!first) await forge.create(body);
    else if (first.body.trim() !== body.trim()) await forge.edit(first.id, body);
    else if (others.length === 0) return;
    for (const { id } of others) await forge.remove(id);
    await io.pause(settleMs + Math.random() * settleMs);
  }
  throw new UploadError('The comment was changed by others each time; it may not show this build.');
}

/** Says in the comment that the pull request is closed. Returns its rows, of which `close` closes the pages; null without one. */
export async function markClosed(
  forge: Forge,
  close: (row: CommentRow) => Promise<boolean>,
): Promise<CommentRow[] | null> {
  const own = await forge.listOwn(commentMarker);
  const [first, ...others] = own;
  if (!first) return null;
  const rows: CommentRow[] = [];
  for (const row of mergeRows(own.flatMap(({ body }) => readRows(body))))
    rows.push({ ...row, closed: row.closed || (await close(row)) });
  await forge.edit(first.id, commentBody({ rows, closed: true }, forge.noun));
  for (const { id } of others) await forge.remove(id);
  return rows;
}
