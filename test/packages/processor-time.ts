/** Milliseconds of processor time of this process since now: other work on the machine does not count. */
export function startProcessorTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
