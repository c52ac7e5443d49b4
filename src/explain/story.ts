/** The whole story of one break, as data: what a person reads on a screen and a program as JSON. */

import type { Case } from '../domain/case.ts';
import { Decimal } from '../domain/decimal.ts';
import type { Instant } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { PastBreakEvent } from '../ports/store/breaks.ts';
import type { CurrentBreak, Projection, SeenBody, StatusChange, TrackedRecord } from '../ports/store/store.ts';
import type { WorkingLine } from '../rules/working.ts';
import type { ChangedTerm } from './terms-changed.ts';

/** The run in which the break was last found, and what it saw of the record. */
export interface JudgedIn
  extends Pick<Run, 'runId' | 'businessDate' | 'asOf' | 'codeVersion' | 'rulesHash'>,
    Pick<Case, 'observation' | 'tracked' | 'quote' | 'reference'> {
  /** When the methods of `reference` were fetched; null where there are none. */
  methodsCapturedAt: Instant | null;
  /** As `priceWindow` says it; null where the moment of the execution is known closely, or nothing was promised. */
  priceWindow: string | null;
}

/** Whether the stored finding comes out again from what the run stored, by the terms of that run. */
export type Recomputed =
  /** The same finding to the digit, and the written-out arithmetic comes to the same difference and tolerance. */
  | { outcome: 'agrees' }
  /** The result differs: a defect of Tieout, or another version of it. */
  | { outcome: 'differs'; apart: readonly { what: string; stored: string | null; recomputed: string | null }[] }
  /** The rule finds nothing in the stored case any more. */
  | { outcome: 'not-found' }
  /** Unknown, with the reason in words. */
  | { outcome: 'not-recomputed'; why: string };

/** What today's settings find in the same stored case. */
export interface Today {
  changed: readonly ChangedTerm[];
  /** `off`: the rule is switched off. `gone`: it would be no break. Null where nothing has changed or it is not known. */
  verdict: 'same' | 'other' | 'gone' | 'off' | null;
  /** As of the break, in its unit; null where it would be no break. */
  difference: Decimal | null;
  tolerance: Decimal | null;
}

/** What is stored of the record that a break speaks of. */
export interface RecordStory
  extends Pick<TrackedRecord, 'origin' | 'trackedAt' | 'facts'>,
    Pick<Projection, 'status' | 'statusSince' | 'lastVerifiedAt'> {
  /** As it is stored. */
  recordId: string;
  statusChanges: readonly StatusChange[];
  sightings: readonly SeenBody[];
}

/** A break with all that its page and `breaks show` print. */
export interface BreakStory {
  standing: CurrentBreak;
  /** Null for a rule that this version does not have. */
  rule: { title: string; why: string } | null;
  action: string;
  settledBy: string;
  /** Null where the record is not tracked any more. */
  record: RecordStory | null;
  /** Null where the run, or its record, is not stored any more. */
  judgedIn: JudgedIn | null;
  /** The judged body; null where there was none. */
  state: RecordState | null;
  /** Empty where the case gives nothing to work with. */
  workings: readonly WorkingLine[];
  recomputed: Recomputed;
  today: Today;
  events: readonly PastBreakEvent[];
}

/** As `Decimal` prints itself. */
const FIGURE = /^-?\d+(?:\.\d+)?$/;

/** Both sides as numbers; null where they are texts: a status, an address, a method, which have no difference. */
export function sidesOf({ expected, actual, difference }: CurrentBreak): Record<'expected' | 'actual', Decimal | null> {
  const read = (value: string | null) =>
    value === null || difference === null || !FIGURE.test(value) ? null : Decimal.fromPrinted(value);
  return { expected: read(expected), actual: read(actual) };
}
