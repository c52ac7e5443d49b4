/** What the tests take, by folder and by file, from the reports of Vitest (`--reporter=json`). Pure. */

/** The part of a report that counts. Times are in milliseconds. */
export interface Report {
  testResults: readonly {
    name: string;
    startTime: number;
    endTime: number;
    assertionResults: readonly { status: string; duration?: number | null }[];
  }[];
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

/** A file of `test/` counts for the folder below it that it is in; others count for `test`. */
export function timesOf({ testResults }: Report): Times {
  const files = new Map<string, Cost>();
  const folders = new Map<string, Cost>();
  for (const { name, startTime, endTime, assertionResults } of testResults) {
    const file = name.slice(name.lastIndexOf('/test/') + 1);
    const folder = /^test\/[^/]+(?=\/)/.exec(file)?.[0] ?? 'test';
    const cost = { seconds: (endTime - startTime) / 1000, checks: assertionResults.length };
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
