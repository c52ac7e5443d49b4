/**
 * Compares another list of records (a partner dashboard, the app's own book) with the tracked ones. It is the
 * only way to learn of an id that was never stored: the Service lists nothing, and a lost webhook is lost for good.
 */
import { Decimal } from '../domain/decimal.ts';
import { type Instant, type Kind, recordIdOf } from '../domain/record.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';
import type { KnownRecord } from '../ports/store/store.ts';

/** One line of the other list; null where it states nothing. */
export interface ListedRecord {
  /** Of the file, counted from 1. */
  line: number;
  kind: Kind | null;
  id: string;
  fiatCurrency: string | null;
  fiatValue: Decimal | null;
  status: string | null;
  createdAt: Instant | null;
}

interface Differing {
  finding: 'differs';
  line: number;
  kind: Kind;
  id: string;
  field: 'fiat_value' | 'fiat_currency' | 'status';
  listed: string;
  known: string;
  /** known − listed, of amounts in one currency; null of a word. */
  difference: Decimal | null;
  currency: string | null;
}

/** Instants in [from, to); null is unbounded. */
export interface OrphanRange {
  from: Instant | null;
  to: Instant | null;
}

interface Unmatched {
  id: string;
  fiatValue: Decimal | null;
  currency: string | null;
}

/** A record that only one of the two lists has, or that they tell otherwise. */
export type Orphan =
  | (Unmatched & { finding: 'not-tracked'; line: number; kind: Kind | null })
  | (Unmatched & { finding: 'not-listed'; kind: Kind; hostReference: string | null })
  | Differing
  | { finding: 'listed-twice'; line: number; id: string };

export interface OrphanSummary {
  listed: number;
  tracked: number;
  agreeing: number;
}

/**
 * Memory grows with the list, which one person keeps; the tracked records stream past. With a range, lines and records that
 * are known to lie outside it are found in neither list; they still match each other, whichever day each side has.
 */
export async function* findOrphans(
  listed: readonly ListedRecord[],
  known: AsyncIterable<KnownRecord>,
  tolerances: Tolerances,
  summary: OrphanSummary,
  range: OrphanRange = { from: null, to: null },
): AsyncGenerator<Orphan> {
  const open = new Map<string, ListedRecord[]>();
  for (const each of listed) {
    if (isWithin(each.createdAt, range)) summary.listed++;
    const id = recordIdOf(each.id);
    const same = open.get(id) ?? [];
    if (same.some((other) => other.kind === each.kind)) yield { finding: 'listed-twice', line: each.line, id: each.id };
    else open.set(id, [...same, each]);
  }
  for await (const record of known) {
    const { state } = record;
    const isInRange = isWithin(state?.createdAt ?? record.toldCreatedAt, range);
    if (isInRange) summary.tracked++;
    const id = recordIdOf(record.recordId);
    const candidates = open.get(id) ?? [];
    const match = candidates.find(({ kind }) => kind === null || kind === record.kind);
    if (match === undefined) {
      const { kind, recordId, hostReference } = record;
      const amount = { fiatValue: state?.fiatValue ?? null, currency: state?.fiatCurrency ?? null };
      if (isInRange) yield { finding: 'not-listed', kind, id: recordId, hostReference, ...amount };
      continue;
    }
    const rest = candidates.filter((each) => each !== match);
    if (rest.length === 0) open.delete(id);
    else open.set(id, rest);
    if (!isInRange && !isWithin(match.createdAt, range)) continue;
    const differences = differencesOf(match, record, tolerances);
    if (differences.length === 0) summary.agreeing++;
    yield* differences;
  }
  const left = [...open.values()].flat().sort((a, b) => a.line - b.line);
  for (const { line, kind, id, fiatValue, fiatCurrency: currency, createdAt } of left)
    if (isWithin(createdAt, range)) yield { finding: 'not-tracked', line, kind, id, fiatValue, currency };
}

/** A record without a date counts as in every range: a range must not hide it. */
function isWithin(at: Instant | null, { from, to }: OrphanRange): boolean {
  return at === null || ((from === null || at >= from) && (to === null || at < to));
}

/** An id that was never stored is lost for good; a record that a list lacks may only be late in it. */
const TELLING: readonly Orphan['finding'][] = ['not-tracked', 'differs', 'not-listed', 'listed-twice'];

/** The most telling first: by finding, then by amount, then by line or id. */
export function mostTellingFirst(found: readonly Orphan[]): readonly Orphan[] {
  return [...found].sort(
    (a, b) =>
      TELLING.indexOf(a.finding) - TELLING.indexOf(b.finding) ||
      amountOf(b).compare(amountOf(a)) ||
      lineOf(a) - lineOf(b) ||
      (a.id < b.id ? -1 : 1),
  );
}

/** Amounts of several currencies are ordered by their numbers alone: an order for reading, not a sum. */
function amountOf(orphan: Orphan): Decimal {
  const amount = 'fiatValue' in orphan ? orphan.fiatValue : 'difference' in orphan ? orphan.difference : null;
  return amount === null ? Decimal.ZERO : orphan.finding === 'differs' ? amount.abs() : amount;
}

const lineOf = (orphan: Orphan) => ('line' in orphan ? orphan.line : 0);

/** Only what the list states is compared. */
function differencesOf(listed: ListedRecord, { kind, recordId, state }: KnownRecord, tolerances: Tolerances): Orphan[] {
  if (state === null) return [];
  const { line } = listed;
  const found: Orphan[] = [];
  const noAmount: Pick<Differing, 'difference' | 'currency'> = { difference: null, currency: null };
  const differ = (field: Differing['field'], stated: string, known: string, by = noAmount) =>
    found.push({ finding: 'differs', line, kind, id: recordId, field, listed: stated, known, ...by });
  if (listed.fiatCurrency !== null && listed.fiatCurrency !== state.fiatCurrency) {
    differ('fiat_currency', listed.fiatCurrency, state.fiatCurrency);
  } else if (listed.fiatValue !== null) {
    const { fiatValue, fiatCurrency: currency } = state;
    const allowed = allowance(fiatTolerance(tolerances, currency, 'AMOUNT_DIFFERS'), listed.fiatValue);
    const difference = fiatValue.minus(listed.fiatValue);
    if (!agree(fiatValue, listed.fiatValue, allowed))
      differ('fiat_value', listed.fiatValue.toString(), fiatValue.toString(), { difference, currency });
  }
  if (listed.status !== null && state.status !== null && listed.status !== state.status)
    differ('status', listed.status, state.status);
  return found;
}
