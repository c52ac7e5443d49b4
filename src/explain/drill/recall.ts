/** What a drill found, by rule and by change, weighed by money. */
import { Decimal } from '../../domain/decimal.ts';
import { entryOf } from '../../domain/entry-of.ts';
import type { Change } from './catalogue.ts';
import type { Drilled } from './drill.ts';

/** Of the copies with a material change that a rule should have found. */
interface Recall {
  /** The first code that should speak; `import` is the door of quotes. */
  rule: string;
  changes: number;
  planted: number;
  found: number;
  /** In EUR. */
  planted_eur: Decimal;
  found_eur: Decimal;
  /** Share of the money, in percent; by count where there is none. */
  recall_percent: Decimal;
}

/** Copies of one change with another outcome than it should have. */
export interface Failed {
  change: Change;
  of: number;
  failed: readonly Drilled[];
  /** In EUR. */
  money: Decimal;
}

export function recallOf(drilled: readonly Drilled[]): readonly Recall[] {
  const rows = new Map<string, Recall & { seen: Set<Change> }>();
  for (const { change, outcome, money } of drilled) {
    const [rule] = change.speaks;
    if (rule === undefined) continue;
    const row = entryOf(rows, rule, () => ({ rule, changes: 0, ...NOTHING, seen: new Set<Change>() }));
    row.seen.add(change);
    row.planted++;
    row.planted_eur = row.planted_eur.plus(money ?? Decimal.ZERO);
    if (outcome !== 'found') continue;
    row.found++;
    row.found_eur = row.found_eur.plus(money ?? Decimal.ZERO);
  }
  return [...rows.values()]
    .sort((a, b) => (a.rule < b.rule ? -1 : 1))
    .map(({ seen, ...row }) => ({ ...row, changes: seen.size, recall_percent: percent(row) }));
}

const NOTHING = {
  planted: 0,
  found: 0,
  planted_eur: Decimal.ZERO,
  found_eur: Decimal.ZERO,
  recall_percent: Decimal.ZERO,
};

/** Rounded down: a miss is never 100 %. */
function percent({ planted, found, planted_eur, found_eur }: typeof NOTHING): Decimal {
  const [part, whole] = planted_eur.isZero
    ? [Decimal.of(BigInt(found)), Decimal.of(BigInt(planted))]
    : [found_eur, planted_eur];
  return part.times(Decimal.HUNDRED).dividedBy(whole, 1, 'down');
}

/** In the order of the catalogue. @param outcome `missed` of material changes, `spoke` of the others */
export function failedOf(drilled: readonly Drilled[], outcome: 'missed' | 'spoke'): readonly Failed[] {
  return [...Map.groupBy(drilled, ({ change }) => change)].flatMap(([change, copies]) => {
    const failed = copies.filter((each) => each.outcome === outcome);
    const money = failed.reduce((sum, each) => sum.plus(each.money ?? Decimal.ZERO), Decimal.ZERO);
    return failed.length === 0 ? [] : [{ change, of: copies.length, failed, money }];
  });
}
