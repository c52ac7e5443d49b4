/** What the records of a run have in common, counted before any of them is judged. */

import { count, counted } from '../text/counts.ts';
import { type AssetIdentity, assetIdentifier, contractOf } from './asset.ts';
import { Decimal, type Written } from './decimal.ts';
import { entryOf } from './entry-of.ts';
import type { SideOfMoves } from './one-sided.ts';
import { type Direction, directionOf, isoInstant, type Kind } from './record.ts';
import type { RecordState } from './snapshot.ts';

/** Verified records of one direction, and how many of them have a quote of their own time. */
interface QuotedShare {
  records: number;
  quoted: number;
  /** Of the last night that had any, where this one has none: it says nothing of whether quotes are captured. */
  before?: QuotedShare;
}

/** What a run counted over all its records before it judged any: some rules need to know what is usual. */
export interface Survey {
  /** `night`: a run over few records took over the counts of the last whole night. */
  of: 'run' | 'night';
  quotes: Readonly<Record<Direction, QuotedShare>>;
  /** Markets whose moves lie on one side, against the users; absent where none does. */
  oneSided?: readonly OneSidedMarket[];
  /** Transactions that several records name for one receiver and asset; absent where an earlier version surveyed. */
  reusedTx?: readonly ReusedTx[];
  /**
   * The host's fee in most quotes of purchases, and in bodies without one that state it or, where none does, add it without a name, as a share of the
   * value; absent where they have none.
   */
  hostShare?: string;
  /** Quoted prices over the published ones, as a share of these, by `marginOf`, and of all assets by direction; absent where none is known. */
  margins?: Readonly<Record<string, string>>;
  /** EUR for one unit, by the records that give their price in both and not that rate; by `currencyDay`, and by `estimatesOf` it. */
  fiatRates?: Readonly<Record<string, string>>;
}

/** `ETH_ETH/onramp` */
export function marginOf({ kind, asset }: { kind: Kind; asset: AssetIdentity }): string {
  return `${assetIdentifier(asset)}/${directionOf(kind)}`;
}

/** That of the asset or, where too few quotes tell it, the one in the middle of all assets. */
export function marginIn(margins: Survey['margins'], of: Parameters<typeof marginOf>[0]): Decimal | null {
  return surveyed(margins, marginOf(of)) ?? surveyed(margins, directionOf(of.kind));
}

/** `PLN/2026-11-20`; null without a creation time. */
export function currencyDay({
  fiatCurrency,
  createdAt,
}: Pick<RecordState, 'fiatCurrency' | 'createdAt'>): string | null {
  return createdAt === null ? null : `${fiatCurrency}/${isoInstant(createdAt).slice(0, 10)}`;
}

/** The name beside `currencyDay` for what was not executed: its body is of the moment of its reading, when the rate of its day may be an old one. */
export function estimatesOf(day: string): string {
  return `${day} not executed`;
}

/** Figures that many records have in common, by name: of each the one in the middle. */
export class Medians {
  readonly #byName = new Map<string, Map<string, number>>();
  /** Figures of one name; those after the first so many add nothing. */
  readonly #most: number;

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** @param figure rounded, so that a night has a bounded number of different ones */
  add(name: string, figure: Decimal): void {
    const counts = entryOf(this.#byName, name, () => new Map<string, number>());
    if (counts.size < this.#most) counts.set(`${figure}`, (counts.get(`${figure}`) ?? 0) + 1);
  }

  /** Of the names that have at least so many figures. */
  of(least: number): Readonly<Record<string, string>> {
    const names = [...this.#byName].filter(([, counts]) => countOf(counts) >= least);
    return Object.fromEntries(names.map(([name, counts]) => [name, `${median(counts)}`]));
  }
}

const countOf = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** @param counts figure → how often it occurs */
export function median(counts: ReadonlyMap<string, number>): Decimal {
  const figures = [...counts].map(([figure, count]) => ({ figure: Decimal.parse(figure), count }));
  figures.sort((a, b) => a.figure.compare(b.figure));
  const half = countOf(counts) / 2;
  let below = 0;
  let middle = Decimal.ZERO;
  for (const { figure, count } of figures) {
    if (below < half) middle = figure;
    below += count;
  }
  return middle;
}

/** A figure by its name, of a record; null where the survey has none. */
export function surveyed(figures: Readonly<Record<string, string>> | undefined, name: string | null): Decimal | null {
  const figure = name === null || figures === undefined || !Object.hasOwn(figures, name) ? undefined : figures[name];
  return figure === undefined ? null : Decimal.parse(figure);
}

/** Amounts and shares of the quoted price as text. */
export interface OneSidedMarket extends Written<Omit<SideOfMoves, 'isOneSided'>> {
  /** `ETH_USDC/EUR/onramp` */
  market: string;
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
export function isCaptured(share: QuotedShare): boolean {
  const { records, quoted } = share.records === 0 ? (share.before ?? share) : share;
  return 2 * quoted >= records;
}

/** The same with what was counted before, for directions without a record. */
export function withSharesBefore(survey: Survey, last: Survey | null): Survey {
  const of = (direction: Direction): QuotedShare => {
    const [share, before] = [survey.quotes[direction], last?.quotes[direction]];
    return share.records > 0 || before === undefined ? share : { ...share, before: before.before ?? before };
  };
  return { ...survey, quotes: { onramp: of('onramp'), offramp: of('offramp') } };
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
