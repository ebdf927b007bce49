/** Debian's Chromium, and pages in it. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { signIn } from './browser-session.ts';
import type { TestService } from './test-service.ts';

const program = '/usr/bin/chromium';
/** Takes a third less processor time, where it is installed; it has no windows. */
const shell = '/usr/bin/chromium-headless-shell';
const isHeaded = process.env.HEADED === '1';
const executablePath = process.env.CHROMIUM ?? (!isHeaded && existsSync(shell) ? shell : program);
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const hasChromium = existsSync(program);
/** Journeys through many pages take long on a busy machine. */
export const browserTimeoutMs = 180_000;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath, args: flags, headless: !isHeaded });
}

/** One for all files of this process; Playwright closes it when the process ends. */
let browser: Promise<Browser> | undefined;

export interface PageOptions extends BrowserContextOptions {
  /** The signed-in person. Skips the sign-in page. */
  person?: string;
}

/** Opens a page in a new context, on a phone unless another viewport is given. */
export async function newPage(
  { origin, port }: Pick<TestService, 'origin' | 'port'>,
  { person, baseURL = origin, ...options }: PageOptions = {},
): Promise<Page> {
  browser ??= launchChromium();
  const context = await (await browser).newContext({
    baseURL,
    viewport: { width: 390, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  if (person) await bringCookie(page, (await signIn({ port }, person)).cookie, baseURL);
  return page;
}

/** A new page whose context closes when the test has finished. */
export async function openPage(
  slipway: Pick<TestService, 'origin' | 'port'>,
  options: PageOptions = {},
): Promise<Page> {
  const page = await newPage(slipway, options);
  onTestFinished(() => page.context().close());
  return page;
}

/** `cookie`: the value of a `Cookie` header. */
export async function bringCookie(page: Page, cookie: string, url: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await page.context().addCookies([{ name, value, url }]);
}

export async function visit(page: Page, path: string, status = 200): Promise<void> {
  const answer = await page.goto(path, { waitUntil: 'load' });
  expect(answer?.status(), path).toBe(status);
}

/** Opens the menu with the settings and the button that signs out. */
export const openAccountMenu = (page: Page) => page.locator('.account > summary').click();

/**
 * Errors that the browser reports in any page of the context, and requests to other hosts. Missing pages are not
 * reported: tests open them.
 */
export function complaintsOf(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  const context = page.context();
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/status of 40[14]/.test(message.text()))
      complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin))
      complaints.push(`asked for ${request.url()}`);
  });
  return complaints;
}
