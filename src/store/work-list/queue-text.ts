/** What the text of a search asks for: words of a break, the beginning of its id, or that of a rule's code. */
import { type RawBuilder, sql } from 'kysely';
import type { QueueFilter } from '../../ports/store/store.ts';
import type { Engine } from '../engine.ts';

const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
const BREAK_ID = /^[0-9a-f]{6,64}$/;

/** Pages group digits, sentences do not: 27,170.90 is found as 27170.90. */
const GROUPED = /(\d),(?=\d{3}(?!\d))/g;

export const wordsIn = (text: string) => text.replaceAll(GROUPED, '$1').toLowerCase().match(WORDS) ?? [];

/** Keys of breaks that have every word of the text; the text may be the beginning of a break id, too. */
export function keysWithText(engine: Engine, text: string): RawBuilder<unknown> {
  const words = wordsIn(text);
  if (words.length === 0) return sql`select break_key from breaks where 1 = 0`;
  const withWords = engine.words.keysWith(words, 'begun');
  const id = text.toLowerCase();
  return BREAK_ID.test(id)
    ? sql`select break_key from breaks where break_id >= ${id} and break_id < ${`${id}g`} union ${withWords}`
    : withWords;
}

/** Written as a rule or field is (`fee_applied`, `SLIPPAGE`), not as a word of a sentence. */
const RULE_BEGUN = /^(?:[A-Z][A-Z0-9]{2,}|[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]*)$/;

export interface Wanted extends QueueFilter {
  /** The beginning of a rule's code. */
  ruleBegun?: string;
}

/** A text that is the beginning of a code asks for rules, not for words. */
export function withRuleOf({ text, ...filter }: QueueFilter): Wanted {
  if (text === undefined) return filter;
  return RULE_BEGUN.test(text.trim()) ? { ...filter, ruleBegun: text.trim().toUpperCase() } : { ...filter, text };
}
