/** The words of breaks in FTS5: row ids and no text, which `break_events` has already. */
import { type SqlBool, sql } from 'kysely';
import type { WordIndex } from '../engine.ts';

/** A quoted word is no operator; one character would be the prefix of too many words. */
const asked = (word: string, isBegun: boolean) => `"${word}"${isBegun && word.length > 1 ? '*' : ''}`;

export const SQLITE_WORDS: WordIndex = {
  make: [
    sql`create virtual table break_words using fts5(words, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 0')`,
  ],
  add: (rows) => sql`insert or replace into break_words (rowid, words) ${rows}`,
  has: (words, _key, text) => sql<SqlBool>`has_words(${text}, ${JSON.stringify(words)})`,
  keysWith: (words, last) => {
    const match = words.map((word, i) => asked(word, last === 'begun' && i === words.length - 1)).join(' AND ');
    return sql`select rowid as break_key from break_words where break_words match ${match}`;
  },
};

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The SQL function `has_words`, by the same rules as the index. */
export function hasWords(text: unknown, asJson: unknown): 0 | 1 {
  const words = JSON.parse(String(asJson)) as string[];
  const found = new Set(String(text).toLowerCase().match(WORD) ?? []);
  const [last = '', others] = [words.at(-1), words.slice(0, -1)];
  if (!others.every((word) => found.has(word))) return 0;
  return found.has(last) || (last.length > 1 && [...found].some((word) => word.startsWith(last))) ? 1 : 0;
}
