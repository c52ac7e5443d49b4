/** Renders a closed month again, in other formats or to another folder: the close alone, as it was sealed. */
import { RunBook } from '../reconcile/run-book.ts';
import type { PeriodEdges } from './edges.ts';
import { periodRange } from './month.ts';
import { publishPeriod } from './publish.ts';
import { sealedPeriod } from './sealed-states.ts';

interface Rendering {
  publication: PeriodEdges['publication'];
  documents: PeriodEdges['documents'];
}

/**
 * @returns the folder, relative to the out folder of the rendering
 * @throws PeriodNameError, PeriodNotClosedError (exit 2); PeriodDamagedError (1); PublicationError (4)
 */
export async function renderPeriod(
  edges: PeriodEdges,
  period: string,
  rendering: Rendering,
  signal: AbortSignal,
): Promise<string> {
  const { periods } = edges.store;
  const { closed, statements } = await sealedPeriod(edges, period);
  const [statement] = statements;
  if (statement === undefined) throw new Error(`the close of ${period} is not among its statements`);
  const all = (await Promise.all((await periods.list()).map((each) => periods.statements(each.period)))).flat();
  const { folder } = await publishPeriod({
    edges: { ...edges, ...rendering },
    book: new RunBook(periods),
    range: periodRange(closed.period, closed.timezone),
    statement,
    carried: all.filter(({ carriedIn, state }) => carriedIn === closed.period && state === 'sealed'),
    deltaOf: null,
    fence: null,
    signal,
  });
  return folder;
}
