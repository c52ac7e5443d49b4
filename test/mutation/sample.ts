/**
 * Estimates the mutation score of one room of Stryker's scope from a random sample of its mutants:
 * `npm run test:mutation:room -- --room store --seed 1 [--mutants 150] [--whole]`. Each mutant of the room has the same chance of
 * being drawn, and a seed draws the same mutants again from the same sources; a smaller sample is the beginning of a larger one.
 * They are run with the tests of the room alone. What those leave alive is run again with all tests of the scope where `--whole`
 * is given. The last row replaces that of the room in docs/contributing/mutants.md. Mutants of code that runs once at loading are not counted, and a mutant that no test reaches counts as alive.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';

interface Position {
  line: number;
  column: number;
}
interface Place {
  start: Position;
  end: Position;
}
interface Mutant {
  file: string;
  location: Place;
  mutatorName: string;
  replacement: string;
}
interface Tried extends Mutant {
  status: string;
  statusReason?: string;
}
interface Report {
  files: Record<string, { mutants: readonly Omit<Tried, 'file'>[] }>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const own = (name: string) => `var/mutation/sample-${name}`;

/** Lines from 1 and columns from 0, as in Stryker's ranges. */
const rangeOf = ({ start, end }: Place) => `${start.line}:${start.column}-${end.line}:${end.column}`;
const keyOf = ({ file, location, mutatorName, replacement }: Mutant) =>
  `${file}:${rangeOf(location)} ${mutatorName} ${replacement}`;

const moved = ({ start, end }: Place, lines: number, columns: number): Place => ({
  start: { line: start.line + lines, column: start.column + columns },
  end: { line: end.line + lines, column: end.column + columns },
});

function isInside(inner: Place, outer: Place): boolean {
  const follows = (a: Position, b: Position) => a.line > b.line || (a.line === b.line && a.column >= b.column);
  return follows(inner.start, outer.start) && follows(outer.end, inner.end);
}

/** A range of Stryker's holds everything inside it: this leaves out what lies in a drawn mutant and was not drawn itself. */
function ignorer(drawn: readonly Mutant[]) {
  const byFile = Map.groupBy(drawn, ({ file }) => file);
  return {
    shouldIgnore: ({ node, hub }: { node: { loc: Place }; hub: { file: { opts: { filename: string } } } }) => {
      const places = byFile.get(hub.file.opts.filename.slice(root.length)) ?? [];
      return places.some(({ location }) => isInside(location, node.loc)) ? undefined : 'not drawn';
    },
  };
}

const drawnFile = process.env.TIEOUT_DRAWN_MUTANTS;
/** Read by Stryker, which gets this file as a plugin. */
export const strykerPlugins =
  drawnFile === undefined
    ? []
    : [{ kind: 'Ignore', name: 'drawn', value: ignorer(JSON.parse(readFileSync(drawnFile, 'utf8')) as Mutant[]) }];

async function mutantsOf(room: string, patterns: readonly string[]): Promise<Mutant[]> {
  const exclude = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const files = globSync(`src/${room}/**/*.ts`, { cwd: root, exclude }).sort();
  const silent = () => undefined;
  const never = () => false;
  const log = { trace: silent, debug: silent, info: silent, warn: silent, error: silent, fatal: silent };
  const levels = { isTraceEnabled: never, isDebugEnabled: never, isInfoEnabled: never };
  const logger = { ...log, ...levels, isWarnEnabled: never, isErrorEnabled: never, isFatalEnabled: never };
  const sources = files.map((name) => ({ name, mutate: true, content: readFileSync(`${root}${name}`, 'utf8') }));
  const options = { ignorers: [], excludedMutations: [], plugins: null };
  const { mutants } = await new Instrumenter(logger).instrument(sources, options);
  return mutants.map(({ fileName, location, mutatorName, replacement }) => ({
    file: fileName,
    location: moved(location, 1, 0),
    mutatorName,
    replacement,
  }));
}

function draw(mutants: readonly Mutant[], seed: string, count: number): Mutant[] {
  const rank = (mutant: Mutant) =>
    createHash('sha256')
      .update(`${seed} ${keyOf(mutant)}`)
      .digest('hex');
  const ranked = mutants.map((mutant) => ({ mutant, at: rank(mutant) }));
  ranked.sort((a, b) => (a.at < b.at ? -1 : 1));
  return ranked.slice(0, count).map(({ mutant }) => mutant);
}

/** Null for all tests of the scope. */
function run(name: string, drawn: readonly Mutant[], tests: readonly string[] | null): Tried[] {
  const drawnIn = `${root}${own(`${name}-drawn.json`)}`;
  const report = own(`${name}-report.json`);
  const settings = own(`${name}-stryker.json`);
  const base = JSON.parse(readFileSync(`${root}test/mutation/stryker.config.json`, 'utf8')) as { plugins: string[] };
  mkdirSync(`${root}var/mutation`, { recursive: true });
  rmSync(`${root}${report}`, { force: true });
  writeFileSync(drawnIn, JSON.stringify(drawn));
  const config = {
    ...base,
    plugins: [...base.plugins, './test/mutation/sample.ts'],
    ignorers: ['drawn'],
    mutate: drawn.map(({ file, location }) => `${file}:${rangeOf(location)}`),
    ...(tests === null ? {} : { testFiles: tests }),
    incremental: false,
    tempDirName: own(`${name}-sandbox`),
    // A slow run on a busy machine is no killed mutant; endless loops are ended by Stryker's count of hits before that.
    timeoutMS: 120_000,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    dryRunTimeoutMinutes: 60,
    thresholds: { break: null },
  };
  writeFileSync(`${root}${settings}`, JSON.stringify(config));
  const stryker = `${root}node_modules/@stryker-mutator/core/bin/stryker.js`;
  const env = { ...process.env, TIEOUT_DRAWN_MUTANTS: drawnIn };
  execFileSync(process.execPath, [stryker, 'run', settings], { cwd: root, stdio: 'inherit', env });
  const { files } = JSON.parse(readFileSync(`${root}${report}`, 'utf8')) as Report;
  const tried = Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants.map((mutant) => ({ ...mutant, file, location: moved(mutant.location, 0, -1) })),
  );
  const wanted = new Set(drawn.map(keyOf));
  return tried.filter((mutant) => wanted.has(keyOf(mutant)));
}

/** Wilson's interval at 95 %, in percent. */
function interval(hits: number, of: number): [number, number] {
  const z = 1.96;
  const share = hits / of;
  const middle = share + (z * z) / (2 * of);
  const half = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  const scale = 100 / (1 + (z * z) / of);
  return [(middle - half) * scale, (middle + half) * scale];
}

const isKilled = ({ status }: Tried) => status === 'Killed' || status === 'Timeout';
/** Of a test's own limit, or of Stryker's. */
const isLate = ({ status, statusReason }: Tried) =>
  status === 'Timeout' || /timed out in \d+ms/.test(statusReason ?? '');
const isAlive = ({ status }: Tried) => status === 'Survived' || status === 'NoCoverage';

function told({ file, location, mutatorName, replacement, status }: Tried): string {
  const lines = readFileSync(`${root}${file}`, 'utf8')
    .split('\n')
    .slice(location.start.line - 1, location.end.line);
  const code = lines.map((line) => line.trim()).join(' ');
  const shown = (text: string) => (text.length > 160 ? `${text.slice(0, 160)} …` : text).replaceAll(/\s+/g, ' ');
  return `${file}:${rangeOf(location)} ${mutatorName} ${status}\n    ${shown(code)}\n    → ${shown(replacement)}`;
}

async function sample(room: string, seed: string, count: number, whole: boolean): Promise<void> {
  const config = JSON.parse(readFileSync(`${root}test/mutation/stryker.config.json`, 'utf8')) as { mutate: string[] };
  const all = await mutantsOf(room, config.mutate);
  const drawn = draw(all, seed, count);
  const of = `src/${room}, seed ${seed}: ${drawn.length} of ${all.length} mutants drawn`;
  const tried = run(`${room}-${seed}`, drawn, [`test/${room}/**/*.test.ts`]);
  const alive = tried.filter(isAlive);
  const row = [`\`src/${room}\``, seed, `${count} of ${all.length.toLocaleString('en-US')}`];
  console.log(summary(`${of}, tests of the room`, tried));
  writeRow([...row, ...figuresOf(tried), 'of the room']);
  if (!whole || alive.length === 0) return;
  const again = run(`${room}-${seed}-whole`, alive, null);
  const both = [...tried.filter((mutant) => !isAlive(mutant)), ...again];
  console.log(summary(`${of}, all tests of the scope`, both));
  writeRow([...row, ...figuresOf(both), 'of the scope (`--whole`)']);
}

/** Counted, alive, share killed and its interval: the cells of a row. */
function figuresOf(tried: readonly Tried[]): readonly string[] {
  const killed = tried.filter(isKilled).length;
  const alive = tried.filter(isAlive).length;
  const [from, to] = interval(killed, killed + alive).map((share) => share.toFixed(1));
  const score = ((100 * killed) / (killed + alive)).toFixed(1);
  return [String(killed + alive), String(alive), `${score} %`, `${from} to ${to} %`];
}

const REFERENCE = `${root}docs/contributing/mutants.md`;

/** The reference has the newest sample of each room: the row of this room is replaced. */
function writeRow(cells: readonly string[]): void {
  const [room = ''] = cells;
  const row = `| ${[...cells, new Date().toISOString().slice(0, 10)].join(' | ')} |`;
  const lines = readFileSync(REFERENCE, 'utf8').split('\n');
  const [from, to] = [lines.indexOf('<!-- samples: begin -->'), lines.indexOf('<!-- samples: end -->')];
  if (from < 0 || to < from) throw new Error(`${REFERENCE} has no table of samples between its two marks`);
  const at = lines.findIndex((line, index) => index > from && index < to && line.startsWith(`| ${room} |`));
  lines.splice(at < 0 ? to : at, at < 0 ? 0 : 1, row);
  writeFileSync(REFERENCE, lines.join('\n'));
}

/** The mutants to look at, and the figures. */
function summary(what: string, tried: readonly Tried[]): string {
  const having = (status: string) => tried.filter((mutant) => mutant.status === status).length;
  const late = tried.filter(isLate).length;
  const killed = tried.filter(isKilled).length;
  const [counted, , score, between] = figuresOf(tried);
  const figures =
    `${counted} counted: ${killed - late} killed, ${late} timed out, ${having('Survived')} survived, ` +
    `${having('NoCoverage')} reached by no test; ${score} killed, 95 % interval ${between}`;
  return [...tried.filter((one) => isAlive(one) || isLate(one)).map(told), `${what}: ${figures}`].join('\n');
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      room: { type: 'string' },
      seed: { type: 'string', default: '1' },
      mutants: { type: 'string', default: '150' },
      whole: { type: 'boolean', default: false },
    },
  });
  if (values.room === undefined) throw new Error('--room names a folder of src');
  await sample(values.room, values.seed, Number(values.mutants), values.whole);
}
