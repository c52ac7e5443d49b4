/** A replay judges a stored run again, offline: the same records in the same order give the same bytes. */
import type { ReportSink } from '../ports/report-set.ts';
import type { Tally } from '../ports/settled.ts';
import type { JudgedParts } from './judged-parts.ts';
import { emptyTally } from './tally.ts';

/** Sends no request and writes nothing to the store; rows go to the sink. */
export async function replay(parts: JudgedParts, sink: ReportSink): Promise<Tally> {
  const tally = emptyTally();
  for await (const part of parts) {
    part.addTo(tally);
    part.writeTo(sink);
  }
  return tally;
}
