/**
 * When which reference data were captured. One row of `reference_captures` has a whole pass over the lists, as pairs of
 * content and time: a list that did not change costs a dozen bytes. Rows of earlier versions have one list each.
 */
import type { Direction, Instant } from '../domain/record.ts';
import type { Engine } from './engine.ts';
import type { ReferenceType } from './schema/quotes.ts';

/** Captures of one list up to a watermark, by time. */
export interface Timeline {
  times: Float64Array;
  contents: Float64Array;
}

/** Content and time of each list of a pass. */
export type PassEntries = readonly (readonly [contentKey: number, at: Instant])[];

/** Type of a row that has a pass; its content is that of the first entry. */
export const PASS = 'pass';

export const listName = (type: ReferenceType | typeof PASS, direction: Direction | '', currency: string) =>
  `${type} ${direction} ${currency}`;

/** Of every list by its name, of captures with keys up to the watermark. */
export async function readTimelines(engine: Engine, watermark: number): Promise<ReadonlyMap<string, Timeline>> {
  const contents = await engine.rows(
    engine.db.selectFrom('reference_contents').select(['content_key', 'type', 'direction', 'currency']),
  );
  const names = new Map(
    contents.map(([key, ...of]) => [key as number, listName(...(of as Parameters<typeof listName>))]),
  );
  const rows = await engine.rows(
    engine.db
      .selectFrom('reference_captures')
      .select(['captured_at', 'content_key', 'entries'])
      .where('capture_key', '<=', watermark)
      .orderBy('capture_key'),
  );
  const found = new Map<string, [at: Instant, contentKey: number][]>();
  for (const [capturedAt, key, entries] of rows) {
    const pass: PassEntries =
      entries === null ? [[key as number, capturedAt as number]] : (JSON.parse(entries as string) as PassEntries);
    for (const [contentKey, at] of pass) {
      const name = names.get(contentKey) ?? '';
      const known = found.get(name);
      if (known === undefined) found.set(name, [[at, contentKey]]);
      else known.push([at, contentKey]);
    }
  }
  return new Map([...found].map(([name, captures]) => [name, timelineOf(captures)]));
}

/** Of several captures at one time, the one stored last is the last: sorting is stable. */
function timelineOf(captures: [at: Instant, contentKey: number][]): Timeline {
  captures.sort(([a], [b]) => a - b);
  return {
    times: Float64Array.from(captures, ([at]) => at),
    contents: Float64Array.from(captures, ([, contentKey]) => contentKey),
  };
}
