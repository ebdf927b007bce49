/** Shows the progress of an upload: one redrawn line on a terminal, periodic lines in a log. */

import { draw, wantsColor, writeLines } from '../terminal-text.ts';
import type { UploadProgress } from './upload-file.ts';
import type { UploadIo } from './upload-io.ts';
import { percentOf, progressBar, progressLine } from './upload-progress.ts';

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
  const note = (text: string) => writeLines(io.stderr, text);
  if (quiet) return { progress: () => {}, note, end: () => {} };
  return io.isTerminal && io.env.TERM !== 'dumb' ? startBar(io, note) : startLines(io, note);
}

/** Draws on a timer instead of on progress, so that a stalled upload is visible. */
function startBar(io: UploadIo, note: UploadDisplay['note']): UploadDisplay {
  const meter = startMeter(io);
  const color = wantsColor(io.env, true);
  const stop = io.repeat(redrawEveryMs, () => {
    const view = meter.view();
    if (view) draw(io.stderr, `${eraseLine}${progressBar(view, { columns: io.columns(), color })}`);
  });
  const erase = () => draw(io.stderr, eraseLine);
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

/** Prints a line for every 10 %, at most one per second and at least one every 10 s. */
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

/** Computes the upload rate over the last few seconds. */

export interface RateSample {
  atMs: number;
  sentBytes: number;
}

/** Oldest first. */
export type RateSamples = readonly RateSample[];

const windowMs = 5_000;
/** Minimum interval between samples, to keep the list short. */
const spacingMs = 100;
/** A shorter interval would measure buffers, not the network. */
const minIntervalMs = 500;

/** Starts over if fewer bytes are sent than before, as in a retry. */
export function withSample(samples: RateSamples, sample: RateSample): RateSamples {
  const last = samples.at(-1);
  if (!last || sample.sentBytes < last.sentBytes) return [sample];
  const previous = samples.at(-2);
  const kept = previous && last.atMs - previous.atMs < spacingMs ? samples.slice(0, -1) : samples;
  const from = kept.findLastIndex((each) => sample.atMs - each.atMs >= windowMs);
  return [...kept.slice(Math.max(from, 0)), sample];
}

/** Returns the rate over the last `windowMs`, which falls to 0 in a stall. Null if too little time has passed. */
export function bytesPerSecond(samples: RateSamples, nowMs: number): number | null {
  const base = samples.findLast((sample) => nowMs - sample.atMs >= windowMs) ?? samples[0];
  const last = samples.at(-1);
  if (!base || !last || nowMs - base.atMs < minIntervalMs) return null;
  return ((last.sentBytes - base.sentBytes) * 1000) / (nowMs - base.atMs);
}
