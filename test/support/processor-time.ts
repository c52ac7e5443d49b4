/** Milliseconds of processor time that the work takes on this thread: other work on the machine adds nothing to it. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
