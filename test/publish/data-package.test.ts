/**
 * The description of a set says what its files have: checked on the golden sets, from the description alone, by the text of
 * the standard (Data Package v2, Table Schema v2). No code of the product reads the files here.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { readCsv } from '../e2e/support/csv.ts';
import { readGolden } from '../golden/differences.ts';

const GOLDEN = join(import.meta.dirname, '../golden');

const names = z.array(z.string()).min(1);
const field = z.strictObject({
  name: z.string(),
  type: z.enum(['string', 'number', 'integer', 'boolean', 'date', 'datetime']),
  format: z.literal('default'),
  decimalChar: z.string().optional(),
  trueValues: names.optional(),
  falseValues: names.optional(),
  unit: z.string().optional(),
  description: z.string().min(1),
  constraints: z.strictObject({ required: z.literal(true) }).optional(),
});
const schema = z.strictObject({
  fields: z.array(field).min(1),
  missingValues: z.tuple([z.literal('')]),
  primaryKey: names.optional(),
  foreignKeys: z
    .array(
      z.strictObject({
        fields: names,
        reference: z.strictObject({ resource: z.string().optional(), fields: names }),
      }),
    )
    .optional(),
});
const resource = z.strictObject({
  name: z.string().regex(/^[a-z0-9._-]+$/),
  path: z.string().regex(/^[a-z0-9_.-]+$/),
  type: z.literal('table').optional(),
  description: z.string().optional(),
  dialect: z.looseObject({ delimiter: z.enum([',', ';']), lineTerminator: z.enum(['\n', '\r\n']) }).optional(),
  schema: schema.optional(),
  format: z.string(),
  mediatype: z.string(),
  encoding: z.literal('utf-8').optional(),
  bytes: z.int(),
  hash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  rows: z.int().optional(),
});
const dataPackage = z.strictObject({
  $schema: z.literal('https://datapackage.org/profiles/2.0/datapackage.json'),
  name: z.string().regex(/^[a-z0-9._-]+$/),
  title: z.string(),
  description: z.string(),
  version: z.string(),
  created: z.iso.datetime(),
  resources: z.array(resource).min(1),
});

const LEXICAL = {
  string: /^/,
  number: /^-?\d+(?:[.,]\d+)?$/,
  integer: /^-?\d+$/,
  boolean: /^(?:true|false)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
};

const described = (folder: string) =>
  dataPackage.parse(JSON.parse(readGolden(join(GOLDEN, folder), 'datapackage.json').toString()));

/** Rows of a CSV file by its dialect; the byte order mark is no part of the first name. */
const rowsOf = (folder: string, { path, dialect }: z.infer<typeof resource>) => {
  const text = readGolden(join(GOLDEN, folder), path)
    .toString()
    .replace(/^\uFEFF/, '');
  return readCsv(text, dialect?.delimiter);
};

const SETS = ['standard', 'publish/standard', 'publish/excel', 'publish/excel-eu', 'publish/google-sheets'];

it.each(SETS)('%s: bytes, hash, rows, columns and types of each file are as described', (folder) => {
  const { resources } = described(folder);
  const manifest = JSON.parse(readGolden(join(GOLDEN, folder), 'manifest.json').toString());
  const listed = manifest.files.map(({ name }: { name: string }) => name);
  expect([...resources.map(({ path }) => path), 'datapackage.json']).toEqual(listed);
  for (const each of resources) {
    const bytes = readGolden(join(GOLDEN, folder), each.path);
    expect([bytes.length, `sha256:${createHash('sha256').update(bytes).digest('hex')}`]).toEqual([
      each.bytes,
      each.hash,
    ]);
    if (each.format !== 'csv') continue;
    const { header, rows } = rowsOf(folder, each);
    const fields = each.schema?.fields ?? [];
    expect(header).toEqual(fields.map(({ name }) => name));
    expect(rows).toHaveLength(each.rows ?? -1);
    for (const { name, type, decimalChar = '.', constraints } of fields) {
      for (const cell of rows.map((row) => row[name] ?? '')) {
        // The small sets under publish have definitions of their own, which say nothing of empty cells.
        if (cell === '' && folder === 'standard')
          expect(constraints, `${each.path} ${name} is never empty`).toBeUndefined();
        if (cell !== '') expect(cell, `${each.path} ${name}`).toMatch(LEXICAL[type]);
        if (type === 'number' && /[.,]/.test(cell)) expect(cell).toContain(decimalChar);
      }
    }
  }
});

it('the keys of the night’s files hold: one row each, and every reference is there', () => {
  const tables = new Map(described('standard').resources.map((each) => [each.name, each]));
  let references = 0;
  for (const [name, table] of tables) {
    const keyOf = (rows: readonly Record<string, string | undefined>[], columns: readonly string[]) =>
      rows.map((row) => columns.map((column) => row[column] ?? '').join('\t'));
    const { rows } = rowsOf('standard', table);
    const key = keyOf(rows, table.schema?.primaryKey ?? ['run_id']);
    if (table.schema?.primaryKey !== undefined) expect(new Set(key).size, name).toBe(rows.length);
    for (const { fields, reference } of table.schema?.foreignKeys ?? []) {
      const target = tables.get(reference.resource ?? name);
      if (target === undefined) throw new Error(`${name} refers to ${reference.resource}, which is not in the set`);
      const known = new Set(keyOf(rowsOf('standard', target).rows, reference.fields));
      for (const value of keyOf(rows, fields).filter((each) => each.trim() !== '')) expect(known).toContain(value);
      references++;
    }
  }
  expect(references).toBeGreaterThan(3);
});

it('in NDJSON exact numbers are texts, and tables refer to the tables of their format', () => {
  const { resources } = described('publish/standard');
  const json = resources.find(({ name }) => name === 'fees-json');
  expect(json?.mediatype).toBe('application/x-ndjson');
  expect(json?.schema?.fields.find(({ name }) => name === 'applied_fee_variance')?.type).toBe('string');
});
