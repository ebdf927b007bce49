/** Speed and remaining time of an upload. */
export interface TransferSpeed {
  /** Bytes per second. */
  rate: number;
  secondsLeft: number;
}

const halfLifeSeconds = 2;
/** Share of the average that must be measured before it is shown. */
const minWeight = 0.2;

/**
 * Returns a function that takes the bytes sent so far and the time in milliseconds, and returns the moving average; null before
 * there is enough data.
 */
export function createTransferMeter(size: number): (sent: number, now: number) => TransferSpeed | null {
  let before: { sent: number; now: number } | null = null;
  let average = 0;
  let measured = 0;
  return (sent, now) => {
    if (before && now > before.now) {
      const seconds = (now - before.now) / 1000;
      // Makes the average independent of how often the function is called.
      const weight = 1 - 0.5 ** (seconds / halfLifeSeconds);
      measured += weight * (1 - measured);
      average += weight * ((sent - before.sent) / seconds - average);
    }
    before = { sent, now };
    const rate = measured > minWeight ? average / measured : 0;
    return rate > 0 ? { rate, secondsLeft: (size - sent) / rate } : null;
  };
}
