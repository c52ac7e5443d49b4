/**
 * When answers are not about the records. Most answers 401/403, ids swapped again and again, or nobody answering at
 * all mean a wrong token set, a wrong address or an outage: the run stops (exit 4) rather than open a break per record.
 */

import type { FetchResult } from '../ports/service.ts';
import { ServiceUnavailableError } from '../ports/service-errors.ts';
import type { AnswerFigures } from '../ports/settled.ts';

/** Below this many answers a majority proves nothing. */
const ENOUGH = 20;
/** At the end of a run fewer will do, as no more are coming. */
const ENOUGH_AT_THE_END = 5;

export class AnswerCount {
  private readable = 0;
  private denied = 0;
  private mismatched = 0;
  private unanswered = 0;
  private absent = 0;
  private missing = 0;
  private other = 0;
  private lastProblem = '';

  /** One count of what several processes counted. */
  static together(counts: readonly AnswerFigures[]): AnswerCount {
    const sum = new AnswerCount();
    for (const { readable, denied, mismatched, unanswered, absent, missing, other, lastProblem } of counts) {
      sum.readable += readable;
      sum.denied += denied;
      sum.mismatched += mismatched;
      sum.unanswered += unanswered;
      sum.absent += absent;
      sum.missing += missing;
      sum.other += other;
      if (lastProblem !== '') sum.lastProblem = lastProblem;
    }
    return sum;
  }

  figures(): AnswerFigures {
    const { readable, denied, mismatched, unanswered, absent, missing, other, lastProblem } = this;
    return { readable, denied, mismatched, unanswered, absent, missing, other, lastProblem };
  }

  /**
   * @param refusedBefore a break of the record says so already: the same refusal again is about the record. Records with a
   * dead token are all asked for first, so counting them would end each night at its beginning.
   * @param broken it has an open break: that it is missing may well be that, and says nothing of the others.
   */
  note(result: FetchResult, refusedBefore = false, broken = false): void {
    if (refusedBefore && isRefusal(result)) return;
    if (result.outcome === 'verified') this.readable++;
    else if (result.outcome === 'quarantined') {
      if (result.reason === 'RECORD_ID_MISMATCH') this.mismatched++;
      else this.other++;
    } else if (result.reason === 'ACCESS_DENIED') this.denied++;
    else if (result.reason === 'RECORD_MISSING') {
      if (broken || isInTheServicesWords(result)) this.other++;
      else this.missing++;
    } else {
      this.unanswered++;
      if (isAbsence(result)) this.absent++;
      this.lastProblem = describe(result.reason, result.httpStatus, result.errorCode);
    }
  }

  /** Whether some answer shows that this address is served, with the bodies that were asked for. */
  get proven(): boolean {
    return this.readable + this.other > 0;
  }

  /** Whether any answer was about a record. */
  get anyAnswer(): boolean {
    return this.answers > 0;
  }

  private get answers(): number {
    return this.readable + this.denied + this.mismatched + this.missing + this.other;
  }

  /**
   * @param atTheEnd no more are coming. @param isAll none was left out: of a run that has to stop early, what was not asked
   * for might have been answered.
   * @throws ServiceUnavailableError where the answers so far are not about the records.
   */
  check(atTheEnd: boolean, isAll = atTheEnd): void {
    const enough = atTheEnd ? ENOUGH_AT_THE_END : ENOUGH;
    const { answers } = this;
    if (answers >= enough && this.denied * 2 > answers) {
      throw new ServiceUnavailableError(
        `${this.denied} of ${answers} answers refused the view token (401/403): this is not about single records. Check service.url, that the tokens belong to this environment, and whether this address is blocked.`,
      );
    }
    if (answers >= enough && this.mismatched * 2 > answers) {
      throw new ServiceUnavailableError(
        `${this.mismatched} of ${answers} answers were another record's body: the Service or something before it mixes up answers. Nothing was judged; ask the Service before running again.`,
      );
    }
    // Ids that were tracked wrongly may all come first, so only the whole night proves that it is the address.
    if (isAll && answers >= ENOUGH && this.missing === answers) {
      throw new ServiceUnavailableError(
        `All ${answers} answers were 404, and none of them in the words of the Service: another system is there. Check service.url; no break was opened.`,
      );
    }
    // A record that the Service always fails on may be the only one due tonight: that is its own trouble, not an outage.
    const nobody = isAll && this.absent > 0 && this.absent === this.unanswered;
    if (!this.anyAnswer && (nobody || this.unanswered >= (isAll ? enough : ENOUGH))) {
      throw new ServiceUnavailableError(
        `The Service gave no usable answer for any of ${this.unanswered} records (${this.lastProblem}). Check service.url and the network; nothing was judged.`,
      );
    }
  }

  /** True where a run of refusals before any success has opened the circuit: waiting for it would help nobody. */
  get hopeless(): boolean {
    return this.readable + this.missing + this.other === 0 && this.denied + this.unanswered >= ENOUGH_AT_THE_END;
  }
}

function isRefusal(result: FetchResult): boolean {
  if (result.outcome === 'verified') return false;
  return result.reason === 'ACCESS_DENIED' || result.reason === 'RECORD_ID_MISMATCH';
}

/** The application's own code (`RECORD_NOT_FOUND`): whoever says so is the Service, and speaks of the record (spec §7). */
function isInTheServicesWords({ errorCode }: { errorCode: string | null }): boolean {
  return errorCode !== null && /^[A-Z][A-Z0-9_.]{3,}$/.test(errorCode);
}

/** Nobody was there: no connection, no such host, no such path. */
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
