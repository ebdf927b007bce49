// npm run screenshots: takes the pictures of the README from the demo, into docs/images.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, findNode, root, serverNodeFlags } from './workshop.mjs';

const maxImageBytes = 150 * 1024;
const schemes = ['light', 'dark'];
const desktop = { width: 1440, height: 900, deviceScaleFactor: 1 };
const phone = {
  width: 390,
  height: 844,
  deviceScaleFactor: 2,
  userAgent:
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
};
/** `link`: the start of a line that the demo prints; `path` instead of it: another page. */
const pictures = [
  { name: 'tester-page', link: 'What a tester sees', on: phone, signedIn: false },
  { name: 'app', link: 'An app and its builds', on: desktop },
  { name: 'compare', link: 'Two builds compared', on: desktop },
  { name: 'activity', link: 'Its activity', on: desktop },
];

ensureInstalled();
ensureBuilt();
const { chromium } = await import('playwright-core');
const { default: sharp } = await import('sharp');
const images = join(root, 'docs', 'images');
mkdirSync(images, { recursive: true });

const demo = await startDemo();
const browser = await chromium.launch({ ...findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
try {
  const storageState = await signIn();
  for (const picture of pictures) for (const scheme of schemes) await take(picture, scheme, storageState);
} finally {
  await browser.close();
  demo.process.kill('SIGTERM');
  await once(demo.process, 'exit');
}

/** Starts the demo on a free port and reads what it prints. */
async function startDemo() {
  const args = [...serverNodeFlags, join(root, 'dist', 'main.js'), 'serve', '--demo'];
  const environment = { PATH: process.env.PATH, HOME: root, SLIPWAY_PORT: '0' };
  const child = spawn(findNode(), args, { stdio: ['ignore', 'pipe', 'inherit'], env: environment });
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (pictures.every(({ link }) => !link || text.includes(`  ${link} `))) break;
  }
  child.stdout.resume();
  const word = (label) => new RegExp(`^ *${label} +(\\S+)$`, 'm').exec(text)?.[1];
  if (!word('Address')) throw new Error(`the demo did not start:\n${text}`);
  return { process: child, address: word('Address'), name: word('Name'), password: word('Password'), word };
}

/** Chromium of the system, otherwise that of Playwright. */
function findChromium() {
  const path = process.env.CHROMIUM ?? '/usr/bin/chromium';
  return existsSync(path) ? { executablePath: path } : {};
}

async function signIn() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${demo.address}/sign-in`);
  await page.fill('[name=login]', demo.name);
  await page.fill('[name=password]', demo.password);
  await Promise.all([
    page.waitForURL((url) => url.pathname !== '/sign-in'),
    page.press('[name=password]', 'Enter'),
  ]);
  const state = await context.storageState();
  await context.close();
  return state;
}

async function take({ name, link, path, on, signedIn = true }, colorScheme, storageState) {
  const { width, height, ...device } = on;
  const context = await browser.newContext({
    ...device,
    viewport: { width, height },
    colorScheme,
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...(signedIn ? { storageState } : {}),
  });
  // An open event stream is network traffic that never ends.
  await context.route('**/live', (route) => route.abort());
  const page = await context.newPage();
  const response = await page.goto(link ? demo.word(link) : demo.address + path, {
    waitUntil: 'networkidle',
  });
  if (response.status() !== 200) throw new Error(`${name} answered ${response.status()}`);
  const png = await page.screenshot();
  await context.close();
  const file = join(images, `${name}-${colorScheme}.webp`);
  const bytes = await encode(png);
  writeFileSync(file, bytes);
  console.error(`${name}-${colorScheme}.webp  ${Math.ceil(bytes.length / 1024)} KiB`);
}

/** Lowers the quality until the picture is small enough. */
async function encode(png) {
  for (let quality = 90; quality >= 40; quality -= 10) {
    const bytes = await sharp(png).webp({ quality, effort: 6, smartSubsample: true }).toBuffer();
    if (bytes.length <= maxImageBytes) return bytes;
  }
  throw new Error(`a picture is larger than ${maxImageBytes} bytes`);
}
