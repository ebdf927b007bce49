/** The Tab key in a page. Keys are sent in batches, because a round trip costs more than a key. */
import type { CDPSession, Locator, Page } from 'playwright-core';

/** The maximum number of Tab presses to reach a control. */
const maxStops = 150;
const batch = 10;
const tab = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 } as const;
const sessions = new WeakMap<Page, Promise<CDPSession>>();

async function pressTab(page: Page, times: number): Promise<void> {
  const opened = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, opened);
  const session = await opened;
  const sent = Array.from({ length: times }, () => [
    session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...tab }),
    session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...tab }),
  ]);
  await Promise.all(sent.flat());
}

/** Presses Tab, at least once, until the focused element matches. */
export async function tabTo(page: Page, selector: string, most = maxStops): Promise<void> {
  // The rest of a batch leaves the focus there.
  await page.evaluate((wanted) => {
    const state = { presses: 0 };
    const hold = (event: KeyboardEvent) => {
      if (event.key !== 'Tab') return;
      if (state.presses > 0 && document.activeElement?.matches(wanted)) event.preventDefault();
      else state.presses++;
    };
    addEventListener('keydown', hold, true);
    Object.assign(globalThis, { releaseTab: () => removeEventListener('keydown', hold, true) });
  }, selector);
  const isThere = () => page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector);
  let reached = false;
  for (let presses = 0; presses < most && !reached; presses += batch) {
    await pressTab(page, Math.min(batch, most - presses));
    reached = await isThere();
  }
  await page.evaluate(() => (globalThis as unknown as { releaseTab(): void }).releaseTab());
  if (!reached) throw new Error(`the Tab key does not reach ${selector}`);
}

/** Presses Tab until the control has the focus. */
export async function reach(control: Locator): Promise<void> {
  const hasFocus = await control.evaluate((element) => {
    element.setAttribute('data-sought', '');
    return element === document.activeElement;
  });
  if (!hasFocus) await tabTo(control.page(), '[data-sought]');
  await control.evaluate((element) => element.removeAttribute('data-sought'));
}

/** Tabs through the page: every control must be reached once and show its focus. */
export async function keyboardFaultsOf(page: Page): Promise<string[]> {
  const expected = await page.evaluate(() => {
    // From the top, wherever the page set the focus.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
    const usable =
      'a[href], button:not([disabled]), input:not([type=hidden], [disabled]), select:not([disabled]), textarea:not([disabled]), summary, [tabindex="0"]';
    const groups = new Set<string>();
    const controls = [...document.querySelectorAll<HTMLElement>(usable)].filter((element) => {
      // Arrow keys reach the others of a group with one tab stop.
      if (element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true })) return false;
      // In a group of radio buttons, Tab reaches the selected one, or the first.
      if (!(element instanceof HTMLInputElement) || element.type !== 'radio') return true;
      const group = `${element.form?.action} ${element.name}`;
      if (groups.has(group)) return false;
      groups.add(group);
      return true;
    });
    const walk = { ended: false, reached: 0, faults: [] as string[] };
    const seen = new Set<Element>();
    let last: Element | null = null;
    // Before keyup, the browser has moved the focus and scrolled.
    addEventListener(
      'keyup',
      () => {
        const element = document.activeElement;
        // A date field has several tab stops.
        if (walk.ended || (element !== null && element === last)) return;
        if (!(element instanceof HTMLElement) || element === document.body || seen.has(element)) {
          walk.ended = true;
          return;
        }
        seen.add(element);
        last = element;
        walk.reached++;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        const what = element.outerHTML.slice(0, 120);
        if (outlineStyle === 'none' || Number.parseFloat(outlineWidth) < 1)
          walk.faults.push(`shows no focus: ${what}`);
        if (box.width === 0 || box.top >= innerHeight || box.bottom <= 0)
          walk.faults.push(`is outside of the window: ${what}`);
      },
      true,
    );
    Object.assign(globalThis, { walk });
    return controls.length;
  });
  const readWalk = () =>
    page.evaluate(
      () => (globalThis as unknown as { walk: { ended: boolean; reached: number; faults: string[] } }).walk,
    );
  await pressTab(page, expected + 1);
  let walk = await readWalk();
  for (let presses = 0; presses < maxStops && !walk.ended; presses += batch) {
    await pressTab(page, batch);
    walk = await readWalk();
  }
  if (walk.reached !== expected) walk.faults.push(`Tab reaches ${walk.reached} of ${expected} controls`);
  // Some versions of Chromium go on to the first control: the link that skips to the content, which then covers others.
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  return walk.faults;
}
