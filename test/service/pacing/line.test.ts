import { describe, expect, it } from 'vitest';
import { abortError, WaitingLine } from '../../../src/service/pacing/line.ts';

const nothing = () => undefined;

/** Joins the line and notes its outcome under a name. */
function join(line: WaitingLine, outcomes: string[], name: string, mayWait = true, signal?: AbortSignal): void {
  line
    .join('paced', mayWait, signal, () => outcomes.push(`${name} left`))
    .then(
      () => outcomes.push(`${name} goes`),
      (error: unknown) => outcomes.push(`${name} fails: ${error instanceof Error ? error.message : error}`),
    );
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a waiter that gives up', () => {
  it('is rejected as aborted, with the reason', async () => {
    const why = new Error('the run is over');
    const error = await new WaitingLine()
      .join('paced', true, AbortSignal.abort(why), nothing)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'AbortError', message: 'Waiting for a request slot was aborted', cause: why });
    expect(abortError(AbortSignal.abort(why))).toEqual(error);
  });

  it('leaves an empty place, and the pump is notified', async () => {
    const line = new WaitingLine();
    const outcomes: string[] = [];
    const patience = new AbortController();
    join(line, outcomes, 'a', true, patience.signal);
    join(line, outcomes, 'b');
    patience.abort();
    await settle();
    expect(outcomes).toEqual(['a left', 'a fails: Waiting for a request slot was aborted']);
    line.grant('paced', 1);
    await settle();
    expect(outcomes.slice(2)).toEqual(['b goes']);
    expect(line.isEmpty).toBe(true);
  });

  it.each([
    { after: 'its slot was given', serve: (line: WaitingLine) => line.grant('paced', 1), outcome: 'a goes' },
    {
      after: 'it was refused',
      serve: (line: WaitingLine) => line.rejectWhere(() => true, new Error('shut')),
      outcome: 'a fails: shut',
    },
  ])('after $after takes no other with it', async ({ serve, outcome }) => {
    const line = new WaitingLine();
    const outcomes: string[] = [];
    const patience = new AbortController();
    join(line, outcomes, 'a', true, patience.signal);
    serve(line);
    join(line, outcomes, 'b');
    patience.abort();
    await settle();
    expect(outcomes).toEqual([outcome]);
    expect(line.waiting('paced')).toBe(1);
  });
});

describe('a refusal', () => {
  it('meets only those it is meant for; the others keep their places', async () => {
    const line = new WaitingLine();
    const outcomes: string[] = [];
    join(line, outcomes, 'a');
    join(line, outcomes, 'b', false);
    join(line, outcomes, 'c');
    line.rejectWhere((waiter) => !waiter.mayWait, new Error('shut'));
    line.grant('paced', 1);
    await settle();
    expect(outcomes.sort()).toEqual(['a goes', 'b fails: shut']);
    line.grant('paced', 1);
    await settle();
    expect(outcomes.at(-1)).toBe('c goes');
  });
});
