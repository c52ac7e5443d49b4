/**
 * The name of a lease's holder. A process that sees the same processes can determine from it whether the holder is
 * still alive, so that a killed run can be resumed at once and not only after its lease has expired. A host name is
 * not enough: two containers may have the same one, each with its own processes.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { readOrNull } from './clock.ts';

const SHAPE = /^(.+) boot (\S+) pidns (\S+) pid (\d+) started (\S+)$/;

/** The scope of a process id: one PID namespace of one boot. */
interface ProcessSpace {
  host: string;
  /** `unknown` where the system does not provide it. */
  boot: string;
  namespace: string;
}

export function processSpaceOf(host: string): ProcessSpace {
  return {
    host,
    boot: readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? 'unknown',
    // `pid:[4026531836]`
    namespace: readOrNull(() => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '') ?? 'unknown',
  };
}

/**
 * `db-host boot 0b9c… pidns 4026531836 pid 4711 started 188213`; the last part distinguishes processes that reused a
 * pid.
 */
export function holderOf({ host, boot, namespace }: ProcessSpace, pid: number): string {
  return `${host} boot ${boot} pidns ${namespace} pid ${pid} started ${startOf(pid) ?? 'unknown'}`;
}

/**
 * True only where the holder is a process of this space that is certainly gone. A holder of an earlier boot counts as alive until its
 * lease expires: another machine may have the same name.
 */
export function isDeadHolder(space: ProcessSpace, holder: string): boolean {
  const [, host, boot, namespace, pid, started] = SHAPE.exec(holder) ?? [];
  if (host !== space.host || boot !== space.boot || namespace !== space.namespace || pid === undefined) return false;
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
  const stat = readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The command name in parentheses may hold spaces; fields are counted after it.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}
