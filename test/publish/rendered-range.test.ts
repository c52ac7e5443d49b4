/** A thread renders one range after another; each leaves it with its own rows and none of the others'. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, UsageError } from '../../src/domain/errors.ts';
import { RecordNotPrintedError } from '../../src/ports/report-set.ts';
import type { OutsideBreak, Report, SettledRecord } from '../../src/ports/settled.ts';
import { memoryOf, printingToNowhere, type RangeSettings, rangeRenderer } from '../../src/publish/rendered-range.ts';
import { ReportRows } from '../../src/publish/report-rows.ts';
import { aRecord, FEES, facts, openPublication, RECORDS, THREE_RECORDS, TWO_FEES } from './support/a-set.ts';
import { tempFolders } from './support/temp-folder.ts';

const FACTS = { runId: 'nightly-2026-11-20-r1', businessDate: '2026-11-20', timezone: 'UTC' };

/** Renders records with these ids, as CSV and NDJSON, and hands the memory over as a thread does. */
function rangeOf(...ids: string[]): string[] {
  const range = rangeRenderer([], FACTS, { profile: 'standard', decimals: 'exact', formats: ['csv', 'json'] });
  const report = range.open(RECORDS);
  for (const id of ids) report.write([aRecord({ id })]);
  const rendered = range.rendered();
  const { tables } = structuredClone(rendered, { transfer: memoryOf(rendered) });
  return tables.map(({ pieces }) => Buffer.concat(pieces).toString());
}

const ids = (text: string | undefined) => text?.match(/\b[ab]\d+\b/g) ?? [];

const tempFolder = tempFolders();

it('ranges after one another share no row, and neither do the tables of one', () => {
  const [first, second] = [rangeOf('a1', 'a2', 'a3'), rangeOf('b1')];
  expect(first.map(ids)).toEqual([
    ['a1', 'a2', 'a3'],
    ['a1', 'a2', 'a3'],
  ]);
  expect(second.map(ids)).toEqual([['b1'], ['b1']]);
  expect(second[0]).not.toContain('{');
  expect(second[0]).not.toContain('record_id');
  expect(second[1]).toMatch(/^\{.*\}\n$/);
});

it('a range of more text than a buffer holds is whole', () => {
  const many = Array.from({ length: 2000 }, (_, n) => `a${n}`);
  expect(rangeOf(...many).map(ids)).toEqual([many, many]);
});

it('a row of more text than a buffer holds comes between the rows before and after it', () => {
  const long = `a7 ${'ż'.repeat(40_000)}`;
  expect(rangeOf('a1', long, 'a2').map((text) => ids(text).join(' '))).toEqual(['a1 a7 a2', 'a1 a7 a2']);
  expect(rangeOf('a1', long, 'a2')[0]).toContain(long);
});

it.each(['exact', 'minor-units'] as const)(
  'ranges put together are the set that one thread writes, %s',
  async (decimals) => {
    const settings: RangeSettings = { profile: 'excel-eu', decimals, formats: ['csv', 'json'] };
    const records = [...THREE_RECORDS, aRecord({ id: 'sd', currency: 'KWD' })];
    const publish = async (write: (publication: ReturnType<typeof openPublication>) => void) => {
      const out = tempFolder();
      const publication = openPublication({ out, ...settings });
      write(publication);
      await publication.publish(facts());
      return ['records.csv', 'records.ndjson', 'fees.csv', 'manifest.json'].map((name) =>
        readFileSync(join(out, 'latest', name), 'utf8'),
      );
    };
    const whole = await publish((publication) => {
      publication.open(RECORDS).write(records);
      publication.open(FEES).write(TWO_FEES);
    });
    const inRanges = await publish((publication) => {
      publication.open(RECORDS);
      publication.open(FEES);
      for (const range of [records.slice(0, 1), records.slice(1, 3), [], records.slice(3)]) {
        const renderer = rangeRenderer([], FACTS, settings);
        renderer.open(RECORDS).write(range);
        renderer.open(FEES).write(TWO_FEES.filter(({ id }) => range.some((each) => each.id === id)));
        publication.append(renderer.rendered().tables);
      }
    });
    expect(inRanges).toEqual(whole);
  },
);

it('a range that the disk does not take leaves nothing, and says what happened', () => {
  const out = tempFolder();
  const publication = openPublication({ out });
  publication.open(RECORDS);
  const full = {
    rows: 1,
    totals: { printed: new Map(), exact: null },
    get pieces(): never {
      throw Object.assign(new Error('write'), { code: 'ENOSPC' });
    },
  };
  expect(() => publication.append([full])).toThrow(/^A report cannot be written: the disk is full \(ENOSPC\)/);
  expect(existsSync(join(out, '2026-11-20/.nightly-r1.test.partial'))).toBe(false);
});

describe('a record that cannot be printed', () => {
  /** A report of texts, whose column fails where a test says so. */
  const report = (fail: (text: string) => void): Report => {
    const definition = {
      name: 'x',
      description: '',
      columns: [
        {
          name: 'x',
          type: 'text' as const,
          description: '',
          value: (text: string) => {
            fail(text);
            return text;
          },
        },
      ],
    };
    return {
      definition,
      start: (_, opener) => {
        const file = opener.open(definition);
        return {
          record: ({ recordId }) => file.write([recordId]),
          outside: ({ recordId }) => file.write([recordId]),
          partial: () => null,
          absorb: () => undefined,
          end: () => undefined,
        };
      },
    };
  };
  const settings: RangeSettings = { profile: 'standard', decimals: 'exact', formats: ['csv'] };
  const record = { kind: 'sale', recordId: 's-9' } as unknown as SettledRecord;
  const thrown = (work: () => void): unknown => {
    try {
      work();
    } catch (error) {
      return error;
    }
    return null;
  };
  const failing = (error: Error) =>
    printingToNowhere(
      [
        report(() => {
          throw error;
        }),
      ],
      FACTS,
      settings,
    );

  it('is named, with the cause', () => {
    const cause = new RangeError('no calendar');
    const error = thrown(() => failing(cause)(record));
    expect(error).toBeInstanceOf(RecordNotPrintedError);
    expect(error).toMatchObject({
      message: 'sale s-9 cannot be printed',
      record: { kind: 'sale', recordId: 's-9' },
      cause,
    });
    expect(thrown(() => printingToNowhere([report(() => undefined)], FACTS, settings)(record))).toBeNull();
  });

  it('is not taken for the cause where the disk, or Tieout itself, refuses', () => {
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    expect(thrown(() => failing(full)(record))).toBe(full);
    expect(codeOf(full)).toBe('ENOSPC');
    const own = new UsageError('no such profile');
    expect(thrown(() => failing(own)(record))).toBe(own);
  });

  it('outside the run is named as well; a payout is not a record', () => {
    const cause = new RangeError('no calendar');
    const rows = new ReportRows(
      [
        report(() => {
          throw cause;
        }),
      ],
      FACTS,
      rangeRenderer([], FACTS, settings),
    );
    const outside = (kind: string) => ({
      records: [],
      outside: [{ kind, recordId: 'p-1' } as unknown as OutsideBreak],
    });
    expect(thrown(() => rows.write(outside('purchase')))).toMatchObject({
      record: { kind: 'purchase', recordId: 'p-1' },
      cause,
    });
    expect(thrown(() => rows.write(outside('payout')))).toBe(cause);
  });
});

it('revenue and the sums of other threads reach the reports that ask for them', () => {
  const told: unknown[] = [];
  const listening = (name: string): Report => ({
    definition: RECORDS as unknown as Report['definition'],
    start: () => ({
      record: () => undefined,
      outside: () => undefined,
      ...(name === 'first' ? { revenue: (each: unknown) => void told.push(['revenue', each]) } : {}),
      partial: () => name,
      absorb: (sums: unknown) => void told.push([name, sums]),
      end: () => undefined,
    }),
  });
  const opener = rangeRenderer([], FACTS, { profile: 'standard', decimals: 'exact', formats: [] });
  const rows = new ReportRows([listening('first'), listening('second')], FACTS, opener);
  rows.write({ records: [], outside: [] });
  rows.write({ records: [], outside: [], revenue: ['a month'] as never });
  rows.absorb([1, 2]);
  expect(told).toEqual([
    ['revenue', ['a month']],
    ['first', 1],
    ['second', 2],
  ]);
  expect(rows.partial()).toEqual(['first', 'second']);
});
