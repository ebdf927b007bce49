/** Texts to show and announce during an upload. */
import { formatBytes } from '../../../core/byte-size.ts';
import type { TransferSpeed } from './transfer-meter.ts';
import { fillIn, type UploadTexts } from './upload-texts.ts';

export interface TransferProgress {
  fileName: string;
  /** Bytes. */
  sent: number;
  size: number;
  speed: TransferSpeed | null;
}

export interface ProgressText {
  shown: string;
  /** For screen readers. */
  announced: string;
}

const units = [
  { unit: 'second', seconds: 1, below: 90 },
  { unit: 'minute', seconds: 60, below: 5400 },
  { unit: 'hour', seconds: 3600, below: Number.POSITIVE_INFINITY },
] as const;

export function createProgressText(
  language: string,
  texts: UploadTexts,
): (progress: TransferProgress) => ProgressText {
  const shares = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  const durations = units.map(({ unit, seconds, below }) => {
    const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
    return { below, write: (span: number) => format.format(Math.max(1, Math.round(span / seconds))) };
  });
  const writeLeft = (seconds: number) => {
    if (seconds < 1) return texts.soon;
    const time = durations.find(({ below }) => seconds < below)?.write(seconds) ?? '';
    return fillIn(texts.left, { time });
  };
  return ({ fileName, sent, size, speed }) => {
    const left = speed ? writeLeft(speed.secondsLeft) : '';
    const pieces = [fillIn(texts.sending, { sent: formatBytes(sent), size: formatBytes(size) })];
    if (speed) pieces.push(fillIn(texts.rate, { rate: formatBytes(speed.rate) }), left);
    const percent = shares.format(sent / size);
    return { shown: pieces.join(' · '), announced: fillIn(texts.said, { name: fileName, percent, left }) };
  };
}
