/**
 * How this address is being answered, over everything that is fetched through it at once. A block must not leave a verdict
 * on any record, and it shows only in a row: five refusals may be five dead tokens, or the address.
 */
import type { Kind } from '../domain/record.ts';

/** Refusals in a row that look like a blocked address; as many open the circuit. */
const AS_OF_A_BLOCK = 5;

/** Enough of a record to ask for it. */
export interface AskedFor {
  kind: Kind;
  id: string;
  token: string;
}

export class AddressWatch {
  private begun = 0;
  private begunAtRefusal = 0;
  private refusedInARow = 0;
  private readonly whenBlocked = new Set<() => void>();
  /** A record that was answered for: asked for again, it tells whether the address still is served. */
  servedLast: AskedFor | null = null;

  /** To be called before a record is asked for; the turn goes to `served`. */
  begin(): number {
    this.begun++;
    return this.begun;
  }

  /** Somebody was refused, or nobody was there: the row grows. */
  refused(): void {
    this.begunAtRefusal = this.begun;
    this.refusedInARow++;
    if (this.refusedInARow >= AS_OF_A_BLOCK) for (const tell of this.whenBlocked) tell();
  }

  /** An answer about a record. @returns whether it was asked for after the last refusal, and so proves that no block caused that. */
  served(turn: number, record: AskedFor): boolean {
    this.refusedInARow = 0;
    this.servedLast = record;
    return turn > this.begunAtRefusal;
  }

  /** @returns stops the telling. */
  onBlock(tell: () => void): () => void {
    this.whenBlocked.add(tell);
    return () => this.whenBlocked.delete(tell);
  }
}
