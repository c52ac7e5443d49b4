/** What the main line hands on: one settled record at a time, to reports and summaries. */
import type { Break, BreakEvent } from '../domain/break.ts';
import type { Case } from '../domain/case.ts';
import type { Decimal } from '../domain/decimal.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { FeeComparison } from '../domain/fees.ts';
import type { Finding, Severity, Verdict } from '../domain/finding.ts';
import type { Payout } from '../domain/payout.ts';
import type { ContractPrice } from '../domain/price-list.ts';
import type { BusinessDate } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { StakeSums } from '../domain/stake-tally.ts';
import type { FileOpener, ReportDefinition } from './report-definition.ts';
import type { StatusChange } from './store/store.ts';

/** What every row of a report set says of its run. */
export interface RunFacts {
  runId: string;
  businessDate: BusinessDate;
  timezone: string;
}

/** A record after judging and settling. */
export interface SettledRecord extends Case {
  run: RunFacts;
  attempts: number;
  /** The body's fields, where the record was verified. */
  state: RecordState | null;
  fees: FeeComparison | null;
  /** The delivery compared with its chain; null where none is expected or no chain is configured. */
  expectation: Delivery | null;
  /** What the price list allows; null where none is configured or it has no price for the record. */
  price: ContractPrice | null;
  findings: readonly Finding[];
  /** Codes of rules that had nothing to compare with. */
  notApplicable: readonly string[];
  verdict: Verdict;
  /** The record's breaks that still stand after tonight (waived ones included), and those resolved tonight. */
  breaks: readonly Break[];
  /** How many of them are open. */
  openBreaks: number;
  events: readonly BreakEvent[];
  statusChanges: readonly StatusChange[];
}

/** A break that stands on a record which was not looked at tonight. */
export type OutsideBreak = Break & {
  hostReference: string | null;
  run: RunFacts;
  /** By when the month was to be paid, where the break is about one that the night knows. */
  dueDate?: BusinessDate;
};

/** A payment with the month that it pays. */
export interface SettledPayout extends Payout {
  month: string | null;
  matched: { currency: string; amount: Decimal } | null;
  /** Paid − owed of its month, on the last payment of the month alone. */
  difference: Decimal | null;
  state: string;
}

/** A month of the host's revenue in one currency; null is unknown. */
export interface SettledLeg {
  month: string;
  currency: string;
  accrued: Decimal | null;
  paid: Decimal | null;
  posted: Decimal | null;
  carriedForward: Decimal | null;
  dueDate: string;
  finding: string | null;
}

/** What a night knew of the host's revenue. */
export interface SettledRevenue {
  run: RunFacts;
  payouts: readonly SettledPayout[];
  legs: readonly SettledLeg[];
}

/** One page of a run's records in report order, judged and settled. */
export interface JudgedPage {
  records: readonly (SettledRecord & { recordKey: number })[];
  /** Breaks standing on records outside the run, up to this page's last record; in report order. */
  outside: readonly OutsideBreak[];
  /** In the first page of a night that knew of payments. */
  revenue?: SettledRevenue;
}

/** Counts of one run, for people, exit codes and the manifest. */
export interface Tally {
  population: number;
  verdicts: Record<Verdict, number>;
  /** Due records that nothing was learned of: the reason for exit code 3. A 404 or 403 is not among them. */
  notReached: number;
  deferred: number;
  breaks: {
    /** Standing open at the end, on records of this run and elsewhere. */
    open: number;
    opened: number;
    reopened: number;
    resolved: number;
    waived: number;
  };
  /** Money at stake and records at risk, on records of this run and elsewhere. */
  stake: StakeSums;
  /** Open breaks per rule, with those opened or reopened tonight, on records of this run. */
  rules: Map<string, { severity: Severity; open: number; fresh: number }>;
  /** Findings of severity info per rule; they open no break. */
  infos: Map<string, number>;
  notApplicable: Map<string, number>;
  /**
   * Expected deliveries and their outcomes, by the chain that the record names (empty where it names none); absent
   * where none is expected.
   */
  deliveries?: Map<string, Record<Delivery['outcome'], number>>;
  /** Statuses first learned by polling where a webhook should have said so. */
  learnedByFetch: number;
  /** Of those, statuses that the Service has a webhook for, which never came. */
  webhooksMissed?: number;
  /** Records of closed months that are no longer as they were stated; absent where no month was ever closed. */
  priorPeriod?: number;
}

/** A report, as those who write it see it: it takes settled records and puts rows into its file. */
export interface Report {
  readonly definition: ReportDefinition<never>;
  /** A fresh start for one run, with the file opened. */
  start(run: RunFacts, opener: FileOpener): ReportFeed;
}

export interface ReportFeed {
  /** Records come in report order (kind, record id). */
  record(record: SettledRecord): void;
  /** Breaks on records that were not looked at tonight, in order between the records. */
  outside(each: OutsideBreak): void;
  revenue?(known: SettledRevenue): void;
  /** The sums so far of a report that adds up, in a form that crosses between threads; null for the others. */
  partial(): unknown;
  /** Adds the sums of a range that another thread went through. */
  absorb(partial: unknown): void;
  end(): void;
}

/** How the main line ended. */
export type Reconciled =
  /** `folder` is empty for a run that publishes nothing. */
  | { outcome: 'published'; run: Run; tally: Tally; folder: string }
  /** Stopped by a signal: everything learned is saved, nothing is published. */
  | { outcome: 'stopped'; run: Run };

/** The outcomes of the records that were created without a quote. */
export interface QuotesCaptured {
  /** Quotes stored. */
  captured: number;
  /** Records that have a quote already: linked, or captured by the application. */
  present: number;
  /** The Service gave no quote for these. */
  refused: number;
  /** Created too long ago by the time it was their turn. */
  expired: number;
  /** Not asked for: the Service may not be asked at present, or the job was stopped. */
  waiting: number;
}

/** Counts of a run's answers by what they say about the Service; those of several workers can be added. */
export interface AnswerFigures {
  readable: number;
  denied: number;
  mismatched: number;
  unanswered: number;
  /** Of the unanswered ones: no connection, or a server that does not know the paths of the Service. */
  absent: number;
  /** 404 or 410: the server knows no such record. */
  missing: number;
  other: number;
  /** Readable purchases: their identifiers have the configured maker's name. */
  named: number;
  /** Purchases that cannot be read since their identifiers have another maker's name, and the last such name. */
  misnamed: number;
  otherName: string;
  lastProblem: string;
}
