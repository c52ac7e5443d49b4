/**
 * How this address is being answered, over everything that is fetched through it at once. A block must not leave a verdict
 * on any record, and it shows only in number: five refusals with no answer after them may be five dead tokens, or the address.
 */
import type { Kind } from '../domain/record.ts';

/** Open refusals that look like a blocked address; as many in a row open the circuit. */
const AS_OF_A_BLOCK = 5;

/** Enough of a record to ask for it. */
export interface AskedFor {
  kind: Kind;
  id: string;
  token: string;
}

export class AddressWatch {
  private begun = 0;
  /** For each refusal that nothing was answered after: the last question that had begun by then. */
  private open: number[] = [];
  private readonly whenBlocked = new Set<() => void>();
  /** The newest question that was answered about its record: it proves every refusal innocent that had come before it began. */
  provenTurn = 0;
  /** A record that was answered for: asked for again, it tells whether the address still is served. */
  servedLast: AskedFor | null = null;

  /** To be called before a record is asked for; the turn goes to `served`. */
  begin(): number {
    this.begun++;
    return this.begun;
  }

  /** Somebody was refused, or nobody was there. @returns the turn that an answer must be beyond to prove this no block. */
  refused(): number {
    this.open.push(this.begun);
    if (this.open.length >= AS_OF_A_BLOCK) for (const tell of this.whenBlocked) tell();
    return this.begun;
  }

  /** An answer about a record. */
  served(turn: number, record: AskedFor): void {
    this.servedLast = record;
    if (turn <= this.provenTurn) return;
    this.provenTurn = turn;
    this.open = this.open.filter((begunBefore) => begunBefore >= turn);
  }

  /** @returns stops the telling. */
  onBlock(tell: () => void): () => void {
    this.whenBlocked.add(tell);
    return () => this.whenBlocked.delete(tell);
  }
}
