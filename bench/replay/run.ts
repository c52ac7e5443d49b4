/**
 * `tieout replay` of a night against DuckDB doing the same in SQL, each in its own process, in one run.
 *
 * Like for like is `--report breaks`: both find each record its quote, compare amounts and fees, and write the breaks as
 * CSV (Tieout asks its other rules too, and explains each break). The whole set of eight reports, read back and hashed, is
 * measured beside it. Both take the threads of the machine, and then of two cores. The three take turns, after all inputs have been read once, and
 * each figure is the median of its turns. Required: at most DuckDB's time at half its peak memory; all reports in at most twice its time.
 * Run: `node bench/replay/run.ts [records]`; 1000000 by default. What it reads is made once, under var/bench.
 */
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Measured, measure, TIEOUT, type Usage } from '../support/child.ts';
import { canPart, type Part } from '../support/cores.ts';
import { machine, printTable, publishTable, round } from '../support/report.ts';
import { storedNight } from '../support/stored-night.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DUCKDB = join(ROOT, 'bench/duckdb/replay.js');
/** Of each of the three; an odd number, for its median. */
const TURNS = 3;
const RUN_ID = 'nightly-2026-11-20-r1';
/** What the peer's SQL looks for. */
const SHARED_RULES = ['AMOUNT_DIFFERS', 'FEE_APPLIED_DIFFERS', 'FEE_BASE_DIFFERS', 'FEE_NETWORK_DIFFERS'];

/**
 * Breaks per rule. Not counted: crypto amounts that differ from a captured quote's, which the peer does not compare (among
 * a million records a few find, within the fiat tolerance, a neighbour's quote).
 */
async function countByRule(file: string, rules: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map(rules.map((rule) => [rule, 0]));
  let at = -1;
  let field = -1;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    // Both stand before any text that could hold a comma.
    const cells = line.split(',');
    if (at === -1) {
      at = cells.indexOf('rule');
      field = cells.indexOf('field');
      continue;
    }
    if (cells[field] === 'crypto_amount') continue;
    const rule = cells[at] ?? '';
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  return counts;
}

/** The disk is no part of the comparison. */
async function readOnce(folder: string): Promise<void> {
  for (const name of ['records.csv', 'quotes.csv', 'tieout.db']) {
    for await (const _ of createReadStream(join(folder, name), { highWaterMark: 2 ** 20 }));
  }
}

/** In each figure the middle one. */
function median(turns: readonly Measured[]): Usage & { seconds: number } {
  const middle = (of: (turn: Measured) => number) => turns.map(of).sort((a, b) => a - b)[turns.length >> 1] as number;
  return {
    seconds: middle(({ seconds }) => seconds),
    cpuSeconds: middle(({ cpuSeconds }) => cpuSeconds),
    peakMb: middle(({ peakMb }) => peakMb),
  };
}

function row(name: string, cores: number, turns: readonly Measured[], beside: readonly Measured[]) {
  const { seconds, cpuSeconds, peakMb } = median(turns);
  const peer = median(beside);
  return {
    what: name,
    records,
    cores,
    'wall s': round(seconds),
    'each turn': turns.map((turn) => round(turn.seconds)).join(' · '),
    'cpu s': round(cpuSeconds),
    'peak MB': Math.round(peakMb),
    '× DuckDB wall': round(seconds / peer.seconds, 2),
    '× DuckDB cpu': round(cpuSeconds / peer.cpuSeconds, 2),
    '× DuckDB peak': round(peakMb / peer.peakMb, 2),
  };
}

interface Turns {
  duckdb: Measured[];
  breaksOnly: Measured[];
  whole: Measured[];
}

async function takeTurns(part: Part | null): Promise<Turns> {
  const turns: Turns = { duckdb: [], breaksOnly: [], whole: [] };
  const replay = (...flags: string[]) => measure([TIEOUT, 'replay', RUN_ID, ...flags, '--json'], { part });
  for (let turn = 0; turn < TURNS; turn++) {
    const out = mkdtempSync(join(work, 'turn-'));
    turns.duckdb.push(await measure([DUCKDB, folder, join(work, 'duckdb.csv')], { part }));
    turns.breaksOnly.push(await replay('--report', 'breaks', '--out', join(out, 'breaks')));
    turns.whole.push(await replay('--out', join(out, 'whole')));
    rmSync(join(out, 'whole'), { recursive: true });
  }
  return turns;
}

function rowsOf({ duckdb, breaksOnly, whole }: Turns, cores: number) {
  return [
    row('DuckDB: match, compare, breaks.csv', cores, duckdb, duckdb),
    row('tieout replay --report breaks', cores, breaksOnly, duckdb),
    row('tieout replay (all eight reports)', cores, whole, duckdb),
  ];
}

const records = Number(process.argv[2] ?? 1_000_000);
const folder = await storedNight(records);
const work = mkdtempSync(join(tmpdir(), 'tieout-replay-bench-'));
try {
  console.log(`${machine()}; ${records} stored snapshots with quotes\n`);
  process.env.TIEOUT_DATABASE_URL = `sqlite:${join(folder, 'tieout.db')}`;
  await readOnce(folder);
  const onAll = await takeTurns(null);
  publishTable('replay', [
    ...rowsOf(onAll, availableParallelism()),
    ...(canPart ? rowsOf(await takeTurns('two'), 2) : []),
  ]);

  const { folder: set } = JSON.parse(onAll.breaksOnly[0]?.stdout ?? '') as { folder: string };
  const theirs = await countByRule(join(work, 'duckdb.csv'), SHARED_RULES);
  const ours = await countByRule(join(set, 'breaks.csv'), SHARED_RULES);
  console.log();
  const rules = [...new Set([...theirs.keys(), ...ours.keys()])];
  printTable(rules.map((rule) => ({ rule, DuckDB: theirs.get(rule) ?? 0, tieout: ours.get(rule) ?? 0 })));
  if (rules.some((rule) => theirs.get(rule) !== ours.get(rule))) {
    console.log('\nThe two did not find the same breaks.');
    process.exitCode = 1;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
