/** The states of a file on the upload page, and their texts. */
import { formatBytes } from '../../../core/byte-size.ts';
import { fillIn, type UploadTexts } from './upload-texts.ts';
import type { UploadedBuild } from './uploaded-build.ts';

/** `waiting` includes the request for permission. In `reading`, the server has the whole file, and the upload can no longer be canceled. */
export type UploadState =
  | { name: 'ready' | 'waiting' | 'sending' | 'reading' }
  | { name: 'interrupted'; reason: string }
  | { name: 'stopped'; reason: string; retryable: boolean }
  | { name: 'done'; build: UploadedBuild };

export const controls = ['progress', 'cancel', 'retry', 'remove'] as const;
export type Control = (typeof controls)[number];

export interface StateView {
  /** Empty while the progress of the transfer is shown instead. */
  text: string;
  shown: readonly Control[];
  /** For screen readers; null for nothing. */
  announced: string | null;
}

export function viewState(
  state: UploadState,
  file: Pick<File, 'name' | 'size'>,
  texts: UploadTexts,
): StateView {
  switch (state.name) {
    case 'ready': {
      const text = fillIn(texts.ready, { size: formatBytes(file.size) });
      return { text, shown: ['remove'], announced: null };
    }
    case 'waiting':
      return { text: texts.waiting, shown: ['cancel'], announced: null };
    case 'sending':
      return { text: '', shown: ['progress', 'cancel'], announced: null };
    case 'interrupted': {
      const announced = fillIn(texts.saidStopped, { name: file.name, why: state.reason });
      return { text: state.reason, shown: ['progress', 'cancel'], announced };
    }
    case 'reading':
      return { text: texts.reading, shown: ['progress'], announced: texts.reading };
    case 'stopped': {
      const { reason, retryable } = state;
      const announced = fillIn(texts.saidStopped, { name: file.name, why: reason });
      return { text: reason, shown: retryable ? ['retry', 'remove'] : ['remove'], announced };
    }
    case 'done': {
      const { name, version, revision, fileSize } = state.build;
      const facts = [version, fillIn(texts.revision, { revision }), formatBytes(fileSize)];
      return { text: facts.join(' · '), shown: [], announced: fillIn(texts.saidDone, { name, revision }) };
    }
  }
}
