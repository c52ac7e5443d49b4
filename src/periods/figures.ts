/** Adds up a month while it is streamed: unverified records, open breaks, and the totals per currency. */
import { type Break, isOpen } from '../domain/break.ts';
import { Decimal, readWritten, type Written } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { noVerdicts, type Severity, severityRank } from '../domain/finding.ts';
import { addTo } from '../domain/partial-sums.ts';
import { withStake } from '../domain/stake.ts';
import { addStake, emptyStake, NO_STAKE, readStake, stakeFigures, type WrittenStake } from '../domain/stake-tally.ts';
import type { EarlierShare, PeriodCurrencyFigures, PeriodFigures, PeriodRuleFigures } from '../ports/period.ts';
import type { MonthSet } from '../ports/store/periods.ts';
import { sha256Of } from '../publish/manifest.ts';
import type { PeriodRecord } from './standing.ts';

/** Of two different names: what is sorted here is unique. */
const byText = (a: string, b: string) => (a < b ? -1 : 1);

/** Adds up the records of a month in one pass. */
export class PeriodTally {
  private readonly counts = {
    population: 0,
    deferred: 0,
    unreachable: 0,
    neverVerified: 0,
    neverLookedAt: 0,
    datedByTold: 0,
    datedByTracking: 0,
  };
  private readonly verdicts = noVerdicts();
  private readonly breaks = { open: 0, waived: 0 };
  private readonly rules = new Map<string, { severity: Severity; open: number; differences: Map<string, Decimal> }>();
  private readonly stake = emptyStake();
  private readonly currencies = new Map<string, PeriodCurrencyFigures>();

  add({ record, datedBy, observation, state, breaks }: PeriodRecord): void {
    const { counts } = this;
    counts.population++;
    this.verdicts[record.verdict]++;
    if (observation === null) counts.neverLookedAt++;
    if (observation?.outcome === 'deferred') counts.deferred++;
    if (observation?.outcome === 'unreachable') counts.unreachable++;
    if (record.verdict === 'unverified' && record.verifiedRun === null) counts.neverVerified++;
    if (datedBy === 'told') counts.datedByTold++;
    if (datedBy === 'tracked') counts.datedByTracking++;
    if (state !== null) this.addAmounts(state);
    addStake(this.stake, withStake(breaks));
    for (const each of breaks) this.addBreak(each);
  }

  /** @param breaks about the payment of the month's revenue, with their stake */
  addRevenue(breaks: readonly Break[]): void {
    addStake(this.stake, breaks);
    for (const each of breaks) this.addBreak(each);
  }

  figures(retracted: PeriodFigures['retracted'] = null, earlier: PeriodFigures['earlier'] = null): PeriodFigures {
    const rules = [...this.rules].map(([rule, { severity, open, differences }]) => ({
      rule,
      severity,
      open,
      differences: Object.fromEntries([...differences].sort(([a], [b]) => byText(a, b))),
    }));
    rules.sort((a, b) => severityRank(b.severity) - severityRank(a.severity) || byText(a.rule, b.rule));
    return {
      ...this.counts,
      retracted,
      verdicts: { ...this.verdicts },
      breaks: { ...this.breaks },
      rules,
      stake: stakeFigures(this.stake),
      currencies: [...this.currencies.values()].sort((a, b) => byText(a.currency, b.currency)),
      earlier,
    };
  }

  private addAmounts({ fiatCurrency, fiatValue, appliedFee, hostFeeCut }: NonNullable<PeriodRecord['state']>): void {
    const own = { currency: fiatCurrency, records: 1, fiatValue, appliedFee, hostFeeCut };
    addTo(this.currencies, fiatCurrency, own);
  }

  private addBreak({ state, rule, severity, difference, currency, unit }: Break): void {
    if (state === 'waived') this.breaks.waived++;
    if (!isOpen(state)) return;
    this.breaks.open++;
    const sum = entryOf(this.rules, rule, () => ({ severity, open: 0, differences: new Map() }));
    sum.open++;
    if (difference !== null && currency !== null && unit === 'money') addTo(sum.differences, currency, difference);
  }
}

/** As manifests and `period status --json` have it; nothing where it was not counted. */
export function retractedAsJson({ retracted }: Pick<PeriodFigures, 'retracted'>) {
  if (retracted === null) return {};
  return { retracted: retracted.purchase + retracted.sale, retracted_by_kind: retracted };
}

/** What the page of an open month shows. Only a close knows what its records earned in earlier months. */
export function figuresDigest(figures: PeriodFigures): string {
  return sha256Of(JSON.stringify({ ...figures, earlier: null }));
}

/** True where everything was verified, and no break is open. A record still under way earns in a later month. */
export function isClean({ verdicts, breaks }: PeriodFigures): boolean {
  return isVerified({ verdicts }) && breaks.open === 0;
}

export function isVerified({ verdicts }: Pick<PeriodFigures, 'verdicts'>): boolean {
  return verdicts.unverified + verdicts.quarantined === 0;
}

/** Figures as `JSON.stringify` wrote them, amounts as text, with their decimals again. */
export function readFigures(text: string): PeriodFigures {
  const written = JSON.parse(text) as WrittenFigures;
  return {
    ...written,
    retracted: written.retracted ?? null,
    // A month that was sealed before there was a verdict `waived` states none.
    verdicts: { ...noVerdicts(), ...written.verdicts },
    rules: written.rules.map((each) => ({
      ...each,
      differences: Object.fromEntries(
        Object.entries(each.differences).map(([currency, difference]) => [currency, Decimal.fromPrinted(difference)]),
      ),
    })),
    // A month that was sealed before money at stake was defined states none.
    stake: written.stake === undefined ? NO_STAKE : readStake(written.stake),
    currencies: written.currencies.map((each) =>
      readWritten<PeriodCurrencyFigures>(each, 'fiatValue', 'appliedFee', 'hostFeeCut'),
    ),
    earlier: readEarlier(written.earlier),
  };
}

/** Of a close or a delta. */
export function earlierOf({ figures }: Pick<MonthSet, 'figures'>): PeriodFigures['earlier'] {
  return readEarlier((JSON.parse(figures ?? '{}') as Partial<WrittenFigures>).earlier);
}

/** As `JSON.stringify` wrote them. A month that was closed before they were known was booked by the creation. */
function readEarlier(written: WrittenFigures['earlier']): PeriodFigures['earlier'] {
  const earlier = written?.map((each) =>
    readWritten<EarlierShare>(each, 'share', 'appliedFee', 'baseFee', 'networkFee'),
  );
  return earlier ?? null;
}

type WrittenRule = Omit<PeriodRuleFigures, 'differences'> & { differences: Readonly<Record<string, string>> };
type WrittenFigures = Omit<PeriodFigures, 'rules' | 'currencies' | 'stake' | 'retracted' | 'earlier'> & {
  earlier?: readonly Written<EarlierShare>[] | null;
  stake?: WrittenStake;
  retracted?: PeriodFigures['retracted'];
  rules: readonly WrittenRule[];
  currencies: readonly Written<PeriodCurrencyFigures>[];
};
