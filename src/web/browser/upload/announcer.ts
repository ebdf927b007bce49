const minAnnounceGapMs = 8000;

export interface Announcer {
  say(text: string): void;
  /** Announces the text only if nothing was announced recently. */
  announceIfQuiet(text: string): void;
}

/** Announces texts to screen readers through an element with `role=status`. `now` returns milliseconds. */
export function createAnnouncer(status: Pick<Element, 'textContent'>, now: () => number): Announcer {
  let lastAnnouncedAt = 0;
  const say = (text: string) => {
    lastAnnouncedAt = now();
    status.textContent = text;
  };
  return {
    say,
    announceIfQuiet(text) {
      if (now() - lastAnnouncedAt > minAnnounceGapMs) say(text);
    },
  };
}
