import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

/**
 * The rooms of the house and what each may import, by type, by value or by `import()` alike. A room that is not named here
 * does not exist; `src/` holds no loose file but `index.ts`.
 */
const LAW: Readonly<Record<string, readonly string[]>> = {
  'src/text': [],
  'src/domain': [],
  'src/ports': ['src/domain'],
  'src/openapi': ['src/domain'],
  'src/rules': ['src/domain'],
  'src/reconcile': ['src/domain', 'src/ports', 'src/rules'],
  'src/explain': ['src/domain', 'src/ports', 'src/rules'],
  'src/worklist': ['src/domain', 'src/ports', 'src/rules'],
  'src/pages': ['src/domain', 'src/ports', 'src/rules', 'src/worklist', 'src/explain', 'src/periods', 'src/publish'],
  'src/periods': ['src/domain', 'src/ports', 'src/reconcile', 'src/publish'],
  'src/books': ['src/domain', 'src/ports'],
  'src/evidence': ['src/domain', 'src/ports'],
  'src/capture': ['src/domain', 'src/ports'],
  'src/service': ['src/domain', 'src/ports'],
  'src/widget': ['src/domain', 'src/ports'],
  'src/sandbox': [],
  'src/store': ['src/domain', 'src/ports'],
  'src/intake': ['src/domain', 'src/ports', 'src/openapi'],
  'src/publish': ['src/domain', 'src/ports'],
  'src/runner': ['src/domain', 'src/ports'],
  'src/workers': ['src/domain', 'src/ports', 'src/reconcile'],
  jobs: ['src/domain', 'src/ports'],
  reports: ['src/domain', 'src/ports'],
  config: ['src/domain'],
};

/** Composition knows every room below it. */
const KNOWS_ALL = ['src/app'];

/** What each part of the command line may import. */
const EVERY_COMMAND = ['src/cli', 'src/app', 'src/ports', 'src/domain', 'config'];

/** A folder of commands, and the rooms that its commands are about; another room is reached through src/app. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  books: ['src/books'],
  access: ['src/pages'],
  breaks: ['src/worklist', 'src/explain', 'src/rules', 'src/publish'],
  claims: ['src/worklist'],
  config: [],
  db: ['src/store', 'src/periods'],
  demo: [],
  evidence: ['src/evidence', 'src/books'],
  intake: ['src/intake'],
  openapi: ['src/sandbox', 'src/intake'],
  periods: ['src/periods'],
  prices: ['src/books', 'src/periods'],
  publish: ['src/publish', 'src/explain'],
  quotes: ['src/intake', 'src/service'],
  runs: ['jobs', 'src/runner'],
  sandbox: ['src/sandbox'],
  serve: ['src/runner'],
  service: ['src/service'],
  tracked: ['src/worklist'],
  widget: ['src/widget', 'src/service'],
};

/** The files of src/cli that all commands share: a process has a clock, signals and things to release. */
const SHARED = [...EVERY_COMMAND, 'src/runner'];

function ofCommandLine(file: string): readonly string[] {
  const folder = file.split('/').at(2) ?? '';
  return folder.endsWith('.ts') ? SHARED : [...EVERY_COMMAND, ...(COMMANDS[folder] ?? [])];
}

/**
 * The sandbox computes and declares its answers by its own code and its own schemas, so that a shared mistake shows. The
 * root of errors, the loader of optional packages and the page of a document say nothing of answers.
 */
const SHARED_WITH_SANDBOX = [
  'src/domain/errors.ts',
  'src/domain/optional-package.ts',
  'src/openapi/shared-document.ts',
];

/** What is the Service's own, as data: it imports nothing, and a second provider replaces it. */
const PROFILE = 'src/service/profile.ts';

const FILES = globSync(['src/**/*.ts', 'jobs/**/*.ts', 'reports/**/*.ts', 'config/**/*.ts']).sort();

/** Imports and re-exports, with or without `type`, and `import()` with a literal name. */
const IMPORT = /(?:^(?:import|export)\s+(?:type\s+)?(?:[^'"]*?\sfrom\s+)?|\bimport\(\s*)'(\.[^']+)'/gm;

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(IMPORT)].map(([, target = '']) => normalize(join(dirname(file), target)));
}

function roomOf(file: string): string {
  const [top = '', second = ''] = file.split('/');
  return top === 'src' ? `${top}/${second}` : top;
}

/** The room, and of the command line the folder. */
function partOf(file: string): string {
  const folder = file.split('/').at(2) ?? '';
  return roomOf(file) === 'src/cli' && !folder.endsWith('.ts') ? `src/cli/${folder}` : roomOf(file);
}

function mayImport(from: string, to: string): boolean {
  const [room, target] = [roomOf(from), roomOf(to)];
  if (room === target || KNOWS_ALL.includes(room) || from === 'src/index.ts') return true;
  if (room === 'src/sandbox' && SHARED_WITH_SANDBOX.includes(to)) return true;
  if (!['src/sandbox', 'src/text'].includes(room) && (to === PROFILE || target === 'src/text')) return true;
  return (room === 'src/cli' ? ofCommandLine(from) : LAW[room])?.includes(target) ?? false;
}

const GRAPH = new Map(FILES.map((file) => [file, importsOf(file)]));

it('every room imports only what it may', () => {
  const broken = [...GRAPH].flatMap(([from, targets]) =>
    targets
      .filter((to) => !mayImport(from, to))
      .map((to) => `${partOf(from)} may not import ${roomOf(to)}: ${from} → ${to}`),
  );
  expect([...new Set(broken)].sort()).toEqual([]);
});

it('the house describes every room, with the same imports', () => {
  const house = readFileSync('docs/explanation/the-house.md', 'utf8');
  const rows = [...house.matchAll(/^\| `(src\/[a-z]+)\/` \| .* \| (.*) \|$/gm)];
  const described = new Map(rows.map(([, room = '', imports = '']) => [room, imports]));
  const rooms = Object.keys(LAW).filter((room) => room.startsWith('src/'));
  expect([...described.keys()].sort()).toEqual([...rooms, 'src/app', 'src/cli'].sort());
  for (const room of rooms.filter((each) => (LAW[each] ?? []).length > 0)) {
    expect(
      described
        .get(room)
        ?.split(', ')
        .map((name) => `src/${name}`),
      room,
    ).toEqual(LAW[room]);
  }
});

/** Strongly connected components of more than one file, each sorted (Tarjan 1972). */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    lowest.set(file, own);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      const reached = order.has(target) ? (stack.includes(target) ? order.get(target) : undefined) : visit(target);
      lowest.set(file, Math.min(lowest.get(file) ?? own, reached ?? own));
    }
    const low = lowest.get(file) ?? own;
    if (low === own) {
      const component = stack.splice(stack.indexOf(file));
      if (component.length > 1) found.push(component.sort());
    }
    return low;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

it('no files import each other in a circle, by type or by import() either', () => {
  const found = circles(GRAPH).map((files) => files.join(', '));
  expect(found.sort()).toEqual([]);
});

it('finds the circles of a graph', () => {
  const graph = new Map([
    ['a', ['b', 'e']],
    ['b', ['c']],
    ['c', ['a', 'd']],
    ['d', ['f']],
    ['e', []],
    ['f', ['d']],
  ]);
  expect(circles(graph)).toEqual([
    ['d', 'f'],
    ['a', 'b', 'c'],
  ]);
});

it('the way from the command to a row of breaks.csv is the one that the house walks, and no longer', () => {
  const [, walk = ''] = readFileSync('docs/explanation/the-house.md', 'utf8').split('## From the command');
  const [table = ''] = walk.split('\n## ');
  const way = [...table.matchAll(/^\| `([^`]+\.ts)` \|/gm)].map(([, file = '']) => file);
  const listed = ['jobs/index.ts', 'reports/index.ts'];
  const unreached = way.slice(1).filter((file, i) => {
    return ![...way.slice(0, i + 1), ...listed].some((before) => GRAPH.get(before)?.includes(file));
  });
  // `reports/define.ts` is what the report is made by, and so comes before it.
  expect(unreached).toEqual(['reports/define.ts']);
  expect(GRAPH.get('reports/breaks.ts')).toContain('reports/define.ts');
  expect(way.indexOf('src/reconcile/reconcile.ts')).toBe(12);
  expect(way.indexOf('reports/breaks.ts')).toBe(17);
});

it('every folder of commands says which rooms it is about', () => {
  const folders = globSync('src/cli/*/').map((folder) => folder.split('/').at(2) ?? '');
  expect(folders.filter((folder) => COMMANDS[folder] === undefined)).toEqual([]);
});

it('no file has more than 300 lines: it would hold more than one idea', () => {
  const lines = (file: string) => readFileSync(file, 'utf8').split('\n').length - 1;
  const files = [...FILES, ...globSync('src/**/*.js')];
  // Made from the schema of the settings, a line a setting.
  const written = files.filter((file) => file !== 'config/settings-types.ts');
  expect(written.filter((file) => lines(file) > 300)).toEqual([]);
});

it('the profile of the Service imports nothing', () => {
  expect(GRAPH.get(PROFILE)).toEqual([]);
});

it('every file is in a room', () => {
  const rooms = [...Object.keys(LAW), ...KNOWS_ALL, 'src/cli'];
  expect(FILES.filter((file) => file !== 'src/index.ts' && !rooms.includes(roomOf(file)))).toEqual([]);
});

it('sees the imports that it judges', () => {
  // A law whose reader finds nothing would hold for any code.
  expect(GRAPH.get('src/reconcile/run-book.ts')).toContain('src/rules/judge-case.ts');
  expect(GRAPH.get('src/cli/main.ts')).toContain('src/app/app.ts');
  expect(mayImport('src/domain/decimal.ts', 'src/ports/service.ts')).toBe(false);
  expect(mayImport('src/reconcile/judge.ts', 'src/store/open.ts')).toBe(false);
  expect(mayImport('src/cli/books/journal.ts', 'src/books/journal.ts')).toBe(true);
  expect(mayImport('src/cli/books/journal.ts', 'src/periods/close.ts')).toBe(false);
  expect(mayImport('src/cli/session.ts', 'src/store/open.ts')).toBe(false);
});

/** Clock, randomness and environment come in as arguments; only these places may read them. */
const MAY_READ = [/^config\//, /^src\/runner\/clock\.ts$/, /^src\/app\//, /^src\/cli\//, /^src\/runner\/holder\.ts$/];
const READS = /new Date\(\)|Date\.now\(\)|Math\.random\(\)|process\.env/;

it('no other file reads the clock, randomness or the environment', () => {
  const reading = FILES.filter((file) => !MAY_READ.some((place) => place.test(file))).filter((file) =>
    READS.test(readFileSync(file, 'utf8')),
  );
  expect(reading).toEqual([]);
});
