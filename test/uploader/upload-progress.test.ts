import { expect, test } from 'vitest';
import {
  formatSeconds,
  printable,
  truncate,
  wantsColor,
  writeJson,
  writeLines,
} from '../../src/commands/terminal-text.ts';
import type { RateSamples } from '../../src/commands/uploader/upload-display.ts';
import { bytesPerSecond, startDisplay, withSample } from '../../src/commands/uploader/upload-display.ts';
import type { ProgressView } from '../../src/commands/uploader/upload-progress.ts';
import { progressBar, progressLine } from '../../src/commands/uploader/upload-progress.ts';
import { testIo } from './upload-test-kit.ts';

const mebibyte = 1024 * 1024;

const view = (sentMiB: number, more: Partial<ProgressView> = {}): ProgressView => ({
  phase: 'sending',
  sentBytes: sentMiB * mebibyte,
  totalBytes: 1000 * mebibyte,
  bytesPerSecond: 10 * mebibyte,
  ...more,
});

test.each([
  [
    120,
    view(250),
    `${'█'.repeat(10)}${'░'.repeat(30)}  25 %     250 MiB of 1000 MiB      10 MiB/s  1 min 15 s left`,
  ],
  [
    80,
    view(250),
    `${'█'.repeat(4)}${'░'.repeat(13)}  25 %     250 MiB of 1000 MiB      10 MiB/s  1 min 15 s left`,
  ],
  [70, view(250), `${'█'.repeat(6)}${'░'.repeat(19)}  25 %     250 MiB of 1000 MiB      10 MiB/s`],
  [40, view(250), `${'█'.repeat(4)}${'░'.repeat(15)}  25 %      10 MiB/s`],
  [20, view(250), `${'█'.repeat(3)}${'░'.repeat(10)}  25 %`],
  [12, view(250), '25 %'],
  [4, view(250), ''],
  [80, view(0, { bytesPerSecond: null }), `${'░'.repeat(17)}   0 %         0 B of 1000 MiB`],
  [
    80,
    view(999.9, { bytesPerSecond: 0 }),
    `${'█'.repeat(16)}░  99 %   999.9 MiB of 1000 MiB         0 B/s  stalled`,
  ],
  [80, view(0, { phase: 'connecting' }), 'Connecting …'],
  [80, view(1000, { phase: 'answering' }), 'Sent 1000 MiB; waiting for the server …'],
  [10, view(1000, { phase: 'answering' }), 'Sent 1000'],
])('on %i columns the bar is %j', (columns, progress, line) => {
  expect(progressBar(progress, { columns, color: false }).trimEnd()).toBe(line);
});

test('a bar never reaches the last column, whatever the width and the numbers', () => {
  for (let columns = 1; columns <= 140; columns += 1) {
    for (const sent of [0, 1, 99.5, 500, 1000]) {
      for (const rate of [null, 0, 1023.96 * 1024 * mebibyte, 3]) {
        const line = progressBar(view(sent, { bytesPerSecond: rate }), { columns, color: false });
        expect([...line].length, `${columns} ${sent} ${rate}`).toBeLessThan(columns);
      }
    }
  }
});

test('the bar keeps its length while the numbers next to it change', () => {
  const barLength = (progress: ProgressView) =>
    [...progressBar(progress, { columns: 100, color: false })].filter((cell) => cell === '█' || cell === '░')
      .length;
  const lengths = [
    view(0, { bytesPerSecond: null }),
    view(3),
    view(250, { bytesPerSecond: 9e5 }),
    view(999),
  ].map(barLength);
  expect(new Set(lengths).size).toBe(1);
});

test('colors only surround the bar', () => {
  const colored = progressBar(view(250), { columns: 80, color: true });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
  expect(colored.replaceAll(/\x1b\[\d+m/g, '')).toBe(progressBar(view(250), { columns: 80, color: false }));
  expect(colored).toContain('\x1b[36m████\x1b[2m');
});

test('a log line contains the same facts', () => {
  expect(progressLine(view(250))).toBe(' 25 %  250 MiB of 1000 MiB  10 MiB/s  1 min 15 s left');
  expect(progressLine(view(0, { bytesPerSecond: null }))).toBe('  0 %  0 B of 1000 MiB');
});

test('the rate covers the last five seconds and falls to zero in a stall', () => {
  let samples: RateSamples = [];
  for (let second = 0; second <= 20; second += 1) {
    samples = withSample(samples, {
      atMs: second * 1000,
      sentBytes: second < 10 ? second * 100 : 1000 + (second - 10) * 900,
    });
  }
  expect(bytesPerSecond(samples, 20_000)).toBe(900);
  expect(bytesPerSecond(samples, 22_500)).toBeCloseTo(2700 / 5.5);
  expect(bytesPerSecond(samples, 25_000)).toBe(0);
  expect(samples.length).toBeLessThan(10);
});

test('the rate is shown after half a second and restarts with a retry', () => {
  const first = withSample([], { atMs: 0, sentBytes: 100 });
  expect(bytesPerSecond(first, 499)).toBeNull();
  expect(bytesPerSecond([], 10)).toBeNull();
  const many = withSample(withSample(first, { atMs: 1000, sentBytes: 2100 }), {
    atMs: 1001,
    sentBytes: 2200,
  });
  expect(bytesPerSecond(many, 2000)).toBe(1050);
  expect(withSample(many, { atMs: 3000, sentBytes: 50 })).toEqual([{ atMs: 3000, sentBytes: 50 }]);
});

test('drops samples in quick succession', () => {
  let samples: RateSamples = [];
  for (let at = 0; at < 20_000; at += 1) samples = withSample(samples, { atMs: at, sentBytes: at });
  expect(samples.length).toBeLessThan(60);
  expect(bytesPerSecond(samples, 20_000)).toBeCloseTo(1000, -1);
});

test('a terminal line is redrawn on a timer and removed at the end', () => {
  const io = testIo({ isTerminal: true, env: { NO_COLOR: '1' } });
  const display = startDisplay(io, false);
  for (let sent = 0; sent < 100; sent += 1)
    display.progress({ phase: 'sending', sentBytes: sent, totalBytes: 100 });
  expect(io.err()).toBe('');
  io.tick(100);
  display.note('A note.');
  io.tick(100);
  display.end();
  io.tick(100);
  const erase = '\r\x1b[K';
  const [empty, bar, note, again, rest] = io.err().split(erase);
  expect([empty, note, rest]).toEqual(['', 'A note.\n', '']);
  expect(bar).toContain(' 99 %        99 B of 100 B');
  expect(again).toBe(bar);
});

test('a log gets a line per 10 %, at most one a second, and one after 10 s without progress', () => {
  const io = testIo();
  const display = startDisplay(io, false);
  const sent = (bytes: number) => display.progress({ phase: 'sending', sentBytes: bytes, totalBytes: 1000 });
  sent(50);
  io.tick(1000);
  sent(120);
  sent(430);
  io.tick(1000);
  sent(440);
  for (let second = 0; second < 10; second += 1) io.tick(1000);
  sent(500);
  io.tick(1000);
  display.end();
  io.tick(20_000);
  expect(io.err().match(/^ *\d+ %/gm)).toEqual([' 43 %', ' 44 %', ' 50 %']);
});

test('prints lines on a dumb terminal and nothing with --quiet', () => {
  const dumb = testIo({ isTerminal: true, env: { TERM: 'dumb' } });
  startDisplay(dumb, false).progress({ phase: 'sending', sentBytes: 50, totalBytes: 100 });
  dumb.tick(1000);
  expect(dumb.err()).toMatch(/^ 50 % .*\n$/);
  const quiet = testIo({ isTerminal: true });
  startDisplay(quiet, true).progress({ phase: 'sending', sentBytes: 50, totalBytes: 100 });
  quiet.tick(1000);
  expect(quiet.err()).toBe('');
});

test.each([
  [0.4, '0 s'],
  [59.4, '59 s'],
  [59.6, '1 min 00 s'],
  [65, '1 min 05 s'],
  [3600, '1 h 00 min'],
  [7384, '2 h 03 min'],
])('%d seconds are shown as %s', (seconds, text) => expect(formatSeconds(seconds)).toBe(text));

test('external text cannot control the terminal', () => {
  expect(printable('a\x1b[31m\r\n\tb\x9b2J\u202ec ')).toBe('a [31m b 2J c');
  expect(truncate('日本語です', 3)).toBe('日本…');
  expect(truncate('abc', 3)).toBe('abc');
});

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ TERM: 'dumb' }, true, false],
])('the environment %j on a terminal (%s) uses colors: %s', (env, isTerminal, wanted) => {
  expect(wantsColor(env, isTerminal)).toBe(wanted);
});

test.each([
  '##[set-output name=page-url]https://evil.example',
  '##vso[task.setvariable variable=x]y',
  '##[group]',
])('a text from elsewhere is no command to a CI system: %s', (text) => {
  const command = /##\w*\[/;
  const written: string[] = [];
  const sink = { write: (line: string) => written.push(line) };
  writeLines(sink, `Uploaded ${text}`);
  writeJson(sink, { name: `Demo ${text}` });
  expect(printable(`#${text}`)).not.toMatch(command);
  expect(written.join('')).not.toMatch(command);
  expect(JSON.parse(written[1] ?? '')).toEqual({ name: `Demo ${text}` });
});
