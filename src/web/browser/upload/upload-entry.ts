/** A file on the upload page, from its selection until it is a build. */
import { Refusal } from '../refusal.ts';
import type { Announcer } from './announcer.ts';
import type { ProgressText, TransferProgress } from './progress-text.ts';
import { type ResumableEvents, resumableAboveBytes, sendInParts } from './resumable-transfer.ts';
import { createIdempotencyKey, requestUploadToken, sendFile, type Transfer } from './transfer.ts';
import { createTransferMeter } from './transfer-meter.ts';
import { findUnfinished } from './unfinished-uploads.ts';
import { createUploadRow } from './upload-row.ts';
import { type UploadState, viewState } from './upload-state.ts';
import { fillIn, type UploadTexts } from './upload-texts.ts';
import type { UploadedBuild } from './uploaded-build.ts';

const redrawMs = 200;

export interface UploadEntry {
  row: HTMLElement;
  isReady(): boolean;
  /** Whether its fields are no longer needed: it is neither being sent nor retryable. */
  isSettled(): boolean;
  /** Copies the other fields now, because later input is for the next file. */
  wait(target: Pick<Transfer, 'viewer' | 'address' | 'fields'>): void;
  /** Resets the entry to `ready`. */
  markReady(): void;
  /** Sends a waiting file. Never rejects. */
  send(): Promise<void>;
  /** Cancels `send`. */
  abort(): void;
}

export interface EntryContext {
  texts: UploadTexts;
  announcer: Announcer;
  describeProgress(progress: TransferProgress): ProgressText;
  on: {
    cancel(entry: UploadEntry): void;
    retry(entry: UploadEntry): void;
    remove(entry: UploadEntry): void;
    /** Called when the server has stored the build. */
    done(build: UploadedBuild): void;
  };
}

/** `rejection`: why the file cannot be uploaded; null if it can. */
export function createUploadEntry(file: File, rejection: string | null, context: EntryContext): UploadEntry {
  const { texts, announcer, describeProgress, on } = context;
  let state: UploadState = { name: 'ready' };
  let transfer: Transfer | null = null;
  let canceler = new AbortController();
  const row = createUploadRow(file.name, texts, {
    cancel: () => on.cancel(entry),
    retry: () => on.retry(entry),
    remove: () => on.remove(entry),
  });
  const enter = (next: UploadState) => {
    state = next;
    const view = viewState(state, file, texts);
    row.show(state.name, view);
    if (!view.shown.includes('progress')) row.showNotice(null);
    if (state.name === 'done') row.showBuild(state.build);
    if (view.announced !== null) announcer.say(view.announced);
  };
  const createProgress = () => {
    const meter = createTransferMeter(file.size);
    let drawnAt = 0;
    return (sent: number) => {
      const now = performance.now();
      const speed = meter(sent, now);
      if (now - drawnAt < redrawMs && sent < file.size) return;
      drawnAt = now;
      const { shown, announced } = describeProgress({ fileName: file.name, sent, size: file.size, speed });
      row.showProgress(sent / file.size, shown);
      announcer.announceIfQuiet(announced);
    };
  };
  const attempt = async (transfer: Transfer, signal: AbortSignal) => {
    let progress = createProgress();
    const begin = (sent: number) => {
      progress = createProgress();
      enter({ name: 'sending' });
      progress(sent);
    };
    const events: ResumableEvents = {
      progress: (sent) => progress(sent),
      sent() {
        row.showUnknownProgress();
        enter({ name: 'reading' });
      },
      interrupted(reason) {
        // Announced once, however often the connection is tried.
        if (state.name !== 'interrupted' || state.reason !== reason) enter({ name: 'interrupted', reason });
      },
      continues(sent, notice) {
        if (notice !== null) announcer.say(fillIn(texts.saidStopped, { name: file.name, why: notice }));
        begin(sent);
        row.showNotice(notice);
      },
    };
    if (file.size <= resumableAboveBytes && !findUnfinished(transfer)) {
      try {
        const csrf = await requestUploadToken(transfer, texts, signal);
        begin(0);
        return await sendFile(transfer, csrf, texts, signal, events);
      } catch (error) {
        if (error instanceof Refusal || signal.aborted) throw error;
        events.interrupted(texts.interrupted);
      }
    }
    return sendInParts({ transfer, texts, signal, on: events });
  };
  const entry: UploadEntry = {
    row: row.element,
    isReady: () => state.name === 'ready',
    isSettled: () =>
      state.name === 'ready' || state.name === 'done' || (state.name === 'stopped' && !state.retryable),
    wait(target) {
      const idempotencyKey = transfer?.idempotencyKey ?? createIdempotencyKey();
      transfer = { ...target, file, idempotencyKey };
      enter({ name: 'waiting' });
    },
    markReady() {
      enter({ name: 'ready' });
    },
    async send() {
      if (!transfer) return;
      canceler = new AbortController();
      try {
        const build = await attempt(transfer, canceler.signal);
        enter({ name: 'done', build });
        on.done(build);
      } catch (error) {
        const reason = error instanceof Refusal ? error.message : texts.failed;
        enter({
          name: 'stopped',
          reason: canceler.signal.aborted ? texts.canceled : reason,
          retryable: !(error instanceof Refusal) || error.retryable,
        });
      }
    },
    abort() {
      canceler.abort();
    },
  };
  enter(rejection === null ? { name: 'ready' } : { name: 'stopped', reason: rejection, retryable: false });
  return entry;
}
