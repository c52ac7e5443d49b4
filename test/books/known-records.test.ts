import { describe, expect, it } from 'vitest';
import { knownRecords } from '../../src/books/known-records.ts';
import type { KnownRecord, LatestScope } from '../../src/ports/store/store.ts';

const SCOPE: LatestScope = { kind: 'purchase', createdFrom: null, createdTo: null };

const record = (n: number): KnownRecord => ({
  kind: 'purchase',
  recordId: `p${n}`,
  hostReference: null,
  lastVerifiedAt: null,
  toldCreatedAt: null,
  countedAt: 0,
  earned: null,
  state: null,
});

/** A store with records p1 … pN; writes down what it was asked for. */
function storeOf(population: number) {
  const asked: { scope: LatestScope; after: { kind: string; recordId: string } | null; limit: number }[] = [];
  const latest = async (scope: LatestScope, after: { kind: string; recordId: string } | null, limit: number) => {
    asked.push({ scope, after, limit });
    const from = after === null ? 1 : Number(after.recordId.slice(1)) + 1;
    const count = Math.max(0, Math.min(limit, population - from + 1));
    return Array.from({ length: count }, (_, n) => record(from + n));
  };
  return { asked, latest };
}

async function walk(store: ReturnType<typeof storeOf>) {
  const ids: string[] = [];
  for await (const { recordId } of knownRecords(store, SCOPE)) ids.push(recordId);
  return ids;
}

describe('walking the known facts of every record', () => {
  it('goes on where the last page ended, to the last record', async () => {
    const store = storeOf(2500);
    const ids = await walk(store);
    expect(ids).toHaveLength(2500);
    expect(new Set(ids).size).toBe(2500);
    expect(store.asked).toEqual([
      { scope: SCOPE, after: null, limit: 1000 },
      { scope: SCOPE, after: { kind: 'purchase', recordId: 'p1000' }, limit: 1000 },
      { scope: SCOPE, after: { kind: 'purchase', recordId: 'p2000' }, limit: 1000 },
    ]);
  });

  it('asks for a further page after a full one', async () => {
    const store = storeOf(1000);
    expect(await walk(store)).toHaveLength(1000);
    expect(store.asked).toHaveLength(2);
  });

  it('returns no record where none is tracked', async () => {
    const store = storeOf(0);
    expect(await walk(store)).toEqual([]);
    expect(store.asked).toHaveLength(1);
  });
});
