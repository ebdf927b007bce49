/** What a person sees of an upload under way. Pure: progress in, one line of text out. */
import { formatBytes } from '../../core/byte-size.ts';
import { formatSeconds } from '../terminal-text.ts';
import type { UploadProgress } from './upload-file.ts';

export interface ProgressView extends UploadProgress {
  /** Null while it is not known yet. */
  bytesPerSecond: number | null;
}

const longestBar = 40;
const shortestBar = 10;
const gap = '  ';

/**
 * A line that fits into `columns` cells, with fewer facts the narrower it is; empty below 4 cells. The bar is there from
 * `shortestBar` cells on, at most `longestBar`.
 */
export function progressBar(view: ProgressView, options: { columns: number; colour: boolean }): string {
  // The last column stays free: a character in it makes some terminals go to the next line.
  const room = options.columns - 1;
  const state = stateWords(view);
  if (state) return state.slice(0, Math.max(room, 0));
  const percent = `${percentOf(view)} %`.padStart(5);
  for (const facts of factsByImportance(view)) {
    const words = [percent, ...facts].join(gap);
    const cells = Math.min(room - words.length - 1, longestBar);
    if (cells >= shortestBar) return `${bar(view, cells, options.colour)} ${words}`;
  }
  return percent.trim().length <= room ? percent.trim() : '';
}

/** The same as a line of a log, where nothing can be redrawn. */
export function progressLine(view: ProgressView): string {
  const [facts = []] = factsByImportance(view);
  const known = facts.map((fact) => fact.trim()).filter((fact) => fact !== '');
  return stateWords(view) ?? [`${percentOf(view)} %`.padStart(5), ...known].join(gap);
}

export function percentOf({ sentBytes, totalBytes }: UploadProgress): number {
  return totalBytes === 0 ? 0 : Math.floor((sentBytes / totalBytes) * 100);
}

function stateWords({ phase, totalBytes }: ProgressView): string | null {
  if (phase === 'connecting') return 'Connecting …';
  if (phase === 'answering') return `Sent ${formatBytes(totalBytes)}; the server is working on it …`;
  return null;
}

/** The widest set first. Each fact keeps its width while numbers change, so that the bar does not jump. */
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

function bar(view: UploadProgress, cells: number, colour: boolean): string {
  const full = Math.floor((view.sentBytes / Math.max(view.totalBytes, 1)) * cells);
  const [done, open] = ['█'.repeat(full), '░'.repeat(cells - full)];
  return colour ? `\x1b[36m${done}\x1b[2m${open}\x1b[0m` : done + open;
}
