import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { IntakeItem } from '../../src/intake/contract.ts';
import { importQuotes, importTracked } from '../../src/intake/import.ts';
import { readQuotes } from '../../src/intake/read-quotes.ts';
import { openRejects } from '../../src/intake/rejects-file.ts';
import type { QuoteAnswer } from '../../src/ports/service.ts';
import type { TrackedInput, TrackOutcome } from '../../src/ports/store/store.ts';
import { aQuote } from '../support/builders.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { all, chunked } from './reading.ts';

inThisOrder();

const facts = (id: string): TrackedInput => ({
  kind: 'purchase',
  id,
  token: 't',
  createdAt: null,
  hostReference: null,
  quoteId: null,
  expectedStatus: null,
});

async function* items(...ids: string[]): AsyncGenerator<IntakeItem<TrackedInput>> {
  yield { type: 'note', text: 'columns ignored: plan' };
  for (const [index, id] of ids.entries()) {
    yield id === 'bad'
      ? { type: 'rejected', line: index + 2, reason: 'id is missing', raw: 'purchase,,[cut]' }
      : { type: 'good', line: index + 2, value: facts(id) };
  }
}

/** A store that answers by the id's first letter, and remembers its batches. */
function aStore() {
  const batches: { ids: string[]; origin: string; at: number }[] = [];
  const answer = (id: string): TrackOutcome =>
    id.startsWith('c')
      ? { outcome: 'conflict', detail: 'known with another token' }
      : { outcome: id.startsWith('u') ? 'unchanged' : id.startsWith('f') ? 'updated' : 'added' };
  return {
    batches,
    add: async (lines: readonly TrackedInput[], origin: string, at: number) => {
      batches.push({ ids: lines.map(({ id }) => id), origin, at });
      return lines.map(({ id }) => answer(id));
    },
  };
}

describe('importing tracked records', () => {
  it('adds up the store’s outcomes and the rejected lines', async () => {
    const tracked = aStore();
    const summary = await importTracked(items('a1', 'u1', 'bad', 'c1', 'f1', 'a2'), { tracked, now: () => 42 });
    expect(summary).toEqual({
      added: 2,
      updated: 1,
      unchanged: 1,
      conflictCount: 1,
      conflicts: [{ line: 5, detail: 'known with another token' }],
      rejectedCount: 1,
      rejected: [{ type: 'rejected', line: 4, reason: 'id is missing', raw: 'purchase,,[cut]' }],
      notes: ['columns ignored: plan'],
    });
    expect(tracked.batches).toEqual([{ ids: ['a1', 'u1', 'c1', 'f1', 'a2'], origin: 'import', at: 42 }]);
  });

  it('goes to the store in batches, and counts all of what it only lists the first of', async () => {
    const tracked = aStore();
    const progress: number[] = [];
    const ids = Array.from({ length: 10_000 }, (_, index) => (index % 2 === 0 ? `a${index}` : 'bad'));
    const seen: number[] = [];
    const summary = await importTracked(items(...ids), {
      tracked,
      now: () => 0,
      onProgress: (lines) => progress.push(lines),
      onRejected: (line) => void seen.push(line.line),
    });
    expect(tracked.batches.map((batch) => batch.ids.length)).toEqual([2_000, 2_000, 1_000]);
    expect(summary.rejectedCount).toBe(5_000);
    expect(summary.rejected).toHaveLength(1_000);
    expect(seen).toHaveLength(5_000);
    expect(progress).toEqual([3_999, 7_999, 10_000]);
  });

  it('stops between batches when asked to', async () => {
    const tracked = aStore();
    const stop = new AbortController();
    const ids = Array.from({ length: 4_800 }, (_, index) => `a${index}`);
    const importing = importTracked(items(...ids), {
      tracked,
      now: () => 0,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(importing).rejects.toThrow('aborted');
    expect(tracked.batches).toHaveLength(1);
  });
});

describe('importing quotes', () => {
  const parse = (text: string) => {
    const id = text.trim();
    return id === 'bad'
      ? { ok: false as const, problems: ['direction is missing', 'captured_at is missing'] }
      : { ok: true as const, quote: aQuote({ quoteId: id }), request: '{}', response: '{}' };
  };

  it('adds up what the store said', async () => {
    const quotes = {
      add: async (lines: readonly QuoteAnswer[]) =>
        lines.map(({ quote }) => (quote.quoteId === 'q2' ? ('conflict' as const) : ('added' as const))),
    };
    const reading = readQuotes(chunked('q1\n\nq2\nbad\n'), 'quotes.ndjson', parse);
    expect(await importQuotes(reading, { quotes, now: () => 0 })).toEqual({
      added: 1,
      updated: 0,
      unchanged: 0,
      conflictCount: 1,
      conflicts: [{ line: 3, detail: 'quote q2 is stored with other content; the stored one stays' }],
      rejectedCount: 1,
      rejected: [{ type: 'rejected', line: 4, reason: 'direction is missing; captured_at is missing', raw: 'bad' }],
      notes: [],
    });
  });

  it('rejects a line that is no text, with its number', async () => {
    const bytes = Buffer.concat([Buffer.from('q1\n'), Buffer.from([0xff]), Buffer.from('\nq2\n')]);
    const reading = await all(readQuotes(chunked(bytes), 'quotes.ndjson', parse));
    expect(reading.map(({ type }) => type)).toEqual(['good', 'rejected', 'good']);
    expect(reading[1]).toMatchObject({ line: 2, reason: 'is not UTF-8' });
  });
});

describe('the file of rejected lines', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-rejects-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is NDJSON and its owner’s alone, also where an older one was not', async () => {
    const path = join(folder, 'rejects.ndjson');
    writeFileSync(path, 'old\n');
    chmodSync(path, 0o644);
    const file = await openRejects(path);
    await file.add('ids.csv', { type: 'rejected', line: 3, reason: 'id is missing', raw: 'purchase,,[cut]' });
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe(
      '{"file":"ids.csv","line":3,"reason":"id is missing","raw":"purchase,,[cut]"}\n',
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is CSV where its name says so, without formulas', async () => {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'rejects.CSV');
    const file = await openRejects(path);
    await file.add('ids.csv', { type: 'rejected', line: 3, reason: 'a "b", c', raw: '=1+1' });
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('file,line,reason,raw\nids.csv,3,"a ""b"", c",\'=1+1\n');
    await expect(file.add('ids.csv', { type: 'rejected', line: 4, reason: '', raw: '' })).rejects.toThrow('closed');
  });
});
