/** The full history of single records. */

import type { Direction, Instant, Kind, Origin } from '../../domain/record.ts';
import type { Run } from '../../domain/run.ts';
import type { StatusChange, StoredCase } from './items.ts';

/** One distinct body of a record. */
export interface SeenBody {
  /** SHA-256 of the bytes received. */
  sha256: string;
  /** SHA-256 of the text that is kept, with tokens cut out; null for a body that an older version stored. */
  redactedSha256: string | null;
  at: Instant;
  origin: Origin;
  httpStatus: number | null;
  /** The body's own value; null where it has none or could not be read. */
  status: string | null;
  /** `text`: can be printed. `sealed`: unreadable, kept for auditors only. `forgotten`: deleted after its retention. */
  kept: 'text' | 'sealed' | 'forgotten';
}

/** The full history of one record, which pages of cases and reports never need. */
export interface HistoryStore {
  /** The record's case as a run judged it; null where it was not in the run. Watermarks must be set. */
  caseOf(run: Run, kind: Kind, recordId: string): Promise<StoredCase | null>;
  /** Every status change of the record, oldest first, of all runs. */
  statusChanges(kind: Kind, recordId: string): Promise<readonly StatusChange[]>;
  /** Time at which the payment methods in force at an instant were captured; null for none. */
  methodsCapturedAt(direction: Direction, at: Instant, watermark: number): Promise<Instant | null>;
  /** Every received body of which figures or text are still stored, oldest first. */
  sightings(kind: Kind, recordId: string): Promise<readonly SeenBody[]>;
  /** Records with a body of which either hash begins so. @param prefix at least six hexadecimal digits */
  recordsWith(prefix: string): Promise<readonly { kind: Kind; recordId: string }[]>;
}
