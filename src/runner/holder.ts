/**
 * The name of a lease's holder. A process on the same host can tell from it whether the holder is still alive, so that a killed
 * run can be resumed at once and not only after its lease has expired.
 */
import { readFileSync } from 'node:fs';

const SHAPE = /^(.+) pid (\d+) started (\S+)$/;

/** `db-host pid 4711 started 188213`; the last part tells a reused pid from the process that had it before. */
export function holderOf(host: string, pid: number): string {
  return `${host} pid ${pid} started ${startOf(pid) ?? 'unknown'}`;
}

/** True only where the holder is a process of this host that is certainly gone. */
export function isDeadHolder(host: string, holder: string): boolean {
  const [, where, pid, started] = SHAPE.exec(holder) ?? [];
  if (where !== host || pid === undefined) return false;
  if (!exists(Number(pid))) return true;
  const now = startOf(Number(pid));
  return now !== null && started !== 'unknown' && now !== started;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Start time in clock ticks since boot (field 22 of /proc/PID/stat), where the system has it. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name in parentheses may hold spaces; fields are counted after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
