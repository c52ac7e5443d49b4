/**
 * Scheduled tasks by the sandbox's own clock: the next step of a record, the next attempt of a webhook. A real timer only
 * wakes the schedule; the sandbox's clock decides what is due, so that moving it runs every due task at once.
 */
import type { SandboxInstant } from '../contract.ts';

/** A task on the schedule. */
export interface ScheduledTask {
  /** When it is due at the speed in force. */
  due(): SandboxInstant;
  /** Nothing happens where it has run already. */
  cancel(): void;
}

export type TaskSchedule = ReturnType<typeof createTaskSchedule>;

interface Task {
  due: SandboxInstant;
  /** Tasks of one instant run in the order they were noted. */
  order: number;
  run: (at: SandboxInstant) => void;
}

/** A clock that is moved from outside is noticed within this time. */
const LONGEST_SLEEP = 1_000;

export function createTaskSchedule(now: () => SandboxInstant, initialSpeed: number) {
  const tasks = new Set<Task>();
  let speed = initialSpeed;
  let order = 0;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  function next(): Task | null {
    let first: Task | null = null;
    for (const task of tasks)
      if (first === null || task.due < first.due || (task.due === first.due && task.order < first.order)) first = task;
    return first;
  }

  /** Runs every task that is due, in order. To be called before a record is read and after the clock is moved. */
  function settle(): void {
    for (let task = next(); !closed && task !== null && task.due <= now(); task = next()) {
      tasks.delete(task);
      task.run(task.due);
    }
    wakeForNext();
  }

  function wakeForNext(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const task = next();
    if (closed || task === null) return;
    timer = setTimeout(settle, Math.min(LONGEST_SLEEP, Math.max(0, task.due - now())));
    // A sandbox that is only waiting must not keep its process alive: its server does that.
    timer.unref();
  }

  return {
    /**
     * Runs the task `duration` milliseconds after `from`, divided by the speed. The task gets its due time, which
     * may be earlier than now, so that a following task counts from there.
     */
    after(from: SandboxInstant, duration: number, run: Task['run']): ScheduledTask {
      const task: Task = { due: Math.round(from + duration / speed), order: order++, run };
      if (!closed) tasks.add(task);
      wakeForNext();
      return { due: () => task.due, cancel: () => void tasks.delete(task) };
    },
    settle,
    /** Rescales the remaining time of every task by the ratio of the speeds. */
    setSpeed(wanted: number) {
      settle();
      const at = now();
      for (const task of tasks) task.due = Math.round(at + ((task.due - at) * speed) / wanted);
      speed = wanted;
      settle();
    },
    close() {
      closed = true;
      tasks.clear();
      if (timer !== null) clearTimeout(timer);
    },
  };
}
