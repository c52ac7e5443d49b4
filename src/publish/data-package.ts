/**
 * `datapackage.json`: a set described for programs, as Data Package v2 (https://datapackage.org/standard/data-package/) has
 * it. Every file with its bytes and hash, every column with its type, unit and meaning, and the keys between files. Made of
 * the definitions alone, so that the same set gives the same bytes.
 */
import type { Column, ReportDefinition, WrittenFile } from '../ports/report-definition.ts';
import type { ManifestFacts } from './manifest.ts';
import type { Profile } from './profiles.ts';
import { fileOf } from './table-file.ts';

export const DATA_PACKAGE = 'datapackage.json';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  html: 'text/html',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** @param files of the set, without this one and without the manifest, which proves both. */
export function dataPackageText(
  facts: ManifestFacts,
  files: readonly WrittenFile[],
  definitions: readonly ReportDefinition<never>[],
  profile: Profile,
): string {
  const there = new Set(definitions.map(({ name }) => name));
  const tables = new Map(
    definitions.flatMap((definition) => [
      [fileOf(definition), csvTable(definition, profile, there)],
      [fileOf(definition, 'json'), { ...about(definition), schema: schemaOf(definition, '-json', null, there) }],
    ]),
  );
  const { run_id: run, business_date: date, revision } = facts;
  const described = {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: run.toLowerCase().replaceAll(/[^a-z0-9._-]/g, '-'),
    title: `Tieout: ${facts.job} of ${date}, revision ${revision}`,
    description: 'Reconciliation of purchases and sales. manifest.json proves these files.',
    version: `${date}-r${revision}`,
    created: facts.finished_at,
    resources: files.map(({ name, bytes, rows, sha256 }) => {
      const format = name.slice(name.lastIndexOf('.') + 1);
      return {
        // `records`, and `records-json` for the same rows as NDJSON.
        name: name.endsWith('.csv') ? name.slice(0, -4) : name.replace(/\.ndjson$/, '.json').replaceAll('.', '-'),
        path: name,
        ...tables.get(name),
        format,
        mediatype: MEDIA_TYPES[format] ?? 'application/octet-stream',
        ...(format === 'xlsx' ? {} : { encoding: 'utf-8' }),
        bytes,
        hash: `sha256:${sha256}`,
        ...(rows === null ? {} : { rows }),
      };
    }),
  };
  return `${JSON.stringify(described, null, 2)}\n`;
}

function about({ description }: ReportDefinition<never>) {
  return { type: 'table', description };
}

function csvTable(definition: ReportDefinition<never>, profile: Profile, there: ReadonlySet<string>) {
  const { delimiter, lineEnd: lineTerminator } = profile;
  return {
    ...about(definition),
    dialect: { delimiter, lineTerminator, quoteChar: '"', doubleQuote: true, header: true },
    schema: schemaOf(definition, '', profile, there),
  };
}

/** @param profile of a CSV file; null for NDJSON, where exact numbers are texts and unknown is null. */
function schemaOf(
  { name, columns, key, refersTo = [] }: ReportDefinition<never>,
  suffix: '' | '-json',
  profile: Profile | null,
  there: ReadonlySet<string>,
) {
  const foreignKeys = refersTo
    .filter(({ report }) => there.has(report))
    .map(({ fields, report, to = fields }) => ({
      fields,
      // A table that refers to itself does not name itself.
      reference: { ...(report === name ? {} : { resource: `${report}${suffix}` }), fields: to },
    }));
  return {
    fields: columns.map((column) => fieldOf(column, profile)),
    missingValues: [''],
    ...(key === undefined ? {} : { primaryKey: key }),
    ...(foreignKeys.length === 0 ? {} : { foreignKeys }),
  };
}

function fieldOf(column: Column<never>, profile: Profile | null) {
  const { name, description, unit, sign, empty } = column;
  const measured = unit ?? (column.type === 'amount' ? `currency in ${column.currencyColumn}` : undefined);
  const notes = [sign ?? [], empty === undefined ? [] : `empty: ${empty}`].flat();
  return {
    name,
    ...typeOf(column, profile),
    ...(measured === undefined ? {} : { unit: measured }),
    description: [description, ...notes].join('; '),
    ...(empty === undefined ? { constraints: { required: true } } : {}),
  };
}

function typeOf({ type }: Column<never>, profile: Profile | null): Readonly<Record<string, unknown>> {
  switch (type) {
    case 'text':
    case 'id':
      return { type: 'string', format: 'default' };
    case 'date':
      return { type: 'date', format: 'default' };
    case 'instant':
      return { type: 'datetime', format: 'default' };
    case 'count':
      return { type: 'integer', format: 'default' };
    case 'boolean':
      return { type: 'boolean', format: 'default', trueValues: ['true'], falseValues: ['false'] };
    case 'units':
      // Spreadsheets keep 15 digits: profiles for them mark whole numbers as texts.
      return { type: profile === null || profile.guardsNumerals ? 'string' : 'integer', format: 'default' };
    case 'percent':
    case 'amount':
      if (profile === null) return { type: 'string', format: 'default' };
      return {
        type: 'number',
        format: 'default',
        ...(profile.decimalPoint === '.' ? {} : { decimalChar: profile.decimalPoint }),
      };
  }
}
