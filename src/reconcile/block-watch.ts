/**
 * Detects that the Service blocks this network address, over all fetches through it. One refusal does not tell a blocked
 * address from a dead view token. Five refusals without a later answer in between may be either; the records of such
 * refused records are fetched again before a verdict is stored (docs/decisions/0003-when-answers-are-not-about-records.md).
 */
import type { RecordRef } from '../ports/service.ts';

/** This many open refusals in a row look like a blocked address, and open the circuit. */
const AS_OF_A_BLOCK = 5;

/** Tells a run to stop when the Service refuses everything, which is not about the records. */
export class BlockWatch {
  private begun = 0;
  /** For each refusal without a later answer: the number of the last request that had begun when it came. */
  private open: number[] = [];
  private readonly whenBlocked = new Set<() => void>();
  /** The number of the newest answered request. It proves that no refusal before its beginning came from a block. */
  provenTurn = 0;
  /** An answered record. Fetching it again shows whether the address is still served. */
  servedLast: RecordRef | null = null;

  /** To be called before a request. @returns the request's number, for `served` */
  begin(): number {
    this.begun++;
    return this.begun;
  }

  /** A refusal, or no connection. @returns only an answer to a request with a higher number proves that it was not a block */
  refused(): number {
    this.open.push(this.begun);
    if (this.open.length >= AS_OF_A_BLOCK) for (const tell of this.whenBlocked) tell();
    return this.begun;
  }

  /** An answer about a record. @param turn what `begin` returned */
  served(turn: number, record: RecordRef): void {
    this.servedLast = record;
    if (turn <= this.provenTurn) return;
    this.provenTurn = turn;
    this.open = this.open.filter((begunBefore) => begunBefore >= turn);
  }

  /** @returns removes the listener */
  onBlock(tell: () => void): () => void {
    this.whenBlocked.add(tell);
    return () => this.whenBlocked.delete(tell);
  }
}
