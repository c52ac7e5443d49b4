/**
 * A row of the table of faults: one injected fault, and one promise that must hold under it.
 *
 * To add a row, write `test/faults/NN-name.fault.test.ts`:
 *
 *     faultRow(
 *       { number: 26, fault: 'SIGHUP during a fetch', how: 'the signal after the third answer', mustHold: 'no record is lost' },
 *       async (row) => {
 *         if (!canSignal()) throw new CannotInjectError('this system has no signals');
 *         const lost = await lostAfter(row.isShort ? 3 : 300);
 *         row.measured('records lost', lost); // goes into the table, whether the row holds or fails
 *         expect(lost).toBe(0);               // any error makes the row fail
 *       },
 *     );
 *
 * `npm run test:faults` runs all rows up to 30, `npm run test:faults:machines` the others, and each writes its table in
 * docs/reference/reliability.md from the measurements; `npm run test:faults -- 03 07`
 * runs these alone and leaves the document unchanged; `npm run test:faults:short` runs a form of each that takes seconds,
 * works on a bare machine, and leaves the document alone as well. Where one way of several cannot be tried on this
 * machine, the row says so by `row.gap(…)` and goes on; where none can, it throws `CannotInjectError`. Both are printed
 * in the table: a row that was not tried never passes.
 */
import { it } from 'vitest';
import { isShort, type RowText, saveRecord, seedOfRun } from './record.ts';

/** Thrown by a row whose fault cannot be injected on this machine; the message names the missing means. */
export class CannotInjectError extends Error {
  override readonly name = 'CannotInjectError';
}

export interface Row {
  /** Seconds instead of minutes; nothing but Node may be needed. */
  readonly isShort: boolean;
  /** Of every random choice; printed, so that a failure can be repeated (TIEOUT_FAULTS_SEED). */
  readonly seed: number;
  /** Adds to the row's figure: `3 of 3 killed`, in the order of the calls; a second call of a name replaces the first. */
  measured(name: string, value: number | string): void;
  /** One of several variants that cannot be injected on this machine. */
  gap(why: string): void;
  /** A line for the terminal. */
  say(line: string): void;
}

/** Registers the row as one test. */
export function faultRow(text: RowText, body: (row: Row) => Promise<void>): void {
  it(`${String(text.number).padStart(2, '0')} ${text.fault}: ${text.mustHold}`, async (context) => {
    const figures = new Map<string, string>();
    const gaps: string[] = [];
    const started = performance.now();
    const row: Row = {
      isShort,
      seed: seedOfRun,
      measured: (name, value) => void figures.set(name, String(value)),
      gap: (why) => void gaps.push(why),
      say: (line) => console.log(`  ${text.number}: ${line}`),
    };
    const record = (result: 'held' | 'fell' | 'could not be injected', why: string | null) => {
      const figure = [...figures].map(([name, value]) => `${name}: ${value}`).join('; ');
      const seconds = Math.round((performance.now() - started) / 100) / 10;
      saveRecord({ ...text, figure, result, why, gaps, seconds, seed: seedOfRun });
      const remarks = [why, ...gaps.map((gap) => `not tried: ${gap}`)].filter((each) => each !== null);
      console.log(
        `  row ${text.number} ${result} in ${seconds} s (seed ${seedOfRun}): ${[figure, ...remarks].join('; ')}`,
      );
    };
    // A kill of this process, or the end of the row's time, must not leave an older result behind.
    const unfinished = { ...text, figure: '', result: 'fell', gaps, seconds: 0, seed: seedOfRun } as const;
    saveRecord({ ...unfinished, why: 'it did not come to an end' });
    try {
      await body(row);
    } catch (error) {
      const why = error instanceof Error ? (error.message.split('\n', 1)[0] ?? error.name) : String(error);
      if (error instanceof CannotInjectError) {
        record('could not be injected', why);
        return context.skip(why);
      }
      record('fell', why);
      throw error;
    }
    record('held', null);
  });
}
