/**
 * Groups of one cause, found without guessing, so that the same breaks always make the same groups:
 *
 * 1. Each open break with a difference in its record's currency gets its share: the difference in percent of what the
 *    record is worth without its fee, rounded half even to one tenth.
 * 2. Breaks with the same rule, kind, payment method and share come together, in any currency. Rules about the fee are one: an overcharge is seen
 *    in the fee as a whole, in one of its parts, or at the published bounds. Of a record only the leading break counts.
 * 3. In the order of their records' creation, a pause of more than seven days ends a group and begins another.
 * 4. Fewer than three are no group.
 */
import { createHash } from 'node:crypto';
import { Decimal } from '../domain/decimal.ts';
import { entryOf } from '../domain/entry-of.ts';
import { type Instant, type Kind, showInstant } from '../domain/record.ts';
import type { CauseRow } from '../ports/store/work-list.ts';

export const SMALLEST_GROUP = 3;
const PAUSE_MS = 7 * 86_400_000;

/** Breaks that seem to have one cause, with what they have in common. */
export interface Cause {
  /** 16 hexadecimal digits, of the cause and the first creation. */
  id: string;
  /** Rules of its breaks, in alphabetical order. */
  rules: readonly string[];
  kind: Kind;
  paymentMethod: string | null;
  /** Percent of the value without the fee, one decimal place. */
  share: string;
  from: Instant;
  to: Instant;
  /** Money at stake by currency, in alphabetical order; a currency without any has null. */
  stakes: readonly { currency: string; amount: Decimal | null }[];
  breakIds: readonly string[];
}

interface Member extends Pick<CauseRow, 'breakId' | 'createdAt' | 'rule' | 'currency'> {
  /** Money at stake in `currency`; null for none. */
  stake: Decimal | null;
}

type Bucket = Pick<Cause, 'kind' | 'paymentMethod' | 'share'> & { about: string; members: Member[] };

/** Takes breaks one by one; `groups` may be asked once all are in. */
export class Grouping {
  readonly #buckets = new Map<string, Bucket>();

  add(row: CauseRow): void {
    const value = Decimal.parse(row.fiatValue).minus(Decimal.parse(row.appliedFee ?? '0'));
    if (value.compare(Decimal.ZERO) === 0) return;
    const difference = Decimal.parse(row.difference);
    const share = difference.times(Decimal.HUNDRED).dividedBy(value, 1).toPlaces(1);
    const { breakId, createdAt, rule, field, kind, paymentMethod, currency } = row;
    const about = rule.startsWith('FEE_') ? 'FEE' : `${rule} ${field}`;
    const key = JSON.stringify([about, kind, paymentMethod, share]);
    const stake = row.moneyAtStake === null ? null : Decimal.parse(row.moneyAtStake);
    const member = { breakId, createdAt, rule, currency, stake };
    const cause = { about, kind, paymentMethod, share };
    entryOf(this.#buckets, key, () => ({ ...cause, members: [] })).members.push(member);
  }

  /** Most breaks first; equal ones by their id. */
  groups(): readonly Cause[] {
    const all = [...this.#buckets.values()].flatMap(split);
    return all.sort((a, b) => b.breakIds.length - a.breakIds.length || (a.id < b.id ? -1 : 1));
  }
}

function split({ members, about, ...cause }: Bucket): Cause[] {
  const ordered = members.sort((a, b) => a.createdAt - b.createdAt || (a.breakId < b.breakId ? -1 : 1));
  const runs: Member[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const member of ordered) {
    if (member.createdAt - last > PAUSE_MS) runs.push([]);
    runs.at(-1)?.push(member);
    last = member.createdAt;
  }
  return runs
    .filter((run) => run.length >= SMALLEST_GROUP)
    .map((run) => {
      const [from, to] = [run[0]?.createdAt ?? 0, run.at(-1)?.createdAt ?? 0];
      const id = createHash('sha256')
        .update(JSON.stringify([about, cause, from]))
        .digest('hex')
        .slice(0, 16);
      const rules = [...new Set(run.map(({ rule }) => rule))].sort();
      return { ...cause, rules, id, from, to, stakes: stakesOf(run), breakIds: run.map(({ breakId }) => breakId) };
    });
}

function stakesOf(run: readonly Member[]): Cause['stakes'] {
  const byCurrency = Map.groupBy(run, ({ currency }) => currency);
  const plus = (sum: Decimal | null, { stake }: Member) => (stake === null ? sum : (sum?.plus(stake) ?? stake));
  return [...byCurrency]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, members]) => ({ currency, amount: members.reduce(plus, null) }));
}

/** One sentence for people. */
export function causeText({ rules, kind, paymentMethod, share, from, to }: Cause): string {
  const by = paymentMethod === null ? '' : ` by ${paymentMethod.toLowerCase().replaceAll('_', ' ')}`;
  const side = share.startsWith('-')
    ? `${share.slice(1)} % of the value too little`
    : `${share} % of the value too much`;
  return `${rules.join(', ')} on ${kind}s${by}: ${side}, from ${showInstant(from)} to ${showInstant(to)}`;
}
