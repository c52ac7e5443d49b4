/**
 * Preloaded into a measured process (`node --import`): writes at its end what it took, as the kernel counted it. Sampling
 * from outside would miss a short peak.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import type { Usage } from './child.ts';

/** Where to write, given by the measuring process. */
const file = process.env.TIEOUT_BENCH_USAGE;

/** `ru_maxrss` survives an exec, so a child would inherit its parent's peak; the address space's own mark does not. */
function peakBytes(): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux: the inherited figure is better than none.
  }
  return process.resourceUsage().maxRSS * 1024;
}

// A worker loads this too, and the process ends only once.
if (file !== undefined && isMainThread) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const usage: Usage = { peakMb: peakBytes() / 2 ** 20, cpuSeconds: (user + system) / 1e6 };
    writeFileSync(file, JSON.stringify(usage));
  });
}
