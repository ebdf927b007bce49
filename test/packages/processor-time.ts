/** Measures the processor time of this process in milliseconds, regardless of other work on the machine. */
export function startProcessorTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
