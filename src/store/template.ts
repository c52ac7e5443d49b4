/** Statements that are built once. On the hot path Kysely takes longer to build a wide statement than SQLite to run it. */
import type { Compilable } from 'kysely';

/**
 * A statement whose parameters are given at each use, in the order in which they stand in its text.
 * @param query built with any values in their places.
 * @throws RangeError, at use, for another number of parameters than the statement has.
 */
export function template(query: Compilable): (parameters: readonly unknown[]) => Compilable {
  const compiled = query.compile();
  const wanted = compiled.parameters.length;
  return (parameters) => {
    if (parameters.length !== wanted) {
      throw new RangeError(`the statement takes ${wanted} parameters, not ${parameters.length}`);
    }
    return { compile: () => ({ ...compiled, parameters }) };
  };
}
