/** What the records of a run have in common, counted before any of them is judged. */

import { count, counted } from '../text/counts.ts';
import { contractOf } from './asset.ts';
import { type Direction, directionOf, type Kind } from './record.ts';
import type { RecordState } from './snapshot.ts';

/** Verified records of one direction, and how many of them have a quote of their own time. */
interface QuotedShare {
  records: number;
  quoted: number;
}

export interface Survey {
  /** `night`: a run over few records took over the counts of the last whole night. */
  of: 'run' | 'night';
  quotes: Readonly<Record<Direction, QuotedShare>>;
  /** Markets whose moves lie on one side, against the users; absent where none does. */
  oneSided?: readonly OneSidedMarket[];
  /** Transactions that several records name for one receiver and asset; absent where an earlier version surveyed. */
  reusedTx?: readonly ReusedTx[];
  /** The host's fee in most quotes of purchases, as a share of the value; absent where they have none. */
  hostShare?: string;
}

/** Amounts and shares of the quoted price as text. */
export interface OneSidedMarket {
  /** `ETH_USDC/EUR/onramp` */
  market: string;
  records: number;
  against: number;
  hours: number;
  mean: string;
  low: string;
  high: string;
  loss: string;
}

/** A transaction, and the records that name it, as `purchase sqs6a428mqjtzbv`; of very many only the first. */
export interface ReusedTx {
  tx: string;
  records: readonly string[];
}

/** One delivery as a record names it: transaction, receiver and asset; hexadecimal digits in one case. Null where a part is missing. */
export function nameOfTx({
  finalTxHash,
  receiverAddress,
  asset,
}: Pick<RecordState, 'finalTxHash' | 'receiverAddress' | 'asset'>): string | null {
  if (finalTxHash === null || receiverAddress === null) return null;
  const plain = (text: string) => (text.startsWith('0x') ? text.toLowerCase() : text);
  return `${plain(finalTxHash)} ${plain(receiverAddress)} ${plain(contractOf(asset) ?? asset.symbol)}`;
}

/** By the name of the delivery. */
export function reusedIn(survey: Survey | null): ReadonlyMap<string, readonly string[]> {
  return new Map((survey?.reusedTx ?? []).map(({ tx, records }) => [tx, records]));
}

/** True where quotes are captured as a rule, so that a record without one is a finding of its own: at least half have one. */
export function isCaptured({ records, quoted }: QuotedShare): boolean {
  return 2 * quoted >= records;
}

/** Kinds whose quotes are captured as a rule. A run that was not surveyed was judged as if all were. */
export function capturedKinds(survey: Survey | null): Readonly<Record<Kind, boolean>> {
  const of = (kind: Kind) => survey === null || isCaptured(survey.quotes[directionOf(kind)]);
  return { purchase: of('purchase'), sale: of('sale') };
}

/** One sentence for summaries, pages and manifests; null where every matched record has a quote. */
export function withoutQuoteInWords(matched: number, without: number): string | null {
  if (without === 0) return null;
  const [has, theyWere, their] = without === 1 ? ['has', 'it was', 'its'] : ['have', 'they were', 'their'];
  return (
    `${count(without)} of the ${counted(matched, 'matched record')} ${has} no quote: ` +
    `${theyWere} judged by published bounds and ${their} own arithmetic, not against a promise.`
  );
}
