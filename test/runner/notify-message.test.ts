import { describe, expect, it } from 'vitest';
import type { JobResult } from '../../src/ports/job.ts';
import type { Tally } from '../../src/ports/settled.ts';
import { emptyTally } from '../../src/reconcile/tally.ts';
import { type FreshBreak, failureMessage, recoveryMessage, runMessage } from '../../src/runner/notify-message.ts';
import { aRun } from './support/ledger.ts';

type Reconciled = Extract<JobResult, { outcome: 'reconciled' }>;

const TALLY: Tally = {
  ...emptyTally(),
  population: 2000,
  verdicts: { matched: 1900, pending: 57, break: 30, unverified: 9, quarantined: 1, waived: 3 },
  breaks: { open: 41, opened: 2, reopened: 1, resolved: 3, waived: 4 },
  rules: new Map([
    ['STATUS_STUCK', { severity: 'medium', open: 20, fresh: 1 }],
    ['FEE_APPLIED_DIFFERS', { severity: 'high', open: 21, fresh: 2 }],
    ['AMOUNT_DIFFERS', { severity: 'medium', open: 5, fresh: 0 }],
  ]),
};

const aResult = (overrides: Partial<Reconciled> = {}, tally: Partial<Tally> = {}): Reconciled => ({
  outcome: 'reconciled',
  run: aRun('nightly', '2026-11-20', 'complete'),
  tally: { ...TALLY, ...tally },
  folder: '2026-11-20/nightly-r1',
  requests: 2012,
  ...overrides,
});

const aBreak = (rule: FreshBreak['rule'], recordId: string, explanation: string, reopened = false): FreshBreak => ({
  rule,
  breakId: `${rule} ${recordId}`,
  leadingBreakId: null,
  kind: 'purchase',
  recordId,
  explanation,
  reopened,
});

const FRESH = new Map([
  [
    'FEE_APPLIED_DIFFERS',
    [
      aBreak('FEE_APPLIED_DIFFERS', 'abc', 'The user paid 1.50 EUR more.'),
      aBreak('FEE_APPLIED_DIFFERS', 'def', 'The user paid 0.20 EUR more.', true),
    ],
  ],
  ['STATUS_STUCK', [aBreak('STATUS_STUCK', 'ghi', 'In RELEASING since 2026-11-01.')]],
]);

describe('the message about a run', () => {
  it('counts changed records of closed months, and has no such line where there are none', () => {
    const { lines } = runMessage(aResult({}, { priorPeriod: 3 }), FRESH);
    expect(lines).toContain(
      'Closed months: 3 of their records have changed since; the next close lists them as changes of a prior period',
    );
    const without = runMessage(aResult({}, { priorPeriod: 0 }), FRESH).lines;
    expect(without.filter((line) => line.startsWith('Closed months'))).toEqual([]);
  });

  it('lists the findings, the most severe first', () => {
    expect(runMessage(aResult(), FRESH)).toEqual({
      title: 'Tieout: nightly for 2026-11-20 is complete: 3 new breaks, 41 open',
      lines: [
        '2,000 records: 1,900 matched, 57 pending, 30 break, 9 unverified, 1 quarantined, 3 waived',
        'Breaks: 41 open; 2 new, 1 reopened, 3 resolved, 4 waived',
        'FEE_APPLIED_DIFFERS (high): 2 new',
        '  - purchase abc: The user paid 1.50 EUR more.',
        '  - purchase def (reopened): The user paid 0.20 EUR more.',
        'STATUS_STUCK (medium): 1 new',
        '  - purchase ghi: In RELEASING since 2026-11-01.',
        'Published: 2026-11-20/nightly-r1',
      ],
    });
  });

  it('lists a break once, with those that it leads', () => {
    const [lead, other] = ['FEE_APPLIED_DIFFERS', 'STATUS_STUCK'].flatMap((rule) => FRESH.get(rule) ?? []);
    const led = (rule: string, leadingBreakId = lead?.breakId ?? '') => ({
      ...aBreak(rule, 'abc', 'More.'),
      leadingBreakId,
    });
    const fresh = new Map([
      ['FEE_APPLIED_DIFFERS', [led('FEE_APPLIED_DIFFERS')]],
      // The second one is led by a break that was announced before.
      [
        'STATUS_STUCK',
        [led('STATUS_STUCK'), led('STATUS_STUCK'), { ...other, ...led('STATUS_STUCK', 'before'), recordId: 'def' }],
      ],
    ]);
    expect(runMessage(aResult(), fresh).lines.slice(2, -1)).toEqual([
      'FEE_APPLIED_DIFFERS (high): 2 new',
      '  - purchase abc: More. (with STATUS_STUCK)',
      'STATUS_STUCK (medium): 1 new, 2 of them listed with the break that leads',
      '  - purchase def: More.',
    ]);
  });

  it('names the worst rule first, of equal ones that with most new breaks, then by name', () => {
    const rules: Tally['rules'] = new Map([
      ['STATUS_STUCK', { severity: 'medium', open: 9, fresh: 9 }],
      ['RATE_DIFFERS', { severity: 'high', open: 1, fresh: 1 }],
      ['AMOUNT_DIFFERS', { severity: 'high', open: 1, fresh: 1 }],
      ['FEE_APPLIED_DIFFERS', { severity: 'high', open: 2, fresh: 2 }],
    ]);
    const heads = runMessage(aResult({}, { rules }), new Map()).lines.filter((line) => line.includes('announced'));
    expect(heads.map((line) => line.split(' ')[0])).toEqual([
      'FEE_APPLIED_DIFFERS',
      'AMOUNT_DIFFERS',
      'RATE_DIFFERS',
      'STATUS_STUCK',
    ]);
  });

  it('states in its first line which records are missing', () => {
    const problems = ['the database is gone'];
    const sources = [{ name: 'app', read: 0, accepted: 0, rejected: 0, failed: 1, problems }];
    const run = { ...aRun('nightly', '2026-11-20', 'incomplete', 2), sources };
    const breaks = { open: 1, opened: 1, reopened: 0, resolved: 0, waived: 0 };
    const { title, lines } = runMessage(
      aResult({ run }, { notReached: 12, deferred: 10, breaks, rules: new Map() }),
      new Map(),
    );
    expect(title).toBe('Tieout: nightly for 2026-11-20 (revision 2) is INCOMPLETE: 1 new break, 1 open');
    expect(lines.slice(2, 4)).toEqual([
      'Not verified: 12 due records, 10 of them deferred; they come first in the next run',
      'Incomplete: source app: the database is gone',
    ]);
  });

  it('announces a storm of one rule as one', () => {
    const rules: Tally['rules'] = new Map([
      ['FEE_APPLIED_DIFFERS', { severity: 'high', open: 1300, fresh: 1234 }],
      ['STATUS_STUCK', { severity: 'medium', open: 20, fresh: 1 }],
    ]);
    const stuck = new Map([...FRESH].filter(([rule]) => rule === 'STATUS_STUCK'));
    expect(runMessage(aResult({}, { rules }), stuck).lines.slice(2)).toEqual([
      'FEE_APPLIED_DIFFERS (high): 1,234 new breaks, announced as one: see breaks.csv',
      'STATUS_STUCK (medium): 1 new',
      '  - purchase ghi: In RELEASING since 2026-11-01.',
      'Published: 2026-11-20/nightly-r1',
    ]);
  });

  it('is as many lines as it has, whatever a record says', () => {
    const told = 'its receiver x\r\nIncomplete: \u2028nothing\u202e, is not an address.';
    const { lines } = runMessage(aResult(), new Map([['STATUS_STUCK', [aBreak('STATUS_STUCK', 'ghi', told)]]]));
    expect(lines).toContain('  - purchase ghi: its receiver x Incomplete:  nothing\\u202e, is not an address.');
  });

  it('ends at a whole line where it would be longer than a chat takes', () => {
    const many = Array.from({ length: 200 }, (_, n) => aBreak('STATUS_STUCK', `id${n}`, 'x'.repeat(300)));
    const rules: Tally['rules'] = new Map([['STATUS_STUCK', { severity: 'medium', open: 200, fresh: 200 }]]);
    const { lines } = runMessage(aResult({}, { rules }), new Map([['STATUS_STUCK', many]]));
    expect(lines.join('\n').length).toBeLessThan(31_000);
    expect(lines.at(-1)).toMatch(/^… and \d+ more lines$/);
  });
});

it('a failure names the job, its date, and the cause', () => {
  expect(failureMessage('nightly', '2026-11-20', 'The Service is unavailable.')).toEqual({
    title: 'Tieout: nightly for 2026-11-20 FAILED',
    lines: ['The Service is unavailable.', 'Nothing was published. See docs/how-to/operating.md for what to do.'],
  });
  expect(failureMessage('recheck', null, 'x').title).toBe('Tieout: recheck FAILED');
  expect(recoveryMessage('recheck').title).toBe('Tieout: recheck works again');
});
