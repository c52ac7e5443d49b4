/** The words of breaks as arrays of lexemes, which are searched without a dictionary: ids and amounts have none. */
import { type SqlBool, sql } from 'kysely';
import type { WordIndex } from '../engine.ts';

/** A list instead of a character class, because the letters of a class depend on the server's locale. */
const BETWEEN_WORDS = String.raw`[\s!-/:-@[-\`{-~\u0080-\u00bf\u2000-\u206f]+`;
/** A lexeme has at most 2,046 bytes, a character at most four, and a repetition at most 255. */
const LONG_WORD = '(\\S{255})\\S+';

const asked = (word: string, isBegun: boolean) => `'${word}'${isBegun && word.length > 1 ? ':*' : ''}`;

const queryOf = (words: readonly string[], isBegun: boolean) =>
  words.map((word, i) => asked(word, isBegun && i === words.length - 1)).join(' & ');

export const POSTGRES_WORDS: WordIndex = {
  make: [
    sql`create table break_words (break_key bigint primary key, words tsvector not null)`,
    sql`create index break_words_words on break_words using gin (words)`,
  ],
  add: (rows) => {
    const spaced = sql`regexp_replace(lower(left(given.text, 20000)), ${sql.lit(BETWEEN_WORDS)}, ' ', 'g')`;
    const short = sql`regexp_replace(${spaced}, ${sql.lit(LONG_WORD)}, '\\1', 'g')`;
    return sql`insert into break_words (break_key, words)
      select given.break_key, array_to_tsvector(array_remove(string_to_array(${short}, ' '), ''))
      from (${rows}) as given (break_key, text)
      on conflict (break_key) do update set words = excluded.words`;
  },
  keysWith: (words, last) =>
    sql`select break_key from break_words where words @@ ${queryOf(words, last === 'begun')}::tsquery`,
  has: (words, key) => sql<SqlBool>`exists (
    select 1 from break_words as w where w.break_key = ${key} and w.words @@ ${queryOf(words, true)}::tsquery)`,
};
