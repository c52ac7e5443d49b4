/** Gathers the story of one record, matched or not: what is known of it, and its case as the newest run judged it. Reads only. */
import type { Kind } from '../domain/record.ts';
import { type Run, withWatermarks } from '../domain/run.ts';
import type { RunStore } from '../ports/store/store.ts';
import { thawTerms } from '../rules/terms.ts';
import { judgedIn, methodsFetched, recordStory, type StoryStore } from './explain-break.ts';
import type { BuildCases } from './recompute.ts';
import type { BreakStory, RecordStory } from './story.ts';

export interface KnownRecordStory extends Pick<BreakStory, 'judgedIn' | 'state'> {
  kind: Kind;
  recordId: string;
  record: RecordStory;
}

export type RecordStore = Omit<StoryStore, 'breaks'> & { runs: Pick<RunStore, 'list'> };

/** Nights after nights verify a clean record no more: its newest run may lie weeks back. */
const MOST_RUNS = 60;

/** Null for a record that is not tracked. */
export async function explainRecord(
  kind: Kind,
  asked: string,
  store: RecordStore,
  buildCases: BuildCases,
): Promise<KnownRecordStory | null> {
  const record = await recordStory(kind, asked, store);
  if (record === null) return null;
  const { recordId } = record;
  for (const run of await store.runs.list({ limit: MOST_RUNS })) {
    const found = await judgedBy(run, kind, recordId, store, buildCases);
    if (found !== null) return { kind, recordId, record, ...found };
  }
  return { kind, recordId, record, judgedIn: null, state: null };
}

async function judgedBy(run: Run, kind: Kind, recordId: string, store: RecordStore, buildCases: BuildCases) {
  if (run.watermarks === null) return null;
  const stored = await store.history.caseOf(run, kind, recordId);
  if (stored === null || stored === 'archived' || stored.observation.outcome !== 'verified') return null;
  const [subject] = await buildCases([stored], withWatermarks(run), thawTerms(run.terms));
  if (subject === undefined) return null;
  const methods = await methodsFetched(subject, run.watermarks.reference, store);
  return { judgedIn: judgedIn(run, subject, methods), state: stored.observation.snapshot.state };
}
