/** The ticking itself: node-cron, with an explicit time zone. */
import { schedule } from 'node-cron';

export interface TickLog {
  warn: (message: string) => void;
  error: (message: string) => void;
}

/** Calls back at every time of a cron line until it is stopped. The callback must not throw. */
export type StartTicking = (name: string, line: string, timezone: string, onTick: () => void) => { stop(): void };

/**
 * Ticks by node-cron. Its own protection against overlap stays off: a callback returns at once, and what it sets off is
 * guarded by the scheduler, by the lease, and by the ledger. A tick that comes late, after the process was held up, is
 * still a tick; what is missed for good is found again by looking into the ledger.
 */
export function nodeCronTicks(log: TickLog): StartTicking {
  const logger = {
    info: () => undefined,
    debug: () => undefined,
    warn: (message: string) => log.warn(message),
    error: (message: string | Error) => log.error(message instanceof Error ? message.message : message),
  };
  return (name, line, timezone, onTick) => {
    const task = schedule(line, () => onTick(), { name, timezone, logger, suppressMissedWarning: true });
    // Destroyed rather than stopped: node-cron keeps a list of all tasks of the process.
    return { stop: () => void task.destroy() };
  };
}
