/**
 * Adds up the losses of records, per currency and bearer: at stake, pending and claimed; and what people waived, by person. Each sum
 * has one sign, because the losses of different bearers are never netted.
 */

import { counted } from '../text/counts.ts';
import { type Bearer, type Break, isOnRecord, isOpen } from './break.ts';
import { showMoney } from './currency.ts';
import { Decimal, readWritten, type Written } from './decimal.ts';
import { addTo } from './partial-sums.ts';
import { asideOf } from './stake.ts';

/** Losses of one bearer in one currency: plus what users lost or the host is owed, minus what the Service lost. */
interface BearerStake {
  currency: string;
  bearer: Bearer;
  /** Records, or months of revenue, with money at stake. */
  records: number;
  /** At stake: moved, neither waived nor claimed. */
  total: Decimal;
  /** Of records whose money moved is `pending` or `unknown`. */
  pending: Decimal;
  /** In a claim. */
  claimed: Decimal;
}

/** What one person waived. */
interface WaivedStake {
  by: string;
  /** Null for records that were never read. */
  currency: string | null;
  /** Null for breaks without a loss. */
  bearer: Bearer | null;
  breaks: number;
  /** Of the records that a waived break leads; null where none has a loss. */
  total: Decimal | null;
}

/** Rows sorted by currency and bearer; waived ones by person, then currency and bearer. */
export interface StakeFigures {
  /** Records with an open break. */
  recordsAtRisk: number;
  open: readonly BearerStake[];
  waived: readonly WaivedStake[];
}

export const NO_STAKE: StakeFigures = { recordsAtRisk: 0, open: [], waived: [] };

/** What has been added up so far: plain values, as threads count ranges of records apart and join their sums. */
export interface StakeSums {
  recordsAtRisk: number;
  open: Map<string, BearerStake>;
  waived: Map<string, WaivedStake>;
}

export function emptyStake(): StakeSums {
  return { recordsAtRisk: 0, open: new Map(), waived: new Map() };
}

/** @param breaks of one record, with its loss on the leading one. */
export function addStake(sums: StakeSums, breaks: readonly Break[]): void {
  if (breaks.some(({ kind, state }) => isOnRecord(kind) && isOpen(state))) sums.recordsAtRisk++;
  for (const each of breaks) {
    addLoss(sums, each);
    if (each.state === 'waived') addWaived(sums, each);
  }
}

export function stakeFigures({ recordsAtRisk, open, waived }: StakeSums): StakeFigures {
  return { recordsAtRisk, open: sorted(open), waived: sorted(waived) };
}

function addLoss({ open }: StakeSums, each: Break): void {
  const { moneyAtStake, moneyAside, lossBearer: bearer, recordCurrency: currency } = each;
  const aside = asideOf(each);
  if (currency === null || bearer === null || (moneyAtStake === null && (aside === null || aside === 'waived'))) return;
  const setAside = (as: 'pending' | 'claimed') => (aside === as && moneyAside !== null ? moneyAside : Decimal.ZERO);
  addTo(open, `${currency}\n${bearer}`, {
    currency,
    bearer,
    records: moneyAtStake === null ? 0 : 1,
    total: moneyAtStake ?? Decimal.ZERO,
    pending: setAside('pending'),
    claimed: setAside('claimed'),
  });
}

function addWaived({ waived }: StakeSums, each: Break): void {
  const { waiver, recordCurrency: currency, lossBearer: bearer } = each;
  const by = waiver?.author ?? '';
  const total = asideOf(each) === 'waived' ? each.moneyAside : null;
  addTo(waived, `${by}\n${currency ?? ''}\n${bearer ?? ''}`, { by, currency, bearer, breaks: 1, total });
}

function sorted<Row>(rows: ReadonlyMap<string, Row>): readonly Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** As JSON and manifests have it; amounts are texts there. */
export function stakeAsJson({ recordsAtRisk, open, waived }: StakeFigures) {
  return {
    records_at_risk: recordsAtRisk,
    money_at_stake: open.map(({ currency, bearer, records, total, pending, claimed }) => ({
      currency,
      bearer,
      records,
      total: total.toString(),
      pending: pending.toString(),
      claimed: claimed.toString(),
    })),
    waived: waived.map(({ by, currency, bearer, breaks, total }) => ({
      by,
      currency,
      bearer,
      breaks,
      total: total?.toString() ?? null,
    })),
  };
}

/** The three headlines, in the order of how urgent they are to the reader. */
export const BEARERS = ['host', 'user', 'service'] as const satisfies readonly Bearer[];

export const BEARER_WORDS: Readonly<Record<Bearer, string>> = {
  host: 'owed to you',
  user: 'lost by users',
  service: 'lost by the Service',
};

const PENDING_WORDS: Readonly<Record<Bearer, string>> = {
  host: 'of yours',
  user: 'of users',
  service: 'of the Service',
};

/** `170.36 EUR owed to you (1 month); 12.50 EUR lost by users (3 records)`; null where nothing is at stake. */
export function stakeInWords({ open }: StakeFigures): string | null {
  const parts = BEARERS.flatMap((bearer) => open.filter((row) => row.bearer === bearer && row.records > 0)).map(
    ({ currency, bearer, records, total }) =>
      `${showMoney(total.abs(), currency)} ${BEARER_WORDS[bearer]} (${counted(records, bearer === 'host' ? 'month' : 'record')})`,
  );
  return parts.length === 0 ? null : parts.join('; ');
}

/** `12.30 EUR of users`: of records whose money moved is `pending` or `unknown`, in no sum at stake; null where there is none. */
export function pendingInWords({ open }: StakeFigures): string | null {
  const parts = open
    .filter(({ pending }) => !pending.isZero)
    .map(({ currency, bearer, pending }) => `${showMoney(pending.abs(), currency)} ${PENDING_WORDS[bearer]}`);
  return parts.length === 0 ? null : `${parts.join('; ')}: not known to have been delivered, so not at stake yet`;
}

/** `Ann: 3 breaks, 12.50 EUR, -4 JPY; Bob: 1 break`; null where nothing is waived. */
export function waivedInWords({ waived }: StakeFigures): string | null {
  if (waived.length === 0) return null;
  return [...Map.groupBy(waived, ({ by }) => by)]
    .map(([by, sums]) => {
      const breaks = sums.reduce((count, sum) => count + sum.breaks, 0);
      const money = sums.flatMap(({ total, currency }) =>
        total === null || currency === null ? [] : [showMoney(total, currency)],
      );
      return [`${by}: ${counted(breaks, 'break')}`, ...money].join(', ');
    })
    .join('; ');
}

/** As it was written before bearers were kept apart. */
interface NettedStake {
  currency: string;
  records: number;
  total: string;
  usersLoss: string;
  servicesLoss: string;
}

/** The sums of money at stake as a manifest has them, with amounts as text. */
export interface WrittenStake {
  recordsAtRisk: number;
  open: readonly (Written<BearerStake> | NettedStake)[];
  waived: readonly (Omit<Written<WaivedStake>, 'bearer'> & { bearer?: Bearer | null })[];
}

export function readStake({ recordsAtRisk, open, waived }: WrittenStake): StakeFigures {
  return {
    recordsAtRisk,
    open: open.flatMap((row) =>
      'bearer' in row ? [readWritten<BearerStake>(row, 'total', 'pending', 'claimed')] : readNetted(row),
    ),
    waived: waived.map((each) => readWritten<WaivedStake>({ ...each, bearer: each.bearer ?? null }, 'total')),
  };
}

/** The number of records was not kept by bearer: it stands with the larger side. */
function readNetted({ currency, records, usersLoss, servicesLoss }: NettedStake): BearerStake[] {
  const [users, services] = [Decimal.parse(usersLoss), Decimal.parse(servicesLoss)];
  const none = { currency, pending: Decimal.ZERO, claimed: Decimal.ZERO };
  const sides: BearerStake[] = [
    { ...none, bearer: 'user', total: users, records },
    { ...none, bearer: 'service', total: services, records: users.isZero ? records : 1 },
  ];
  return sides.filter(({ total }) => !total.isZero);
}
