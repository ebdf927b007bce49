const quietMs = 8000;

export interface Announcer {
  say(text: string): void;
  /** Says it only when nothing was said for some time. */
  mention(text: string): void;
}

/** Announces to screen readers through an element with `role=status`. `now` returns milliseconds. */
export function createAnnouncer(status: Pick<Element, 'textContent'>, now: () => number): Announcer {
  let saidAt = 0;
  const say = (text: string) => {
    saidAt = now();
    status.textContent = text;
  };
  return {
    say,
    mention(text) {
      if (now() - saidAt > quietMs) say(text);
    },
  };
}
