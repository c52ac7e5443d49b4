/**
 * The sort keys of the queue, as SQL over an event's columns for both engines. Written with each event of a break, so
 * that the first page of a million is read from an index.
 */
import { type RawBuilder, sql } from 'kysely';
import { SEVERITIES } from '../../domain/finding.ts';

/** ASCII order, one character for each possible number of integer digits; amounts have at most 40. */
const COUNTS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytewise order of these texts is the order of the amounts without their sign; exact, and empty for no amount. */
export function stakeKeyOf(amount: string | null): string {
  if (amount === null) return '';
  const plain = amount.replace('-', '');
  return `${COUNTS.charAt(plain.split('.')[0]?.length ?? 0)}${plain}`;
}

interface QueueCells {
  severityRank: RawBuilder<number>;
  stakeKey: RawBuilder<string>;
}

/** @param table alias of a table with an event's columns */
export function queueCells(table: string): QueueCells {
  const severity = sql.ref(`${table}.severity`);
  const ranks = SEVERITIES.map((name, rank) => sql`when ${sql.lit(name)} then ${sql.lit(rank)}`);
  const amount = sql`ltrim(${sql.ref(`${table}.money_at_stake`)}, '-')`;
  const whole = sql`case when ${amount} like '%.%' then length(rtrim(${amount}, '0123456789')) - 1 else length(${amount}) end`;
  return {
    severityRank: sql`case ${severity} ${sql.join(ranks, sql` `)} end`,
    stakeKey: sql`coalesce(substr(${sql.lit(COUNTS)}, ${whole} + 1, 1) || ${amount}, '')`,
  };
}

/** The text that a search covers, from a break `b` and its last event `e`. */
export const SEARCHED = sql`e.explanation || ' ' || b.record_id || ' ' || coalesce(e.host_reference, '')`;

/** Key and text of breaks, for the index of words. */
export function wordsOf(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select b.break_key, ${SEARCHED} from breaks as b join break_events as e on e.event_key = b.last_event_key where ${condition}`;
}
