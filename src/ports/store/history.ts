/** History: everything ever seen of one record. */

import type { Direction, Instant, Kind, Origin } from '../../domain/record.ts';
import type { Run } from '../../domain/run.ts';
import type { StatusChange, StoredCase } from './items.ts';

/** One body that came in for a record, however often the same one came. */
export interface Sighting {
  /** SHA-256 of the bytes received. */
  sha256: string;
  at: Instant;
  origin: Origin;
  httpStatus: number | null;
  /** As the body has it; null where it has none or could not be read. */
  status: string | null;
  /** `text`: can be printed. `sealed`: could not be read, so it is kept for auditors only. `forgotten`: past retention. */
  kept: 'text' | 'sealed' | 'forgotten';
}

/** The story of one record: what a page of cases or of reports never needs. */
export interface HistoryStore {
  /** The record's case as a run judged it; null where it was not in the run. Watermarks must be set. */
  caseOf(run: Run, kind: Kind, recordId: string): Promise<StoredCase | null>;
  /** Every change of status ever learned, oldest first, whichever run reported it. */
  statusChanges(kind: Kind, recordId: string): Promise<readonly StatusChange[]>;
  /** When the methods that held at a time were captured: what `reference.asOf` answers has no room for it. Null for none. */
  methodsCapturedAt(direction: Direction, at: Instant, watermark: number): Promise<Instant | null>;
  /** Every body ever received, oldest first. */
  sightings(kind: Kind, recordId: string): Promise<readonly Sighting[]>;
}
