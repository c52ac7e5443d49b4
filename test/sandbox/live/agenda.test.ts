import { describe, expect, it } from 'vitest';
import { createAgenda } from '../../../src/sandbox/live/agenda.ts';

function anAgenda(speed = 1) {
  const clock = { now: 1_000 };
  const agenda = createAgenda(() => clock.now, speed);
  const ran: string[] = [];
  const note = (name: string) => (at: number) => ran.push(`${name}@${at}`);
  return { clock, agenda, ran, note };
}

describe('scheduled tasks', () => {
  it('runs due tasks in order, and passes each its due time', () => {
    const { clock, agenda, ran, note } = anAgenda();
    agenda.after(1_000, 300, note('later'));
    agenda.after(1_000, 100, note('sooner'));
    clock.now = 1_250;
    agenda.settle();
    expect(ran).toEqual(['sooner@1100']);
    clock.now = 9_000;
    agenda.settle();
    expect(ran).toEqual(['sooner@1100', 'later@1300']);
    agenda.close();
  });

  it('follows a chain through a clock that was moved far ahead', () => {
    const { clock, agenda, ran, note } = anAgenda();
    agenda.after(1_000, 100, (at) => {
      note('first')(at);
      agenda.after(at, 100, note('second'));
    });
    clock.now = 90_000;
    agenda.settle();
    expect(ran).toEqual(['first@1100', 'second@1200']);
    agenda.close();
  });

  it('comes sooner by the speed, and what waits follows a new one', () => {
    const { clock, agenda, ran, note } = anAgenda(10);
    const appointment = agenda.after(1_000, 1_000, note('task'));
    expect(appointment.due()).toBe(1_100);
    clock.now = 1_050;
    agenda.setSpeed(1);
    // Half of the way is left: 500 ms at speed 1.
    expect(appointment.due()).toBe(1_550);
    agenda.setSpeed(1_000);
    expect(appointment.due()).toBe(1_051);
    clock.now = 1_051;
    agenda.settle();
    expect(ran).toEqual(['task@1051']);
    agenda.close();
  });

  it('drops a cancelled task, and every task once it is closed', () => {
    const { clock, agenda, ran, note } = anAgenda();
    agenda.after(1_000, 10, note('cancelled')).cancel();
    agenda.after(1_000, 10, note('closed'));
    agenda.close();
    agenda.after(1_000, 10, note('too late'));
    clock.now = 5_000;
    agenda.settle();
    expect(ran).toEqual([]);
  });

  it('runs a task when the clock reaches its time', async () => {
    const started = performance.now();
    const agenda = createAgenda(() => performance.now() - started, 1);
    await new Promise<void>((resolve) => agenda.after(0, 20, () => resolve()));
    agenda.close();
  });
});
