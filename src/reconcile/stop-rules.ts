/**
 * Detects answers that are not about the records. If most answers are 401/403, many bodies belong to other records, or nothing
 * answers, then the tokens or the address are wrong or there is an outage: the run stops (exit 4) before it opens a break per
 * record. See docs/decisions/0003-when-answers-are-not-about-records.md.
 */
import type { FetchResult } from '../ports/service.ts';
import { IdentifierNameError, ServiceUnavailableError } from '../ports/service-errors.ts';
import type { AnswerFigures } from '../ports/settled.ts';

/** Below this many answers a majority proves nothing. */
const ENOUGH = 20;
/** A name says more than a refusal: another field is there, spelt as a maker would spell it. */
const ENOUGH_MISNAMED = 3;
/** At the end of a run, when no more answers will come. */
const ENOUGH_AT_THE_END = 5;

const NOTHING = {
  readable: 0,
  denied: 0,
  mismatched: 0,
  unanswered: 0,
  absent: 0,
  missing: 0,
  other: 0,
  named: 0,
  misnamed: 0,
} satisfies Partial<AnswerFigures>;

const COUNTED = Object.keys(NOTHING) as (keyof typeof NOTHING)[];

/** The counts since `before`. */
export function answersSince(before: AnswerFigures, now: AnswerFigures): AnswerFigures {
  const fresh = { ...now };
  for (const name of COUNTED) fresh[name] -= before[name];
  return fresh;
}

/** Counts answers of a run, to tell a block from records that are missing. */
export class AnswerCount {
  private readonly counts = { ...NOTHING };
  private otherName = '';
  private lastProblem = '';

  /** The sum of the counts of several processes. */
  static together(parts: readonly AnswerFigures[]): AnswerCount {
    const sum = new AnswerCount();
    for (const part of parts) {
      for (const name of COUNTED) sum.counts[name] += part[name];
      sum.otherName = part.otherName || sum.otherName;
      sum.lastProblem = part.lastProblem || sum.lastProblem;
    }
    return sum;
  }

  figures(): AnswerFigures {
    return { ...this.counts, otherName: this.otherName, lastProblem: this.lastProblem };
  }

  /**
   * @param refusedBefore the record has an open break for the same refusal, so the refusal is about the record. Such records are
   * asked for first: counted, they would end each night at its beginning.
   * @param broken the record has an open break: that it is missing says nothing about the others.
   */
  note(result: FetchResult, refusedBefore = false, broken = false): void {
    if (refusedBefore && isRefusal(result)) return;
    if (result.outcome === 'verified') {
      this.counts.readable++;
      if (result.state.kind === 'purchase') this.counts.named++;
    } else if (result.outcome === 'quarantined') {
      if (result.otherName !== undefined) {
        this.counts.misnamed++;
        this.otherName = result.otherName;
      }
      if (result.reason === 'RECORD_ID_MISMATCH') this.counts.mismatched++;
      else this.counts.other++;
    } else if (result.reason === 'ACCESS_DENIED') this.counts.denied++;
    else if (result.reason === 'RECORD_MISSING') {
      if (broken || isInTheServicesWords(result)) this.counts.other++;
      else this.counts.missing++;
    } else {
      this.counts.unanswered++;
      if (isAbsence(result)) this.counts.absent++;
      this.lastProblem = describe(result.reason, result.httpStatus, result.errorCode);
    }
  }

  /** Whether an answer proves that this address is served. */
  get proven(): boolean {
    return this.counts.readable + this.counts.other > 0;
  }

  /** Whether any answer was about a record. */
  get anyAnswer(): boolean {
    return this.answers > 0;
  }

  /** Of requests that were answered, and of those that were not. */
  get count(): number {
    return this.answers + this.counts.unanswered;
  }

  private get answers(): number {
    const { readable, denied, mismatched, missing, other } = this.counts;
    return readable + denied + mismatched + missing + other;
  }

  /**
   * @param atTheEnd no more answers will come. @param isAll every record was asked for, which a run that stops early cannot say
   * @throws ServiceUnavailableError where the answers so far are not about the records.
   * @throws IdentifierNameError where no purchase has the configured maker's name, and all that came have another.
   */
  check(atTheEnd: boolean, isAll = atTheEnd): void {
    const enough = atTheEnd ? ENOUGH_AT_THE_END : ENOUGH;
    const { answers } = this;
    const { denied, mismatched, missing, absent, unanswered, named, misnamed } = this.counts;
    if (named === 0 && misnamed >= (atTheEnd ? 1 : ENOUGH_MISNAMED))
      throw new IdentifierNameError(misnamed, this.otherName);
    if (answers >= enough && denied * 2 > answers) {
      throw new ServiceUnavailableError(
        `${denied} of ${answers} answers refused the view token (401/403): this is not about single records`,
        {
          remedy: 'check service.url, that the tokens belong to this environment, and whether this address is blocked',
        },
      );
    }
    if (answers >= enough && mismatched * 2 > answers) {
      throw new ServiceUnavailableError(
        `${mismatched} of ${answers} answers were another record's body: the Service or something before it mixes up answers. Nothing was judged`,
        { remedy: 'ask the Service before running again' },
      );
    }
    // Wrongly tracked ids may all come first: only a complete run proves a wrong address.
    if (isAll && answers >= ENOUGH && missing === answers) {
      throw new ServiceUnavailableError(
        `All ${answers} answers were 404, and none of them in the words of the Service: another system is there. No break was opened`,
        { remedy: 'check service.url' },
      );
    }
    // One record that the Service always fails on may be the only one due: that is no outage.
    const isAbsent = isAll && absent > 0 && absent === unanswered;
    if (!this.anyAnswer && (isAbsent || unanswered >= (isAll ? enough : ENOUGH))) {
      throw new ServiceUnavailableError(
        `The Service gave no usable answer for any of ${unanswered} records (${this.lastProblem}). Nothing was judged`,
        { remedy: 'check service.url and the network' },
      );
    }
  }

  /** Whether refusals before any success may have opened the circuit: to wait for it would not help. */
  get hopeless(): boolean {
    const { readable, missing, other, denied, unanswered } = this.counts;
    return readable + missing + other === 0 && denied + unanswered >= ENOUGH_AT_THE_END;
  }
}

function isRefusal(result: FetchResult): boolean {
  if (result.outcome === 'verified') return false;
  return result.reason === 'ACCESS_DENIED' || result.reason === 'RECORD_ID_MISMATCH';
}

/** Whether the answer has an error code of the Service (`RECORD_NOT_FOUND`, spec §7): then it is about the record. */
function isInTheServicesWords({ errorCode }: { errorCode: string | null }): boolean {
  return errorCode !== null && /^[A-Z][A-Z0-9_.]{3,}$/.test(errorCode);
}

/** No connection, no such host, or a path that is unknown there. */
export function isAbsence(result: FetchResult): boolean {
  if (result.outcome !== 'unreachable') return false;
  return (
    (result.reason === 'NETWORK' && result.httpStatus === null) || result.errorCode?.startsWith('CANNOT_') === true
  );
}

function describe(reason: string, httpStatus: number | null, code: string | null): string {
  const words = reason.toLowerCase().replaceAll('_', ' ');
  if (httpStatus === null) return words;
  return code === null ? `${words}, HTTP ${httpStatus}` : `${words}, HTTP ${httpStatus}, ${code}`;
}
