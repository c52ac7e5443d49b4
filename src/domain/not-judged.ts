/** What could not be judged, and what to do about it, for the summary and the page. Pure. */
import { count, counted } from '../text/counts.ts';

const LISTS = 'capture reference data every hour';
const QUOTES = 'capture a quote for each purchase and sale';

/** By the beginning of a reason. */
const REMEDIES: readonly (readonly [string, ...string[]])[] = [
  ['no list of its time', LISTS],
  ['no market price', LISTS, QUOTES],
  ['no network fee', LISTS, QUOTES],
  ['no quote', QUOTES],
  ['the quote is for another amount', 'store the quote of the amount that the user bought'],
];

/** Reasons that a summary has room for. */
const NAMED = 2;

function mostFirst(reasons: ReadonlyMap<string, number>): [string, number][] {
  return [...reasons].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

/** Rules without their data for one reason are named together. @param reasons `CODE: reason` → records; null where every rule had its data */
export function notJudgedInWords(records: number, reasons: ReadonlyMap<string, number>): string | null {
  if (records === 0) return null;
  const rules = new Map<string, string[]>();
  for (const [reason, n] of mostFirst(reasons)) {
    const [code = '', ...words] = reason.split(': ');
    const why = words.join(': ');
    rules.set(why, [...(rules.get(why) ?? []), `${count(n)} ${code}`]);
  }
  const parts = [...rules].slice(0, NAMED).map(([why, codes]) => [codes.join(', '), why].filter(Boolean).join(': '));
  const left = rules.size - parts.length;
  const more = left === 0 ? [] : [`${counted(left, 'more reason')} in records.csv, column not_judged`];
  const todo = REMEDIES.filter(([begins]) => [...rules.keys()].some((why) => why.startsWith(begins)));
  const advice = todo.length === 0 ? '' : `: ${[...new Set(todo.flatMap(([, ...remedies]) => remedies))].join('; ')}`;
  return `${counted(records, 'record was', 'records were')} not judged by every rule (${[...parts, ...more].join('; ')})${advice}.`;
}

/** A rule of a plugin may have a reason for each record, and a manifest is read whole. */
const LISTED = 200;

/** Reasons with their counts, sorted by name. Beyond `LISTED`, the rarest are summed in one last line. The order of the input does not matter. */
export function listedReasons(reasons: ReadonlyMap<string, number>): [string, number][] {
  const byCount = mostFirst(reasons);
  const rest = byCount.slice(LISTED);
  const listed = byCount.slice(0, LISTED).sort(([a], [b]) => (a < b ? -1 : 1));
  const others = rest.reduce((sum, [, n]) => sum + n, 0);
  return rest.length === 0 ? listed : [...listed, [counted(rest.length, 'more reason'), others]];
}

/** @param lacking path → bodies; null where none lacks a field of the specification */
export function lackingInWords(lacking: ReadonlyMap<string, number>): string | null {
  if (lacking.size === 0) return null;
  const parts = [...lacking]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([path, n]) => `${path} in ${counted(n, 'body', 'bodies')}`);
  return `Fields of the specification are absent: ${parts.join(', ')}.`;
}
