/** Results of a close: figures of the month, and later changes of it. */
import type { Decimal } from '../domain/decimal.ts';
import type { Severity, Verdict } from '../domain/finding.ts';
import type { BusinessDate, Instant, Kind, RecordPosition } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { StakeFigures } from '../domain/stake-tally.ts';

/** Counts and totals of a month. Amounts are exact sums of what is known, per currency; null where nothing is. */
export interface PeriodFigures {
  population: number;
  verdicts: Record<Verdict, number>;
  /** Of the unverified: deferred by the last run that included it. */
  deferred: number;
  /** Of the unverified: requested without success by the last run that included it. */
  unreachable: number;
  /** Of the unverified: no run ever read them. */
  neverVerified: number;
  /** Of the unverified: in no run so far. */
  neverLookedAt: number;
  /**
   * Records whose creation date from the Service is unknown, cannot be true or is of another month: dated by the
   * application, or by their tracking.
   */
  datedByTold: number;
  datedByTracking: number;
  /** Records of the month that people took out of the population; null in a month that was sealed before this was counted. */
  retracted: Readonly<Record<Kind, number>> | null;
  breaks: { open: number; waived: number };
  /** Open breaks by rule, the most severe first. */
  rules: readonly PeriodRuleFigures[];
  /** Money at stake per currency, once per record, and waived money by person. */
  stake: StakeFigures;
  currencies: readonly PeriodCurrencyFigures[];
  /** What the month earned of records created before it; null where it is booked by the month of the creation. */
  earlier: readonly EarlierShare[] | null;
}

/** A share that a month earned, or that was taken back in it, of a record that belongs to an earlier month. */
export interface EarlierShare
  extends Pick<RecordState, 'kind' | 'recordId' | 'fiatCurrency' | 'appliedFee' | 'baseFee' | 'networkFee'> {
  /** −1 where it was taken back. */
  sign: 1 | -1;
  /** Null where it is unknown. */
  share: Decimal | null;
  source: 'record' | 'quote' | null;
}

/** The open breaks of a month that one rule opened. */
export interface PeriodRuleFigures {
  rule: string;
  severity: Severity;
  open: number;
  /** Currency → sum of the differences that are money. */
  differences: Readonly<Record<string, Decimal>>;
}

/** Sums of a month in one currency; currencies are never added. */
export interface PeriodCurrencyFigures {
  currency: string;
  records: number;
  /** Sums over the records of the month, each of those that state the figure; null where none does. */
  fiatValue: Decimal | null;
  appliedFee: Decimal | null;
  hostFeeCut: Decimal | null;
}

/** One change since the last statement about a closed month. */
export interface PeriodChange extends RecordPosition {
  hostReference: string | null;
  /** The month that the record belongs to: `2026-10`. */
  period: string;
  /** `record`: it came into the month late, or left it. */
  change: 'field' | 'break' | 'verdict' | 'record';
  /** The field, `RULE` or `RULE field`, `verdict`, `added` or `moved`. */
  item: string;
  /** The last stated value; null where it is unknown or absent. */
  before: string | null;
  after: string | null;
  /** after − before where both are numbers; the whole amount for a record that came or left. */
  difference: Decimal | null;
  currency: string | null;
  /** Business date of the run that first saw the change; null without one. */
  firstSeenDate: BusinessDate | null;
  explanation: string;
}

/** A number of breaks and their money at stake. */
export interface BreakAmount {
  count: number;
  /** At stake, in the currency of its row; plus is the user's loss. */
  money: Decimal;
}

/** How the open breaks of a month came about, by code and currency. */
export interface MovementRow {
  rule: string;
  /** Null where the record was never read. */
  currency: string | null;
  /** As the close before left it. */
  opening: BreakAmount;
  /** Opened or came back; the money also has by how much standing ones have grown or shrunk. */
  fresh: BreakAmount;
  resolved: BreakAmount;
  waived: BreakAmount;
  closing: BreakAmount;
}

/** Who stated, accepted or reviewed what. */
export interface SignOff {
  what: string;
  by: string | null;
  at: Instant | null;
  /** A reason, a folder. */
  detail: string | null;
  manifestSha256: string | null;
}

/** A record that keeps its month from being clean. */
export interface NamedRecord extends RecordPosition {
  hostReference: string | null;
  verdict: Verdict;
  /** `never looked at`, how the last look ended, or the codes of the open breaks. */
  why: string;
  lastLookRun: string | null;
}

/** A step from the host share of all records to what the month books. */
export interface BridgeStep {
  currency: string;
  step: string;
  records: number | null;
  /** Null where no record states a share. */
  amount: Decimal | null;
  /** What the steps have come to before and after it; null of a part of another step, and before a sum. */
  totals: { before: Decimal | null; after: Decimal | null };
  explanation: string;
}
