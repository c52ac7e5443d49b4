/** Renders a closed month again, in other formats or to another folder: the close alone, as it was sealed. */
import type { PeriodEdges } from './edges.ts';
import { publishPeriod } from './publish.ts';
import { periodOfSet } from './sealed-states.ts';
import { carriedSets } from './stating.ts';

interface Rendering {
  publication: PeriodEdges['publication'];
  documents: PeriodEdges['documents'];
}

/**
 * @returns the folder, relative to the out folder of the rendering
 * @throws UsageError; PeriodDamagedError (exit 1); PublicationError (4)
 */
export async function renderPeriod(
  edges: PeriodEdges,
  period: string,
  rendering: Rendering,
  signal: AbortSignal,
): Promise<string> {
  const { periods } = edges.store;
  const { closed, close } = await periodOfSet(edges, period);
  const { folder } = await publishPeriod({
    edges: { ...edges, ...rendering },
    statement: close,
    carried: await carriedSets(edges, closed.period, await periods.list(), 'sealed'),
    deltaOf: null,
    fence: null,
    signal,
  });
  return folder;
}
