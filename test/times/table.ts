/** What the tests take of the processor, by folder and by file. Pure. */

/** The part of a report of Vitest (`--reporter=json`) that counts. */
export interface Report {
  testResults: readonly { name: string; assertionResults: readonly object[] }[];
}

interface Cost {
  seconds: number;
  checks: number;
}

export interface Times {
  files: ReadonlyMap<string, Cost>;
  folders: ReadonlyMap<string, Cost>;
}

const NONE: Cost = { seconds: 0, checks: 0 };

/**
 * A file of `test/` counts for the folder below it that it is in; others count for `test`.
 * @param processor seconds and name a line, as `processor.ts` writes them
 */
export function timesOf({ testResults }: Report, processor: string): Times {
  const seconds = new Map(
    processor.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), Number.parseFloat(line)]),
  );
  const files = new Map<string, Cost>();
  const folders = new Map<string, Cost>();
  for (const { name, assertionResults } of testResults) {
    const file = name.slice(name.lastIndexOf('/test/') + 1);
    const folder = /^test\/[^/]+(?=\/)/.exec(file)?.[0] ?? 'test';
    const cost = { seconds: seconds.get(name) ?? 0, checks: assertionResults.length };
    files.set(file, cost);
    const sum = folders.get(folder) ?? NONE;
    folders.set(folder, { seconds: sum.seconds + cost.seconds, checks: sum.checks + cost.checks });
  }
  return { files, folders };
}

const MOST = 20;

/** Two tables: seconds and checks of each folder, and the slowest files; what is not in a report is empty. */
export function tables(before: Times, after: Times): string {
  const total = (times: Times): Cost =>
    [...times.folders.values()].reduce(
      (sum, each) => ({ seconds: sum.seconds + each.seconds, checks: sum.checks + each.checks }),
      NONE,
    );
  const folders = [...new Set([...before.folders.keys(), ...after.folders.keys()])].sort();
  const slowest = [...after.files].sort(([, a], [, b]) => b.seconds - a.seconds).slice(0, MOST);
  return [
    '| folder | seconds before | seconds now | checks before | checks now |\n|---|---|---|---|---|',
    ...folders.map((name) => row(`\`${name}\``, before.folders.get(name), after.folders.get(name))),
    row('all', total(before), total(after)),
    '',
    '| file | seconds before | seconds now | checks before | checks now |\n|---|---|---|---|---|',
    ...slowest.map(([name, cost]) => row(`\`${name}\``, before.files.get(name), cost)),
  ].join('\n');
}

function row(name: string, before: Cost | undefined, after: Cost | undefined): string {
  const cells = [before?.seconds.toFixed(1), after?.seconds.toFixed(1), before?.checks, after?.checks];
  return `| ${[name, ...cells.map((cell) => cell ?? '')].join(' | ')} |`;
}
