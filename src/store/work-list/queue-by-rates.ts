/**
 * A page of the queue by a reporting currency. The index has the amounts of each currency in their order, so each currency is read
 * from its own place on, and the heads are merged by their converted amounts. Exact: a place is found by dividing, and compared as text.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Decimal } from '../../domain/decimal.ts';
import { type Amount, largestFirst, type Reporting } from '../../domain/reporting.ts';
import { queuePrefix, stakeKeyOf } from '../schema/queue-order.ts';

type Condition = RawBuilder<SqlBool>;

interface Place {
  breakId: string;
  queueKey: string;
  breakKey: number;
}

interface Walk {
  reporting: Reporting;
  /** The largest first. */
  walksDown: boolean;
  /** The last row of the page before. */
  after: Place | null;
  limit: number;
  /** Rows of a condition in the order of the index. */
  read: (condition: Condition, limit: number) => Promise<readonly Place[]>;
}

/** More digits than any amount has: no amount lies between a quotient and what is left when further digits are cut. */
const PLACES = 60;
/** Behind every character of a key. */
const END = '~';

const COLUMN = sql.ref('b.queue_key');

/** In the order of the walk. */
export async function placesByRates(walk: Walk): Promise<readonly Place[]> {
  const { walksDown, after, reporting } = walk;
  const stages = (['1', '0'] as const).flatMap((owed) => [
    { owed, isConverted: true },
    { owed, isConverted: false },
  ]);
  const all = [...stages, { owed: '' as const, isConverted: false }];
  if (!walksDown) all.reverse();
  const prefixes = (owed: string) => codesOf(reporting).map((code) => queuePrefix(owed, code));
  const at = (key: string) =>
    all.findIndex(
      ({ owed, isConverted }) =>
        owed === key.slice(0, 1) && isConverted === prefixes(owed).some((prefix) => key.startsWith(prefix)),
    );
  const from = after === null ? 0 : at(after.queueKey);
  const found: Place[] = [];
  for (const [i, { owed, isConverted }] of all.entries()) {
    if (i < from || found.length >= walk.limit) continue;
    const rest = { ...walk, limit: walk.limit - found.length, after: i === from ? after : null };
    if (isConverted) found.push(...(await merged(owed, rest)));
    else {
      const others = prefixes(owed).map((prefix) => sql<SqlBool>`not ${within(prefix)}`);
      const stretch = owed === '' ? [sql<SqlBool>`${COLUMN} = ''`] : [within(owed), ...others];
      found.push(...(await rest.read(sql.join([...stretch, beyond(rest)], sql` and `) as Condition, rest.limit)));
    }
  }
  return found;
}

const codesOf = ({ currency, rates }: Reporting) => [currency, ...rates.keys()];

const within = (prefix: string) => sql<SqlBool>`(${COLUMN} >= ${prefix} and ${COLUMN} < ${prefix + END})`;

function beyond({ after, walksDown }: Walk): Condition {
  if (after === null) return sql<SqlBool>`1 = 1`;
  return sql<SqlBool>`(${COLUMN}, b.break_key) ${walksDown ? sql`<` : sql`>`} (${after.queueKey}, ${after.breakKey})`;
}

type Converted = Place & Amount;

async function merged(owed: string, walk: Walk): Promise<Place[]> {
  const { reporting, walksDown, limit } = walk;
  const heads: Converted[] = [];
  const start = codesOf(reporting).flatMap((currency) => inCurrency(owed, currency, walk.after) ?? [])[0];
  for (const currency of codesOf(reporting)) {
    const prefix = queuePrefix(owed, currency);
    const isOwn = start === undefined || start.currency === currency;
    const condition = isOwn ? beyond(walk) : beyondAmount(prefix, currency, start, walk);
    const rows = await walk.read(sql<SqlBool>`${within(prefix)} and ${condition}`, limit);
    heads.push(...rows.flatMap((row) => inCurrency(owed, currency, row) ?? []));
  }
  const sign = walksDown ? 1 : -1;
  heads.sort((a, b) => sign * (largestFirst(a, b, reporting) || b.breakKey - a.breakKey));
  return heads.slice(0, limit);
}

function inCurrency(owed: string, currency: string, place: Place | null): Converted | null {
  const prefix = queuePrefix(owed, currency);
  if (place === null || !place.queueKey.startsWith(prefix)) return null;
  // Behind the prefix stands a letter for the number of digits.
  return { ...place, currency, amount: Decimal.parse(place.queueKey.slice(prefix.length + 1)) };
}

/** Beyond an amount of another currency; of equal ones that of the first currency by letters comes first. */
function beyondAmount(prefix: string, currency: string, start: Converted, { reporting, walksDown }: Walk): Condition {
  const rateOf = (code: string) => reporting.rates.get(code)?.rate ?? Decimal.ONE;
  const [value, rate] = [start.amount.times(rateOf(start.currency)), rateOf(currency)];
  const quotient = value.dividedBy(rate, PLACES, 'down');
  const isExact = quotient.times(rate).equals(value);
  // An amount that equals a cut quotient is worth less than the start.
  const isIncluded = isExact ? walksDown === currency > start.currency : walksDown;
  const operator = walksDown ? (isIncluded ? sql`<=` : sql`<`) : isIncluded ? sql`>=` : sql`>`;
  return sql<SqlBool>`${COLUMN} ${operator} ${prefix + stakeKeyOf(quotient.toString())}`;
}
