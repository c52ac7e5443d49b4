import { expect, it } from 'vitest';
import { isNode, type SyntaxNode, sourceFiles } from './source-files.ts';

/**
 * Symbols, chains, currencies, statuses and names of fields come from outside, and one may be `__proto__` or `constructor`.
 * A map of such names is a Map, or an object without a prototype; never a plain object that is written to by name.
 */

/** Files that write to a plain object or list by a computed key, and why the key is not a name from outside. */
const OWN_KEYS: Readonly<Record<string, string>> = {
  'reports/ageing.ts': 'bands of ages',
  'reports/html/breaks.ts': 'positions',
  'reports/html/fee-variance.ts': 'positions',
  'reports/html/outcome.ts': 'verdicts',
  'reports/html/slippage.ts': 'positions, and parts of the difference by names of ours',
  'src/books/journal/datev.ts': 'positions',
  'src/books/reconciliation.ts': 'bands of ages',
  'src/app/chains.ts': 'positions',
  'src/domain/partial-sums.ts': 'fields of the sums of a report; sums by names are Maps',
  'reports/define.ts': 'positions',
  'reports/html/volume.ts': 'purchases and sales',
  'src/evidence/chain/bitcoin/transaction.ts': 'positions',
  'src/intake/webhooks/accept.ts': 'positions',
  'src/pages/session.ts': 'the four values of a session, by names of ours',
  'src/periods/movement.ts': 'columns of the movement of breaks',
  'src/periods/publish.ts': 'positions',
  'src/openapi/shared-document.ts': 'a path of ours',
  'src/publish/amounts.ts': 'positions',
  'src/publish/html/charts.ts': 'positions',
  'src/publish/csv-file.ts': 'positions',
  'src/publish/documents.ts': 'positions',
  'src/reconcile/build-cases.ts': 'positions',
  'src/reconcile/market-of.ts': 'positions',
  'src/reconcile/stop-rules.ts': 'counts of answers, by names of ours',
  'src/sandbox/limiter.ts': 'positions',
  'src/sandbox/quote-bodies.ts': 'names of methods in the catalogue',
  'src/sandbox/statement.ts': 'fates of the planted months',
  'src/sandbox/widget/settings.ts': 'names of parameters',
  'src/service/evidence.ts': 'without a prototype',
  'src/service/exact-json.ts': 'without a prototype',
  'src/service/known-tokens.ts': 'positions',
  'src/service/wire/identifier-name.ts': 'without a prototype',
  'src/store/deliveries.ts': 'origins',
  'src/store/plan.ts': 'due classes',
  'src/store/read-breaks.ts': 'severities',
  'src/store/reference-in-use.ts': 'positions',
  'src/store/schema/places.ts': 'columns and properties of ours',
  'src/store/summed-rows.ts': 'positions',
  'src/store/upkeep.ts': 'tables',
};

/** `z.record` leaves a key `__proto__` out: what it reads is not what it printed. */
const OWN_RECORDS: Readonly<Record<string, string>> = {
  'src/publish/manifest.ts': 'codes of rules and names of columns',
  'src/store/archive-file.ts': 'tables of an archive, looked up by the names that Tieout has',
  'src/service/wire/scalars.ts': 'prices by currency: none has that name, and nothing is printed again',
};

function writesByName({ type, left }: SyntaxNode): boolean {
  return type === 'AssignmentExpression' && isNode(left) && left.type === 'MemberExpression' && left.computed === true;
}

function isZodRecord({ type, callee }: SyntaxNode): boolean {
  if (type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return false;
  const { object, property } = callee;
  return isNode(object) && object.name === 'z' && isNode(property) && property.name === 'record';
}

const sources = sourceFiles();
const filesWith = (test: (node: SyntaxNode) => boolean, folders: RegExp) =>
  sources.filter(({ path, nodes }) => folders.test(path) && nodes.some(test)).map(({ path }) => path);

it('no plain object is a map of names from outside', () => {
  const unexplained = filesWith(writesByName, /./).filter((path) => !Object.hasOwn(OWN_KEYS, path));
  expect(unexplained, 'use a Map, or say in this test why the keys are ours').toEqual([]);
});

it('no schema drops a name from outside', () => {
  expect(filesWith(isZodRecord, /^src\/(?!sandbox)/).filter((path) => !Object.hasOwn(OWN_RECORDS, path))).toEqual([]);
});
