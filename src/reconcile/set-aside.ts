/**
 * Quarantines a record that cannot be built, judged or printed under its name, so that the others of the night are
 * still judged. Errors of Tieout itself and of the system concern the whole run and are thrown on.
 */
import { NOTHING_KNOWN, type Observation } from '../domain/case.ts';
import { NOTHING_SEEN } from '../domain/delivery.ts';
import { TieoutError } from '../domain/errors.ts';
import { RecordNotPrintedError } from '../ports/report-set.ts';
import type { SettledRecord } from '../ports/settled.ts';
import type { StoredCase } from '../ports/store/store.ts';
import { type BuiltCase, buildCases, type Lookups } from './build-cases.ts';
import type { ThawedRun } from './run-book.ts';

type RecordLooked = Pick<StoredCase, 'recordKey' | 'kind' | 'recordId' | 'attempts' | 'observation'>;

/** Prints a record to nowhere. @throws RecordNotPrintedError */
export type TryPrinting = (record: SettledRecord) => void;

/** True for an error that only the data of one record, or a defect of the program, can have caused. */
function isAboutData(error: unknown): error is Error {
  if (error instanceof RecordNotPrintedError) return true;
  return error instanceof Error && !(error instanceof TieoutError) && !('code' in error);
}

/** One by one where a page fails, so that the rows of one record do not keep the others from being judged. */
export async function buildEach(
  stored: readonly StoredCase[],
  { run, terms }: Pick<ThawedRun, 'run' | 'terms'>,
  store: Lookups,
): Promise<readonly BuiltCase[]> {
  try {
    return await buildCases(stored, run, terms, store);
  } catch (error) {
    if (!isAboutData(error)) throw error;
    if (stored.length === 1) return stored.map((each) => setAside(bare(each), error));
    const built: BuiltCase[] = [];
    for (const each of stored) built.push(...(await buildEach([each], { run, terms }, store)));
    return built;
  }
}

/**
 * The record judged as it is; where that or printing it fails, as quarantined; where that fails too, without anything that
 * was read from rows beside its own. @throws RecordNotPrintedError
 */
export function judgeOrSetAside<T extends SettledRecord>(
  built: BuiltCase,
  tryPrinting: TryPrinting | null,
  judgeOne: (built: BuiltCase) => T,
): T {
  let failed = NOT_TRIED;
  for (const attempt of ATTEMPTS) {
    try {
      const judged = judgeOne(attempt(built, failed));
      tryPrinting?.(judged);
      return judged;
    } catch (error) {
      if (!isAboutData(error)) throw error;
      failed = error;
    }
  }
  throw new RecordNotPrintedError(built, failed);
}

/** Shared, because an error takes a stack trace when it is made: one for each record took a thirteenth of a replay. */
const NOT_TRIED = new Error('not tried');

const ATTEMPTS: readonly ((built: BuiltCase, failed: Error) => BuiltCase)[] = [
  (built) => built,
  withoutSighting,
  setAside,
  (built, failed) => bare(setAside(built, failed)),
];

/** Evidence from others than the Service never harms its record: what cannot be read or printed counts as not seen. */
function withoutSighting(built: BuiltCase, failed: Error): BuiltCase {
  const { delivery } = built;
  if (delivery === null || delivery.sighting === null) return built;
  const { chain, txHash, at, sha256 } = delivery.sighting;
  const reason = `the stored answers of the chain cannot be judged (${failed.name}); tieout evidence forget --chain ${chain} has it asked again`;
  return { ...built, delivery: { ...delivery, sighting: { ...NOTHING_SEEN, chain, txHash, at, sha256, reason } } };
}

function setAside(built: BuiltCase, failed: Error): BuiltCase {
  const { observation } = built;
  return observation.outcome === 'verified' ? { ...built, observation: notJudged(observation, failed) } : built;
}

function notJudged({ snapshot }: Extract<Observation, { outcome: 'verified' }>, failed: Error): Observation {
  return {
    outcome: 'quarantined',
    reason: 'NOT_JUDGED',
    detail: `the record was read, and judging or printing it failed with ${failed.name}: a defect of Tieout, or a changed database`,
    drift: [],
    httpStatus: null,
    sha256: snapshot.evidence.sha256,
    at: snapshot.evidence.receivedAt,
  };
}

/** Without anything that was read from rows beside the observation's. */
function bare({ recordKey, kind, recordId, attempts, observation }: RecordLooked): BuiltCase {
  return { recordKey, kind, recordId, attempts, observation, ...NOTHING_KNOWN };
}
