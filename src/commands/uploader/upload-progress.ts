/** Formats upload progress as one line of text. */
import { formatBytes } from '../../core/byte-size.ts';
import { formatSeconds } from '../terminal-text.ts';
import type { UploadProgress } from './upload-file.ts';

export interface ProgressView extends UploadProgress {
  /** Null until known. */
  bytesPerSecond: number | null;
}

const maxBarCells = 40;
const minBarCells = 10;
const gap = '  ';

/**
 * Returns a line of at most `columns` cells: with fewer facts if it is narrow, and empty below 4 cells. The bar has at least
 * `minBarCells` and at most `maxBarCells` cells.
 */
export function progressBar(view: ProgressView, options: { columns: number; color: boolean }): string {
  // Some terminals wrap after a character in the last column.
  const room = options.columns - 1;
  const state = phaseText(view);
  if (state) return state.slice(0, Math.max(room, 0));
  const percent = `${percentOf(view)} %`.padStart(5);
  for (const facts of factsByImportance(view)) {
    const words = [percent, ...facts].join(gap);
    const cells = Math.min(room - words.length - 1, maxBarCells);
    if (cells >= minBarCells) return `${bar(view, cells, options.color)} ${words}`;
  }
  return percent.trim().length <= room ? percent.trim() : '';
}

/** Formats progress as a log line. */
export function progressLine(view: ProgressView): string {
  const [facts = []] = factsByImportance(view);
  const known = facts.map((fact) => fact.trim()).filter((fact) => fact !== '');
  return phaseText(view) ?? [`${percentOf(view)} %`.padStart(5), ...known].join(gap);
}

export function percentOf({ sentBytes, totalBytes }: UploadProgress): number {
  return totalBytes === 0 ? 0 : Math.floor((sentBytes / totalBytes) * 100);
}

function phaseText({ phase, totalBytes }: ProgressView): string | null {
  if (phase === 'connecting') return 'Connecting …';
  if (phase === 'answering') return `Sent ${formatBytes(totalBytes)}; waiting for the server …`;
  return null;
}

/** Returns sets of facts, widest first. Each fact has a fixed width, so that the bar does not jump. */
function factsByImportance(view: ProgressView): string[][] {
  const bytes = `${formatBytes(view.sentBytes).padStart(10)} of ${formatBytes(view.totalBytes)}`;
  const rate = (view.bytesPerSecond === null ? '' : `${formatBytes(view.bytesPerSecond)}/s`).padStart(12);
  const left = timeLeft(view).padEnd(16);
  return [[bytes, rate, left], [bytes, rate], [rate], []];
}

function timeLeft({ sentBytes, totalBytes, bytesPerSecond }: ProgressView): string {
  if (bytesPerSecond === null) return '';
  if (bytesPerSecond < 1) return 'stalled';
  return `${formatSeconds((totalBytes - sentBytes) / bytesPerSecond)} left`;
}

function bar(view: UploadProgress, cells: number, color: boolean): string {
  const full = Math.floor((view.sentBytes / Math.max(view.totalBytes, 1)) * cells);
  const [done, open] = ['█'.repeat(full), '░'.repeat(cells - full)];
  return color ? `\x1b[36m${done}\x1b[2m${open}\x1b[0m` : done + open;
}
