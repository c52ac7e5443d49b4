/** The parts of a page's view. Views give the content; the page decides the layout. */
import type { Decimal } from '../domain/decimal.ts';
import type { Verdict } from '../domain/finding.ts';
import type { Kind } from '../domain/record.ts';
import type { Reporting } from '../domain/reporting.ts';
import type { StakeFigures } from '../domain/stake-tally.ts';

/**
 * The facts of its set that a workbook or a page shows; the manifest's keys of the same names. Instants are ISO 8601
 * UTC.
 */
export interface SetFacts {
  run_id: string;
  job: string;
  business_date: string;
  /** 1, 2, … */
  revision: number;
  /** The run that this one replaces. */
  supersedes: string | null;
  status: 'complete' | 'incomplete';
  timezone: string;
  started_at: string;
  finished_at: string;
  population: number;
  verdicts: Record<Verdict, number>;
  requests_sent: number;
  /** Rule code → severity in force, or `off`, and the hash of all of them. */
  rule_set: { rules: Record<string, string>; sha256: string };
  code_version: string;
  /** Lines of each configured source; absent for a set that is not of a run. */
  sources?: readonly { name: string; read: number; accepted: number; rejected: number; failed: number }[];
  /** Tracked records that people took out of the population. */
  retracted?: number;
  retracted_by_kind?: Readonly<Record<Kind, number>>;
  /** Matched records without a quote, and the sentence about them; absent where there are none. */
  matched_without_quote?: number;
  without_quote?: string;
  /** What could not be judged, and the fields that bodies lack; absent where there is nothing of the kind. */
  without_data?: readonly string[];
  /** Why the set is incomplete, in words. */
  incomplete_because?: readonly string[];
}

/** A value of a table: unknown is null, and is shown as such. */
export type Shown =
  | string
  | null
  | { count: number }
  /** Shown to the currency's places, with every digit kept in the page. */
  | { amount: Decimal; currency: string }
  /** Already in percent. `places` are the digits shown. */
  | { percent: Decimal; places: number }
  /** A code or an id, to be copied as it is. */
  | { code: string }
  /** A word with a colour of its own: a severity, a verdict. */
  | { badge: string; tone: Tone };

/** Cells are text, and escaped where they are printed. */
export interface Table {
  /** One line about its content; screen readers read it before the table. */
  caption: string;
  columns: readonly { title: string; align?: 'right' }[];
  /** The first cell names the row. */
  rows: readonly (readonly Shown[])[];
}

/** What a mark means; the page has a colour for each, in light and in dark. */
export type Tone =
  | 'good'
  | 'waiting'
  | 'bad'
  | 'unknown'
  | 'odd'
  | 'waived'
  | 'critical'
  | 'high'
  | 'medium'
  | 'low'
  | 'age1'
  | 'age2'
  | 'age3'
  | 'age4'
  | 'age5'
  | 'one'
  | 'two'
  | 'three'
  | 'four'
  | 'five';

export const VERDICT_TONES: Readonly<Record<Verdict, Tone>> = {
  matched: 'good',
  pending: 'waiting',
  break: 'bad',
  unverified: 'unknown',
  quarantined: 'odd',
  waived: 'waived',
};

/** For drawing only, so binary floating point is allowed. Null leaves a gap. */
export type Drawn = number | Decimal | null;

/** A picture of a table that stands beside it: what a chart shows can be read as text too. */
export type Chart =
  /** Horizontal bars, each made of parts. */
  | { type: 'stacked'; unit: string; categories: readonly string[]; series: readonly Series[] }
  /** Vertical bars. */
  | { type: 'columns'; unit: string; categories: readonly string[]; tones: readonly Tone[]; values: readonly Drawn[] }
  | { type: 'lines'; unit: string; categories: readonly string[]; series: readonly Series[] }
  /** The range of most values of a group (low, middle, high), against the published band. */
  | { type: 'ranges'; unit: string; groups: readonly RangeGroup[] };

export interface Series {
  name: string;
  tone: Tone;
  values: readonly Drawn[];
}

export interface RangeGroup {
  name: string;
  low: Drawn;
  middle: Drawn;
  high: Drawn;
  band: { low: Drawn; high: Drawn } | null;
}

/** A chart with its table, which has the same figures for readers who cannot see the chart. */
export interface Figure {
  title: string;
  /** Null where there is too little to draw. */
  chart: Chart | null;
  table: Table;
  note?: string;
}

/** One heading of the page, with what stands below it. */
export interface Section {
  /** In the page's address: `#breaks`. */
  id: string;
  title: string;
  /** What the figures say, in one or two sentences with the numbers in them. */
  lead: string;
  figures: readonly Figure[];
}

/** The manifest of this run, or of an earlier one of the same job. Oldest first. */
export interface PastRun {
  runId: string;
  businessDate: string;
  population: number;
  verdicts: SetFacts['verdicts'];
  /** Null where the manifest lacks it. */
  openBreaks: number | null;
  /** Per currency, over compared records: the quoted fees, and the difference of the applied fees from them. */
  fees: ReadonlyMap<string, { quoted: Decimal; variance: Decimal }>;
}

/** What a set adds up to, with exact amounts; its manifest has the same as text. */
export interface SetFigures {
  /** Changes of the work list; null where the run has none. */
  breaks: { open: number; opened: number; reopened: number; resolved: number; waived: number } | null;
  /** Money at stake per currency, and waived money by person; null where the set does not say. */
  stake: StakeFigures | null;
  /** The reporting currency with its rates; null where the set has none. */
  reporting: Reporting | null;
}

/** What a view knows before it is fed. */
export interface ViewFacts extends SetFigures {
  set: SetFacts;
  /** Rule code → the next action on such a break. */
  actions: ReadonlyMap<string, string>;
  /** This run is the last of them. */
  history: readonly PastRun[];
}

/** The cell of a row in a column; empty is unknown. @throws Error for a column that the table lacks */
export type CellOf = (column: string) => string;

/** Receives the rows of the tables that it names, and keeps only the figures that it shows. */
export interface ViewFeed {
  /** By the report's name, such as `fees`: takes each row of its table. */
  rows: Readonly<Record<string, (cell: CellOf) => void>>;
  /** It shows the rows themselves, and adds nothing up: each foots as it is printed. */
  printsRows?: true;
  /** After all rows. */
  sections(): Section | readonly Section[];
}

/** A part of the report page: fed the rows of a set once, it gives a section. */
export interface View {
  name: string;
  start(facts: ViewFacts): ViewFeed;
}
