/** Loads a page as a slow phone does: processor slowed down 4 times, 1.6 Mbit/s, 150 ms round trip, empty cache. */
import type { Page } from 'playwright-core';

const slowdown = 4;
const bytesPerSecond = 1_600_000 / 8;
const roundTripMs = 150;
/** After this long without a long task, the main thread is idle. */
const idleMs = 500;

export interface PhoneLoad {
  paintedMs: number;
  /** Painted, scripts executed, and the end of the last task of more than 50 ms. */
  interactiveMs: number;
  longTasks: number;
  layoutShift: number;
  /** HTML, styles and scripts as transferred, without images. */
  bytes: number;
}

/** Times count from the start of the navigation. */
export async function loadOnSlowPhone(page: Page, address: string): Promise<PhoneLoad> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Network.enable');
  await protocol.send('Network.setCacheDisabled', { cacheDisabled: true });
  await protocol.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: roundTripMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await protocol.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(address, { waitUntil: 'load', timeout: 120_000 });
  return page.evaluate(async (quietMs) => {
    const entries = (type: string) =>
      new Promise<PerformanceEntry[]>((resolve) => {
        const seen: PerformanceEntry[] = [];
        const observer = new PerformanceObserver((list) => seen.push(...list.getEntries()));
        observer.observe({ type, buffered: true });
        setTimeout(() => resolve(seen), quietMs);
      });
    const [tasks, shifts] = await Promise.all([entries('longtask'), entries('layout-shift')]);
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN;
    const resources = (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).filter(
      ({ name }) => /\.(css|js)\b/.test(name),
    );
    return {
      paintedMs: painted,
      interactiveMs: Math.max(
        painted,
        navigation?.domContentLoadedEventEnd ?? Number.NaN,
        ...tasks.map(({ startTime, duration }) => startTime + duration),
      ),
      longTasks: tasks.length,
      layoutShift: (shifts as (PerformanceEntry & { value: number })[]).reduce(
        (sum, { value }) => sum + value,
        0,
      ),
      bytes: [...(navigation ? [navigation] : []), ...resources].reduce(
        (sum, { encodedBodySize }) => sum + encodedBodySize,
        0,
      ),
    };
  }, idleMs);
}
