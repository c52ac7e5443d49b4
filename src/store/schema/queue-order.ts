/**
 * The sort keys of the queue, as SQL over an event's columns for both engines. Written with each event of a break, so
 * that the first page of a million is read from an index.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Break } from '../../domain/break.ts';
import { SEVERITIES } from '../../domain/finding.ts';

/** ASCII order, one character for each possible number of integer digits; amounts have at most 40. */
const COUNTS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytewise order of these texts is the order of the amounts without their sign; exact, and empty for no amount. */
export function stakeKeyOf(amount: string | null): string {
  if (amount === null) return '';
  const plain = amount.replace('-', '');
  return `${COUNTS.charAt(plain.split('.')[0]?.length ?? 0)}${plain}`;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const mirrored = (letter: string) => LETTERS.charAt(LETTERS.length - 1 - LETTERS.indexOf(letter));

type Queued = Pick<Break, 'lossBearer' | 'recordCurrency' | 'moneyAtStake'>;

/**
 * The largest of these texts come first: what is owed to the host, then by the letters of the currency (mirrored, so that A comes
 * first), then by the amount. Amounts of two currencies cannot be compared. Empty for no amount.
 */
export function queueKeyOf({ lossBearer, recordCurrency, moneyAtStake }: Queued): string {
  if (moneyAtStake === null) return '';
  return `${queuePrefix(lossBearer === 'host' ? '1' : '0', recordCurrency ?? '')}${stakeKeyOf(moneyAtStake.toString())}`;
}

/** What the keys of one currency begin with. @param owed 1 for what is owed to the host, else 0 */
export function queuePrefix(owed: string, currency: string): string {
  const code = currency.padEnd(3).slice(0, 3);
  return `${owed}${code.replace(/[^A-Z]/g, ' ').replace(/[A-Z]/g, mirrored)}`;
}

interface QueueCells {
  severityRank: RawBuilder<number>;
  stakeKey: RawBuilder<string>;
  queueKey: RawBuilder<string>;
}

/** @param table alias of a table with an event's columns */
export function queueCells(table: string): QueueCells {
  const severity = sql.ref(`${table}.severity`);
  const ranks = SEVERITIES.map((name, rank) => sql`when ${sql.lit(name)} then ${sql.lit(rank)}`);
  const amount = sql`ltrim(${sql.ref(`${table}.money_at_stake`)}, '-')`;
  const whole = sql`case when ${amount} like '%.%' then length(rtrim(${amount}, '0123456789')) - 1 else length(${amount}) end`;
  const stakeKey = sql<string>`substr(${sql.lit(COUNTS)}, ${whole} + 1, 1) || ${amount}`;
  const mirrors = [...LETTERS].map((letter) => sql`when ${sql.lit(letter)} then ${sql.lit(mirrored(letter))}`);
  const currency = sql`coalesce(${sql.ref(`${table}.record_currency`)}, '')`;
  const letters = [1, 2, 3].map(
    (at) => sql`case substr(${currency}, ${sql.lit(at)}, 1) ${sql.join(mirrors, sql` `)} else ' ' end`,
  );
  const owed = sql`case when ${sql.ref(`${table}.loss_bearer`)} = 'host' then '1' else '0' end`;
  return {
    severityRank: sql`case ${severity} ${sql.join(ranks, sql` `)} end`,
    stakeKey: sql`coalesce(${stakeKey}, '')`,
    queueKey: sql`coalesce(${sql.join([owed, ...letters, stakeKey], sql` || `)}, '')`,
  };
}

/** The text that a search covers, from a break `b` and its last event `e`. */
export const SEARCHED = sql`e.explanation || ' ' || b.record_id || ' ' || coalesce(e.host_reference, '')`;

/** Key and text of breaks, for the index of words. */
export function wordsOf(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select b.break_key, ${SEARCHED} from breaks as b join break_events as e on e.event_key = b.last_event_key where ${condition}`;
}
