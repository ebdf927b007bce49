/** Draws an upload on a terminal (one line, redrawn) or in a log (lines now and then). */

import { wantsColour } from '../terminal-text.ts';
import type { UploadProgress } from './upload-file.ts';
import type { UploadIo } from './upload-io.ts';
import { percentOf, progressBar, progressLine } from './upload-progress.ts';
import type { RateSamples } from './upload-rate.ts';
import { bytesPerSecond, withSample } from './upload-rate.ts';

export interface UploadDisplay {
  progress(progress: UploadProgress): void;
  /** A line of its own, above the bar where there is one. */
  note(text: string): void;
  /** Takes the bar away. */
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

/** Progress is only taken down when it comes; a clock draws it, so a stalled upload is seen to stall. */
function startBar(io: UploadIo, note: UploadDisplay['note']): UploadDisplay {
  const meter = startMeter(io);
  const colour = wantsColour(io.env, true);
  const stop = io.repeat(redrawEveryMs, () => {
    const view = meter.view();
    if (view) io.stderr.write(`${eraseLine}${progressBar(view, { columns: io.columns(), colour })}`);
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

/** A line for each further 10 %, but one a second at most, and one every 10 s however slow it is. */
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
