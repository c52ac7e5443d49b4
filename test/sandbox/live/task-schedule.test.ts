import { describe, expect, it } from 'vitest';
import { createTaskSchedule } from '../../../src/sandbox/live/task-schedule.ts';

function aSchedule(speed = 1) {
  const clock = { now: 1_000 };
  const schedule = createTaskSchedule(() => clock.now, speed);
  const ran: string[] = [];
  const note = (name: string) => (at: number) => ran.push(`${name}@${at}`);
  return { clock, schedule, ran, note };
}

describe('scheduled tasks', () => {
  it('runs due tasks in order, and passes each its due time', () => {
    const { clock, schedule, ran, note } = aSchedule();
    schedule.after(1_000, 300, note('later'));
    schedule.after(1_000, 100, note('sooner'));
    clock.now = 1_250;
    schedule.settle();
    expect(ran).toEqual(['sooner@1100']);
    clock.now = 9_000;
    schedule.settle();
    expect(ran).toEqual(['sooner@1100', 'later@1300']);
    schedule.close();
  });

  it('follows a chain through a clock that was moved far ahead', () => {
    const { clock, schedule, ran, note } = aSchedule();
    schedule.after(1_000, 100, (at) => {
      note('first')(at);
      schedule.after(at, 100, note('second'));
    });
    clock.now = 90_000;
    schedule.settle();
    expect(ran).toEqual(['first@1100', 'second@1200']);
    schedule.close();
  });

  it('comes sooner by the speed, and what waits follows a new one', () => {
    const { clock, schedule, ran, note } = aSchedule(10);
    const task = schedule.after(1_000, 1_000, note('task'));
    expect(task.due()).toBe(1_100);
    clock.now = 1_050;
    schedule.setSpeed(1);
    // Half of the way is left: 500 ms at speed 1.
    expect(task.due()).toBe(1_550);
    schedule.setSpeed(1_000);
    expect(task.due()).toBe(1_051);
    clock.now = 1_051;
    schedule.settle();
    expect(ran).toEqual(['task@1051']);
    schedule.close();
  });

  it('drops a cancelled task, and every task once it is closed', () => {
    const { clock, schedule, ran, note } = aSchedule();
    schedule.after(1_000, 10, note('cancelled')).cancel();
    schedule.after(1_000, 10, note('closed'));
    schedule.close();
    schedule.after(1_000, 10, note('too late'));
    clock.now = 5_000;
    schedule.settle();
    expect(ran).toEqual([]);
  });

  it('runs a task when the clock reaches its time', async () => {
    const started = performance.now();
    const schedule = createTaskSchedule(() => performance.now() - started, 1);
    await new Promise<void>((resolve) => schedule.after(0, 20, () => resolve()));
    schedule.close();
  });
});
