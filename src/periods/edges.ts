/** What closing, reviewing and restating a month use of the world; composed in `src/app/periods.ts`. */
import type { Instant } from '../domain/record.ts';
import type { PeriodChange } from '../ports/period.ts';
import type { PublishingRight } from '../ports/publishing.ts';
import type { ReportDefinition } from '../ports/report-definition.ts';
import type { Report, SettledRevenue } from '../ports/settled.ts';
import type { MonthSet, NewMonthSet, PeriodStore } from '../ports/store/periods.ts';
import type { BreakStore, Fence } from '../ports/store/store.ts';
import type { SetDocument } from '../publish/documents.ts';
import type { PublicKey } from '../publish/keys.ts';
import type { PublicationSettings } from '../publish/publication.ts';
import type { Signer } from '../publish/sign.ts';
import type { Lookups } from '../reconcile/build-cases.ts';

/** The mark of a run that knows of the host's revenue. */
interface RevenueMark {
  evidence: { revenue: boolean };
}

export interface MonthStore extends Lookups {
  periods: PeriodStore;
  breaks: Pick<BreakStore, 'standing' | 'statusOn'>;
}

export interface PeriodEdges {
  store: MonthStore;
  now: () => Instant;
  /** The business time zone as configured today; a closed month keeps the one that it was closed in. */
  timezone: string;
  /** One process at a time closes months or states deltas. @throws LockHeldError */
  lock: () => Promise<AsyncDisposable & { readonly fence: Fence }>;
  /** The terms in force, frozen into each statement. */
  frame: () => Pick<NewMonthSet, 'terms' | 'rulesHash' | 'configHash' | 'codeVersion'>;
  /** Reads the key file anew; null where sets are not signed. @throws ManifestKeyError */
  readSigner: () => Signer | null;
  /** Public keys for the signatures of sealed sets. @throws ManifestKeyError */
  verifyKeys: () => readonly PublicKey[];
  publication: Omit<PublicationSettings, 'signer' | 'right'>;
  /** The workbook and the page of a set, where they are asked for. @throws UsageError without their package */
  documents: () => Promise<readonly SetDocument[]>;
  /** The ledger's agreement to the set of a statement. */
  right: (statementKey: number, fence: Fence) => Promise<PublishingRight>;
  /** Whether months are booked by the release of their records (`books.revenueMonth`); a closed one as it was closed. */
  byRelease: boolean;
  /** The host's revenue of the month as its nights knew it; null where they knew of no payments. */
  revenue: (statement: MonthSet) => Promise<Omit<SettledRevenue, 'run'> | null>;
  reports: {
    /** Those of a run with these terms, in the order of a set. */
    ofRun: (run: Pick<MonthSet, 'terms'> & { watermarks: RevenueMark }) => readonly Report[];
    /** The table of a delta. */
    changes: ReportDefinition<PeriodChange>;
    /** The table of a close: findings on earlier months. */
    priorPeriod: ReportDefinition<PeriodChange>;
  };
}
