import { entryOf } from '../../src/domain/entry-of.ts';
import type { Figure, Shown, Tone, View } from '../../src/ports/html-view.ts';
import { counted, countOf, left, many, right } from './cells.ts';

const OUTCOMES = ['verified', 'quarantined', 'unreachable', 'deferred'] as const;
const TONES: Readonly<Record<string, Tone>> = {
  verified: 'good',
  quarantined: 'odd',
  unreachable: 'unknown',
  deferred: 'waiting',
};
/** Records that the page names; coverage.csv has all. */
const NAMED = 200;
/** Reasons listed separately: they are texts, and a hostile Service could send any number of them. */
const REASONS = 40;
const OTHER = 'other reasons';

interface Unread {
  kind: string;
  recordId: string;
  outcome: string;
  reason: string;
  answer: string;
  lastVerifiedAt: string;
}

/** Who was verified, who was not, and why; with the records that were not. */
export const coverageView: View = {
  name: 'coverage',
  start: () => {
    const kinds = new Map<string, Map<string, number>>();
    const reasons = new Map<string, { outcome: string; reason: string; count: number }>();
    const unread: Unread[] = [];
    let [all, verified, attempts] = [0, 0, 0];
    return {
      open: (table, at) => {
        if (table !== 'coverage') return null;
        const [kind, recordId, outcome, reason, http, code, tries, last] = [
          at('kind'),
          at('record_id'),
          at('outcome'),
          at('reason'),
          at('http_status'),
          at('error_code'),
          at('attempts'),
          at('last_verified_at'),
        ];
        return (row) => {
          all++;
          attempts += countOf(row[tries]);
          const outcomes = entryOf(kinds, row[kind] ?? '', () => new Map<string, number>());
          const name = row[outcome] ?? '';
          outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
          if (name === 'verified') {
            verified++;
            return;
          }
          const why = row[reason] || 'no reason given';
          const listed = reasons.has(`${name}\n${why}`) || reasons.size < REASONS ? why : OTHER;
          entryOf(reasons, `${name}\n${listed}`, () => ({ outcome: name, reason: listed, count: 0 })).count++;
          if (unread.length >= NAMED) return;
          unread.push({
            kind: row[kind] ?? '',
            recordId: row[recordId] ?? '',
            outcome: name,
            reason: why,
            answer: [row[http], row[code]].filter((part) => part !== undefined && part !== '').join(' '),
            lastVerifiedAt: row[last] ?? '',
          });
        };
      },
      sections: () => [
        {
          id: 'coverage',
          title: 'Coverage and unverified records',
          lead: `${many(verified)} of ${counted(all, 'record')} were verified, with ${counted(attempts, 'request')}. ${all === verified ? 'None is missing.' : `${counted(all - verified, 'record')} could not be: that is neither matched nor a break.`}`,
          figures: [byKind(kinds), ...(all === verified ? [] : [byReason(reasons), named(unread, all - verified)])],
        },
      ],
    };
  },
};

function byKind(kinds: ReadonlyMap<string, ReadonlyMap<string, number>>): Figure {
  const rows = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    title: 'Coverage by kind',
    chart: {
      type: 'stacked',
      unit: 'records',
      categories: rows.map(([kind]) => `${kind}s`),
      series: OUTCOMES.map((outcome) => ({
        name: outcome,
        tone: TONES[outcome] ?? 'unknown',
        values: rows.map(([, outcomes]) => outcomes.get(outcome) ?? 0),
      })),
    },
    table: {
      caption: 'Records by kind and by outcome',
      columns: [{ title: 'Kind' }, ...OUTCOMES.map((title) => ({ title, align: 'right' as const }))],
      rows: rows.map(([kind, outcomes]): Shown[] => [
        kind,
        ...OUTCOMES.map((outcome) => ({ count: outcomes.get(outcome) ?? 0 })),
      ]),
    },
  };
}

function byReason(reasons: ReadonlyMap<string, { outcome: string; reason: string; count: number }>): Figure {
  const rows = [...reasons.values()].sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
  return {
    title: 'Why records were not verified',
    chart: null,
    table: {
      caption: 'Reasons, the most frequent first',
      columns: [...left('Reason', 'Outcome'), ...right('Records')],
      rows: rows.map(({ outcome, reason, count }): Shown[] => [
        reason,
        { badge: outcome, tone: TONES[outcome] ?? 'unknown' },
        { count },
      ]),
    },
  };
}

function named(unread: readonly Unread[], all: number): Figure {
  return {
    title: 'Unverified records',
    chart: null,
    table: {
      caption:
        all > unread.length
          ? `The first ${unread.length} of ${many(all)}; coverage.csv has all of them`
          : 'All records that were not verified',
      columns: [...left('Record', 'Kind', 'Outcome', 'Reason', 'Answer', 'Last verified')],
      rows: unread.map((each): Shown[] => [
        { code: each.recordId },
        each.kind,
        { badge: each.outcome, tone: TONES[each.outcome] ?? 'unknown' },
        each.reason,
        each.answer === '' ? null : each.answer,
        each.lastVerifiedAt === '' ? 'never' : `${each.lastVerifiedAt.slice(0, 16).replace('T', ' ')} UTC`,
      ]),
    },
  };
}
