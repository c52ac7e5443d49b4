/**
 * Compares another list of records (a partner dashboard, the app's own book) with the tracked ones. It is the
 * only way to learn of an id that was never stored: the Service lists nothing, and a lost webhook is lost for good.
 */
import type { Decimal } from '../domain/decimal.ts';
import type { Kind } from '../domain/record.ts';
import { agree, allowance, fiatTolerance, type Tolerances } from '../domain/tolerance.ts';
import type { KnownRecord } from '../ports/store/store.ts';

/** One line of the other list; null is not stated. */
export interface ListedRecord {
  line: number;
  kind: Kind | null;
  id: string;
  fiatCurrency: string | null;
  fiatValue: Decimal | null;
  status: string | null;
}

export type Orphan =
  | { finding: 'not-tracked'; line: number; kind: Kind | null; id: string }
  | { finding: 'not-listed'; kind: Kind; id: string; hostReference: string | null }
  | {
      finding: 'differs';
      line: number;
      kind: Kind;
      id: string;
      field: 'fiat_value' | 'fiat_currency' | 'status';
      listed: string;
      known: string;
      difference: Decimal | null;
      currency: string | null;
    }
  | { finding: 'listed-twice'; line: number; id: string };

export interface OrphanSummary {
  listed: number;
  tracked: number;
  agreeing: number;
}

/** Memory grows with the list, which one person keeps; the tracked records stream past. */
export async function* findOrphans(
  listed: readonly ListedRecord[],
  known: AsyncIterable<KnownRecord>,
  tolerances: Tolerances,
  summary: OrphanSummary,
): AsyncGenerator<Orphan> {
  const open = new Map<string, ListedRecord[]>();
  for (const each of listed) {
    summary.listed++;
    const same = open.get(each.id) ?? [];
    if (same.some((other) => other.kind === each.kind)) yield { finding: 'listed-twice', line: each.line, id: each.id };
    else open.set(each.id, [...same, each]);
  }
  for await (const record of known) {
    summary.tracked++;
    const candidates = open.get(record.recordId) ?? [];
    const match = candidates.find(({ kind }) => kind === null || kind === record.kind);
    if (match === undefined) {
      yield { finding: 'not-listed', kind: record.kind, id: record.recordId, hostReference: record.hostReference };
      continue;
    }
    const rest = candidates.filter((each) => each !== match);
    if (rest.length === 0) open.delete(record.recordId);
    else open.set(record.recordId, rest);
    const differences = differencesOf(match, record, tolerances);
    if (differences.length === 0) summary.agreeing++;
    yield* differences;
  }
  const left = [...open.values()].flat().sort((a, b) => a.line - b.line);
  for (const { line, kind, id } of left) yield { finding: 'not-tracked', line, kind, id };
}

/** What the list states is compared; what it is silent about is not. */
function differencesOf(listed: ListedRecord, { kind, recordId, state }: KnownRecord, tolerances: Tolerances): Orphan[] {
  if (state === null) return [];
  const common = { finding: 'differs', line: listed.line, kind, id: recordId } as const;
  const found: Orphan[] = [];
  if (listed.fiatCurrency !== null && listed.fiatCurrency !== state.fiatCurrency) {
    found.push({
      ...common,
      field: 'fiat_currency',
      listed: listed.fiatCurrency,
      known: state.fiatCurrency,
      difference: null,
      currency: null,
    });
  } else if (listed.fiatValue !== null) {
    const allowed = allowance(fiatTolerance(tolerances, state.fiatCurrency, 'AMOUNT_DIFFERS'), listed.fiatValue);
    if (!agree(state.fiatValue, listed.fiatValue, allowed)) {
      found.push({
        ...common,
        field: 'fiat_value',
        listed: listed.fiatValue.toString(),
        known: state.fiatValue.toString(),
        difference: state.fiatValue.minus(listed.fiatValue),
        currency: state.fiatCurrency,
      });
    }
  }
  if (listed.status !== null && state.status !== null && listed.status !== state.status) {
    found.push({
      ...common,
      field: 'status',
      listed: listed.status,
      known: state.status,
      difference: null,
      currency: null,
    });
  }
  return found;
}
