/** Every page in a real browser, with hostile texts: small, accessible, readable at both widths in both languages. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringCookie, browserTimeoutMs, complaintsOf, hasChromium, newPage } from '../support/chromium.ts';
import { everyPage, type PageVisit } from '../support/every-page.ts';
import { startHostileInstallation } from '../support/full-installation.ts';
import { keyboardFaultsOf } from '../support/keyboard.ts';
import {
  layoutShiftOf,
  lookFaultsOf,
  looks,
  overflowOf,
  show,
  weightFaultsOf,
} from '../support/page-checks.ts';
import { isTesterPage, maxBytesOf } from '../support/page-weight.ts';
import { pointerFaultsOf } from '../support/pointer-checks.ts';

/**
 * Removes what costs time and shows nothing new, and returns the structure of the rest: tags, classes, types and roles, and the names
 * of attributes, without texts, and once where siblings have the same. Axe ignores what is folded up, but reads all of it. The
 * reference of the API has hundreds of operations, schemas and fields: of each structure, those with the most text stay.
 */
const reduceToStructure = (page: Page) =>
  page.evaluate(() => {
    for (const folded of document.querySelectorAll('details:not([open]) > :not(summary)')) folded.remove();
    const structureOf = (element: Element): string => {
      const attributes = element
        .getAttributeNames()
        .map((name) => (/^(class|type|role)$/.test(name) ? `${name}=${element.getAttribute(name)}` : name));
      const children = new Set([...element.children].map(structureOf));
      return `<${element.localName} ${attributes.sort().join(' ')}>${[...children].join('')}</>`;
    };
    const kept = new Map<string, number>();
    const lengthOf = ({ textContent }: Element) => textContent?.length ?? 0;
    for (const part of [...document.querySelectorAll('.docs .operation, .docs .fields > div')].sort(
      (one, other) => lengthOf(other) - lengthOf(one),
    )) {
      // What contains it is gone.
      if (!part.isConnected) continue;
      const structure = structureOf(part);
      const count = kept.get(structure) ?? 0;
      kept.set(structure, count + 1);
      if (count >= 3) part.remove();
    }
    return structureOf(document.body);
  });

/** The minimum height of controls for testers, in CSS pixels. */
const minTarget = 44;

/** Small touch targets, and sideways scrolling on the smallest phone, a tablet, and with large text. */
async function touchFaultsOf(page: Page): Promise<string[]> {
  const faults = await page.evaluate((minimum) => {
    const wanted =
      'main .button, main button, main summary, .history-link, main .paging a, .device-line a, .kind a';
    return [...document.querySelectorAll(`${wanted}, main input:not([type=hidden])`)]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < minimum)
      .map((element) => `is less than ${minimum} px high: ${element.outerHTML}`);
  }, minTarget);
  const overflowAt = async (width: number, fontSize: string) => {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), fontSize);
    const overflow = await overflowOf(page);
    if (overflow > 0) faults.push(`is ${overflow} px wider than ${width} px with text of ${fontSize}`);
  };
  // Zooming a page equals a narrower screen; larger text does not.
  for (const [width, fontSize] of [
    [320, '100%'],
    [768, '100%'],
    [390, '200%'],
  ] as const)
    await overflowAt(width, fontSize);
  await page.evaluate(() => document.documentElement.style.removeProperty('font-size'));
  return faults;
}

/** A line of text that moves by its height scores more. */
const maxLayoutShift = 0.005;
const { phone, desktop } = looks;
type Look = (typeof looks)[keyof typeof looks];

describe.skipIf(!hasChromium)(
  'every page in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  async () => {
    const installation = await startHostileInstallation();
    // `test/web/every-page.test.ts` visits the others, too.
    const visits = (await everyPage(installation)).filter(({ status, less }) => status !== 303 && !less);
    let english: Page;
    let japanese: Page;
    let complaints: string[];
    beforeAll(async () => {
      english = await newPage(installation, { ...phone });
      japanese = await newPage(installation, { ...desktop, locale: 'ja-JP' });
      complaints = complaintsOf(english, installation.origin);
    });
    afterAll(async () => {
      for (const page of [english, japanese]) await page?.context().close();
      await installation.close();
    });

    const open = async (page: Page, { path, by, status = 200, headers = {} }: PageVisit) => {
      const { Cookie: cookie = installation.kit.cookieOf(by), ...others } = headers;
      await page.context().clearCookies();
      if (cookie) await bringCookie(page, cookie, installation.origin);
      await page.setExtraHTTPHeaders(others);
      const shiftOf = async () => {
        const answer = await page.goto(path, { waitUntil: 'load' });
        expect(answer?.status()).toBe(status);
        return layoutShiftOf(page);
      };
      let shift = await shiftOf();
      // A live update that arrives at that moment may shift the page, too, but only once.
      if (shift > maxLayoutShift) shift = await shiftOf();
      return shift > maxLayoutShift ? [`shifts by ${shift}`] : [];
    };
    const overflowFaults = async (page: Page, look: Look) => {
      await show(page, look);
      const overflow = await overflowOf(page);
      return overflow > 0 ? [`is ${overflow} px wider than ${look.viewport.width} px`] : [];
    };
    const readability = async (page: Page, look: Look) => [
      ...(await overflowFaults(page, look)),
      ...(await pointerFaultsOf(page)).map((fault) => `at ${look.viewport.width} px: ${fault}`),
    ];

    const faultsOfNewStructure = async (visit: PageVisit) => {
      const faults = await lookFaultsOf(english);
      faults.push(...(await keyboardFaultsOf(english)));
      if (isTesterPage(visit.path)) faults.push(...(await touchFaultsOf(english)));
      faults.push(...(await readability(english, phone)), ...(await readability(english, desktop)));
      faults.push(...(await lookFaultsOf(english)));
      await show(english, phone);
      const inJapanese = await open(japanese, visit);
      // Other words may need more space, but more of it hides nothing: what they cover or cut off is looked for on the phone.
      inJapanese.push(...(await overflowFaults(japanese, desktop)));
      await reduceToStructure(japanese);
      inJapanese.push(...(await readability(japanese, phone)));
      await show(japanese, desktop);
      return [...faults, ...inJapanese.map((fault) => `in Japanese: ${fault}`)];
    };
    const structures = new Set<string>();

    it.each(visits.map((visit, at) => [visit.path, visit.by, at, visit] as const))(
      'shows %s to %s (%i)',
      async (path, _by, _at, visit) => {
        complaints.length = 0;
        const faults = await open(english, visit);
        faults.push(...(await weightFaultsOf(english, maxBytesOf(path))));
        faults.push(...(await overflowFaults(english, phone)));
        const structure = await reduceToStructure(english);
        if (!structures.has(structure)) faults.push(...(await faultsOfNewStructure(visit)));
        structures.add(structure);
        // The browser reports each answer that is no success.
        faults.push(...complaints.filter((complaint) => !complaint.includes(`status of ${visit.status}`)));
        expect(faults).toEqual([]);
      },
    );
  },
);
