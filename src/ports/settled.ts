/** The output of the main line for reports and summaries: one settled record at a time. */
import type { Break, BreakEvent } from '../domain/break.ts';
import type { Case, CaseFigures } from '../domain/case.ts';
import type { Decimal } from '../domain/decimal.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { Finding, Severity, Verdict } from '../domain/finding.ts';
import type { LineDifference, Payout } from '../domain/payout.ts';
import type { BusinessDate } from '../domain/record.ts';
import type { RecordMonths } from '../domain/record-months.ts';
import type { Run } from '../domain/run.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { StakeSums } from '../domain/stake-tally.ts';
import type { FileOpener, ReportDefinition } from './report-definition.ts';
import type { StatusChange } from './store/store.ts';

/** The fields of a run in every row of a report set. */
export type RunFacts = Pick<Run, 'runId' | 'businessDate' | 'timezone'>;

/** A record after judging and settling. */
export interface SettledRecord extends Case, CaseFigures, RecordMonths {
  run: RunFacts;
  attempts: number;
  /** The body's fields, where the record was verified. */
  state: RecordState | null;
  findings: readonly Finding[];
  /** Codes of rules that had nothing to compare with. */
  notApplicable: readonly string[];
  /** Of those, `CODE: reason` where the rule gave one; absent for none. */
  notJudged?: readonly string[];
  verdict: Verdict;
  /** The record's unresolved breaks after this run (waived ones included), and those that it resolved. */
  breaks: readonly Break[];
  /** How many of them are open. */
  openBreaks: number;
  events: readonly BreakEvent[];
  statusChanges: readonly StatusChange[];
}

/** An unresolved break of a record outside the run. */
export type OutsideBreak = Break & {
  hostReference: string | null;
  run: RunFacts;
  /** Due date of the month's payment, if the break is about a month of the run. */
  dueDate?: BusinessDate | undefined;
};

/** A payment with what it settles. */
export interface SettledPayout extends Payout {
  /** The month that it pays, or `2026-09/2026-11`; null where that is unknown. */
  month: string | null;
  /** What of the revenue it pays; null where it is unexplained. */
  matched: { currency: string; amount: Decimal } | null;
  /** Paid − owed of those of its months whose last payment it is, in the currency of `matched`; null where it is that of none. */
  difference: Decimal | null;
  /** `other`: it settles no revenue. */
  state: 'matched' | 'part' | 'differs' | 'unexplained' | 'other';
  /** What the rates of the items leave of it, in the currency of `matched`; null where none was needed. */
  exchange: Decimal | null;
  /** Of one that no open items were chosen for: how many choices of them come to it. Absent for none. */
  choices?: number;
  /** By month, oldest first; each with its rate (units of the payment's currency for one of the item's), null where both are the same. */
  allocations: readonly {
    month: string;
    currency: string;
    amount: Decimal;
    rate: { value: Decimal; source: string } | null;
  }[];
}

/** What was earned in a month, in one currency, and what is owed for it; null is unknown. */
export interface RevenueLeg {
  month: string;
  currency: string;
  /** What was earned in it less what was taken back in it. */
  accrued: Decimal | null;
  /** With clawbacks, which are below zero, and without what is exchange. */
  paid: Decimal | null;
  /** What the books have for the month (`evidence.payouts.posted`). */
  posted: Decimal | null;
  /** What is to be paid for it: its own revenue, what earlier months carried forward, and the clawback. */
  owed: Decimal;
  /**
   * What the partner took back of revenue that stands in the records (below zero), or had taken back before the records said so
   * (above zero); zero where records and payments say the same.
   */
  clawback: Decimal;
  /** Below the least payout, so that it is paid with a later month; null otherwise. */
  carriedForward: Decimal | null;
  /** The last day on which a payment is in time. */
  dueDate: string;
  finding: 'PAYOUT_MISSING' | 'PAYOUT_DIFFERS' | null;
  /** Nothing came for it, and it is decided: it is due, or was carried into a month that is due or paid. */
  isUnpaid: boolean;
  /** The largest difference that agrees. */
  tolerance: Decimal;
}

/** With the months before it. Opening + earned − paid + clawback + exchange = closing. */
export interface SettledMonth extends RevenueLeg {
  /** Who pays. */
  partner: string;
  /** To the minor unit, of which opening, closing and ages are sums. `paid`: with what is exchange; null for nothing. */
  sheet: { earned: Decimal | null; paid: Decimal | null; clawback: Decimal; exchange: Decimal };
  /** What earlier months have left open; below zero, they were paid too much. */
  opening: Decimal;
  /** What is open after this month: carried, owed or missing. */
  closing: Decimal;
  /** Of `closing`: 0–30, 31–60, 61–90 days since the end of the month, older. */
  aged: readonly [Decimal, Decimal, Decimal, Decimal];
  /** Differences up to this are listed, and low. */
  materiality: Decimal;
  /** Released records whose share is unknown, and what it would be by the method's rate. */
  unknown: number;
  estimated: Decimal | null;
  /** The differences of its lines that have no reason; empty without lines. */
  breaking: readonly LineDifference[];
  /** Whether what those differ by is open: payments do not say how much of it is. */
  isOpenByLines: boolean;
}

/** The host's revenue as of a night. */
export interface SettledRevenue {
  run: RunFacts;
  payouts: readonly SettledPayout[];
  months: readonly SettledMonth[];
  lines: readonly LineDifference[];
}

/** What a run says of a subject that is no record. */
export interface SubjectFindings {
  recordId: string;
  findings: readonly Finding[];
  /** Also where nothing was found: its breaks resolve. */
  verified?: boolean;
  evidenceSha256?: string | null;
  currency?: string | null;
}

/** One page of a run's records in report order, judged and settled. */
export interface JudgedPage {
  records: readonly (SettledRecord & { recordKey: number })[];
  /** Unresolved breaks of records outside the run, up to this page's last record; in report order. */
  outside: readonly OutsideBreak[];
  /** What became of the breaks of the run itself, on the page that has them among `outside`. */
  about?: { breaks: readonly Break[]; events: readonly BreakEvent[] };
  /** On the first page of a night with payments. */
  revenue?: SettledRevenue;
}

/** Counts of one run, for people, exit codes and the manifest. */
export interface Tally {
  population: number;
  verdicts: Record<Verdict, number>;
  /** Due records without an answer: the reason for exit code 3. A 404 or 403 is an answer. */
  notReached: number;
  /** The same by reason. */
  notReachedBecause: Map<string, number>;
  deferred: number;
  breaks: {
    /** Open at the end, on records of this run and others. */
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
  /** Of those, by `CODE: reason`. */
  notJudged: Map<string, number>;
  /** Records with at least one of them. */
  recordsNotJudged: number;
  /** How many verified bodies lack a field that the specification has, by path. */
  lacking: Map<string, number>;
  /** Expected deliveries and their outcomes, by the chain that the record names (empty where it names none). */
  deliveries: Map<string, Record<Delivery['outcome'], number>>;
  /** Statuses first learned by polling although a webhook should have reported them. */
  learnedByFetch: number;
  /** Of those, statuses for which the Service sends a webhook, which never arrived. */
  webhooksMissed: number;
  /** Matched records without a quote: judged by published bounds and their own arithmetic. */
  matchedWithoutQuote: number;
  /** Purchases that were never paid and should have expired. */
  abandoned: number;
  /** Records of closed months that differ from their last statement; absent where no month was ever closed. */
  priorPeriod?: number;
}

/** A report while it is written: it takes settled records and writes rows into its file. */
export interface Report {
  readonly definition: ReportDefinition<never>;
  /** A fresh start for one run, with the file opened. */
  start(run: RunFacts, opener: FileOpener): ReportFeed;
}

/** Takes what a report needs, in report order. */
export interface ReportFeed {
  /** Records come in report order (kind, record id). */
  record(record: SettledRecord): void;
  /** Breaks of records outside the run, in order between the records. */
  outside(each: OutsideBreak): void;
  revenue?(known: SettledRevenue): void;
  /** The sums so far of a report that adds up, in a form that crosses between threads; null for the others. */
  partial(): unknown;
  /** Adds the sums of a range that another thread judged. */
  absorb(partial: unknown): void;
  end(): void;
  /** Sentences for the manifest: what a plugin's report leaves out, and why. */
  problems?(): readonly string[];
}

/** How the main line ended. */
export type Reconciled =
  /** `folder` is empty for a run that publishes nothing. */
  | { outcome: 'published'; run: Run; tally: Tally; folder: string }
  /** Stopped by a signal: all answers are saved, nothing is published. */
  | { outcome: 'stopped'; run: Run };

/** The outcomes of the records that were created without a quote. */
export interface QuotesCaptured {
  /** Quotes stored. */
  captured: number;
  /** Records that have a quote already: linked, or captured by the application. */
  present: number;
  /** The Service gave no quote for these. */
  refused: number;
  /** Skipped because they were created too long ago. */
  expired: number;
  /** Not requested: no request may be sent at present, or the job was stopped. */
  waiting: number;
}

/** Counts of a run's answers by their meaning for the Service's state; those of several workers can be added. */
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
