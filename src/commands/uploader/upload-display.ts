/** Shows upload progress: one redrawn line on a terminal, periodic lines in a log. */

import { wantsColor } from '../terminal-text.ts';
import type { UploadProgress } from './upload-file.ts';
import type { UploadIo } from './upload-io.ts';
import { percentOf, progressBar, progressLine } from './upload-progress.ts';
import type { RateSamples } from './upload-rate.ts';
import { bytesPerSecond, withSample } from './upload-rate.ts';

export interface UploadDisplay {
  progress(progress: UploadProgress): void;
  /** Prints a separate line above the progress bar. */
  note(text: string): void;
  /** Removes the progress bar. */
  end(): void;
}

const redrawEveryMs = 100;
const lineEveryMs = 10_000;
const lineAtMostEveryMs = 1_000;
const lineEveryPercent = 10;
const eraseLine = '\r\x1b[K';

export function startDisplay(io: UploadIo, quiet: boolean): UploadDisplay {
  const note = (text: string) => void io.stderr.write(`${text}\n`);
  if (quiet) return { progress: () => {}, note, end: () => {} };
  return io.isTerminal && io.env.TERM !== 'dumb' ? startBar(io, note) : startLines(io, note);
}

/** Draws on a timer instead of on progress, so that a stalled upload is visible. */
function startBar(io: UploadIo, note: UploadDisplay['note']): UploadDisplay {
  const meter = startMeter(io);
  const color = wantsColor(io.env, true);
  const stop = io.repeat(redrawEveryMs, () => {
    const view = meter.view();
    if (view) io.stderr.write(`${eraseLine}${progressBar(view, { columns: io.columns(), color })}`);
  });
  const erase = () => io.stderr.write(eraseLine);
  return {
    progress: meter.take,
    note: (text) => {
      erase();
      note(text);
    },
    end: () => {
      stop();
      erase();
    },
  };
}

/** Prints a line per 10 %, at most one a second and at least one every 10 s. */
function startLines(io: UploadIo, note: UploadDisplay['note']): UploadDisplay {
  const meter = startMeter(io);
  let last = { atMs: io.now(), step: 0 };
  const stop = io.repeat(lineAtMostEveryMs, () => {
    const view = meter.view();
    if (!view) return;
    const step = Math.floor(percentOf(view) / lineEveryPercent);
    if (step === last.step && io.now() - last.atMs < lineEveryMs) return;
    last = { atMs: io.now(), step };
    note(progressLine(view));
  });
  return { progress: meter.take, note, end: stop };
}

function startMeter(io: UploadIo) {
  let latest: UploadProgress | null = null;
  let samples: RateSamples = [];
  return {
    take: (progress: UploadProgress) => {
      latest = progress;
      if (progress.phase === 'sending') {
        samples = withSample(samples, { atMs: io.now(), sentBytes: progress.sentBytes });
      }
    },
    view: () => (latest ? { ...latest, bytesPerSecond: bytesPerSecond(samples, io.now()) } : null),
  };
}
