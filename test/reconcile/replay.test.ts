import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/domain/run.ts';
import type { JudgedPage } from '../../src/ports/settled.ts';
import { judgeHere } from '../../src/reconcile/judged-parts.ts';
import { replay } from '../../src/reconcile/replay.ts';
import { thawRun } from '../../src/reconcile/run-book.ts';
import { freezeTerms } from '../../src/rules/terms.ts';
import { aBreak } from '../support/a-break.ts';
import { aPurchase } from '../support/builders.ts';
import { aJudgeStore, aRun, aStoredCase, type Night, someRunTerms } from './support/judging.ts';

const NIGHT: Night = {
  cases: [
    aStoredCase({ recordKey: 1, state: aPurchase({ recordId: 'a' }) }),
    aStoredCase({ recordKey: 2, state: aPurchase({ recordId: 'b' }), linked: null }),
  ],
  outside: [{ ...aBreak({ recordId: 'z' }), hostReference: null }],
};

async function replayed(run: Run) {
  const pages: JudgedPage[] = [];
  const { store } = aJudgeStore(NIGHT);
  const tally = await replay(judgeHere(thawRun(run), store), {
    write: (page) => pages.push(page),
    append: () => {
      throw new Error('no other thread judges here');
    },
  });
  return { tally, ids: pages.map(({ records, outside }) => [...records, ...outside].map(({ recordId }) => recordId)) };
}

describe('a replay', () => {
  it('hands the pages of the run to the reports and counts them', async () => {
    const { tally, ids } = await replayed(aRun({ state: 'complete' }));
    expect(ids).toEqual([['a', 'b'], ['z']]);
    expect(tally).toMatchObject({
      population: 2,
      verdicts: { matched: 1, pending: 0, break: 1, unverified: 0, quarantined: 0, waived: 0 },
      breaks: { open: 2, opened: 1, reopened: 0, resolved: 0, waived: 0 },
    });
  });

  it('judges by the terms of that night, not by the present settings', async () => {
    const terms = freezeTerms(someRunTerms({ rules: { QUOTE_MISSING: 'off' } }));
    const { tally } = await replayed(aRun({ state: 'complete', terms }));
    expect(tally.verdicts).toMatchObject({ matched: 2, break: 0 });
  });

  it('of an audit reports its own records', async () => {
    const { tally, ids } = await replayed(aRun({ selection: { type: 'ids', ids: ['a', 'b'], kind: null } }));
    expect(ids).toEqual([['a', 'b'], []]);
    expect(tally.breaks.open).toBe(1);
  });

  it('of a run that is still fetching is refused', async () => {
    await expect(replayed({ ...aRun({ state: 'fetching' }), watermarks: null })).rejects.toThrow(
      'run nightly-2026-11-02-r1 has not been judged yet: it is fetching',
    );
  });
});
