import { entryOf } from '../../src/domain/entry-of.ts';
import type { Figure, Shown, Tone, View } from '../../src/ports/html-view.ts';
import { count, counted } from '../../src/text/counts.ts';
import { countOf, figure, known, left, outcomeCounts, right } from './cells.ts';

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
    const kinds = outcomeCounts(TONES);
    const reasons = new Map<string, { outcome: string; reason: string; count: number }>();
    const unread: Unread[] = [];
    let [all, attempts] = [0, 0];
    return {
      rows: {
        coverage: (cell) => {
          const [outcome, why] = [cell('outcome'), cell('reason') || 'no reason given'];
          all++;
          attempts += countOf(cell('attempts'));
          kinds.add(cell('kind'), outcome);
          if (outcome === 'verified') return;
          const listed = reasons.has(`${outcome}\n${why}`) || reasons.size < REASONS ? why : OTHER;
          entryOf(reasons, `${outcome}\n${listed}`, () => ({ outcome, reason: listed, count: 0 })).count++;
          if (unread.length >= NAMED) return;
          unread.push({
            kind: cell('kind'),
            recordId: cell('record_id'),
            outcome,
            reason: why,
            answer: [cell('http_status'), cell('error_code')].filter((part) => part !== '').join(' '),
            lastVerifiedAt: cell('last_verified_at'),
          });
        },
      },
      sections: () => {
        const verified = kinds.sumOf('verified');
        return {
          id: 'coverage',
          title: 'Coverage and unverified records',
          lead: `${count(verified)} of ${counted(all, 'record')} were verified, with ${counted(attempts, 'request')}. ${all === verified ? 'None is missing.' : `${counted(all - verified, 'record')} could not be: that is neither matched nor a break.`}`,
          figures: [
            kinds.figure(BY_KIND),
            ...(all === verified ? [] : [byReason(reasons), named(unread, all - verified)]),
          ],
        };
      },
    };
  },
};

const BY_KIND = {
  title: 'Coverage by kind',
  unit: 'records',
  caption: 'Records by kind and by outcome',
  head: 'Kind',
  plural: 's',
} as const;

function byReason(reasons: ReadonlyMap<string, { outcome: string; reason: string; count: number }>): Figure {
  const rows = [...reasons.values()].sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
  return figure({
    title: 'Why records were not verified',
    caption: 'Reasons, the most frequent first',
    columns: [...left('Reason', 'Outcome'), ...right('Records')],
    rows: rows.map(({ outcome, reason, count: records }): Shown[] => [
      reason,
      { badge: outcome, tone: TONES[outcome] ?? 'unknown' },
      { count: records },
    ]),
  });
}

function named(unread: readonly Unread[], all: number): Figure {
  return figure({
    title: 'Unverified records',
    caption:
      all > unread.length
        ? `The first ${unread.length} of ${count(all)}; coverage.csv has all of them`
        : 'All records that were not verified',
    columns: [...left('Record', 'Kind', 'Outcome', 'Reason', 'Answer', 'Last verified')],
    rows: unread.map((each): Shown[] => [
      { code: each.recordId },
      each.kind,
      { badge: each.outcome, tone: TONES[each.outcome] ?? 'unknown' },
      each.reason,
      known(each.answer),
      each.lastVerifiedAt === '' ? 'never' : `${each.lastVerifiedAt.slice(0, 16).replace('T', ' ')} UTC`,
    ]),
  });
}
