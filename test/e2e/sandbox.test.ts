/**
 * The embedded Service in a process of its own, two nights through the command line: every defect is found under its own
 * code, and no other finding is made.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { inThisOrder } from '../support/in-this-order.ts';
import { openWorkspace, PATIENCE, type Running, until, type Workspace } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

interface Answer {
  kind: string;
  id: string;
  defect: string;
  codes: string[];
  night: 1 | 2;
}

const RECORDS = 400;
/** These compare with reference data of the time of creation, which cannot be captured afterwards. */
const NEED_THE_PAST = new Set(['FEE_OUT_OF_BOUNDS', 'METHOD_UNSUPPORTED', 'ASSET_NOT_AVAILABLE']);
const DAY = 86_400_000;

let workspace: Workspace;
let sandbox: Running;
let url = '';
let answers: Answer[] = [];

const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);
/** The nights of yesterday and today: the population was made a moment ago. */
const started = Date.now();
const NIGHTS = { 1: dateOf(started - DAY), 2: dateOf(started) } as const;

beforeAll(async () => {
  workspace = openWorkspace(null, { service: '  concurrency: 16\n' });
  sandbox = workspace.start(
    `sandbox --port 0 --records ${RECORDS} --seed 12 --defects 0.25 --rate-limit off --json`.split(' '),
  );
  let printed = '';
  sandbox.child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await until('the sandbox says where it is', () => printed.includes('}'));
  url = (JSON.parse(printed) as { url: string }).url;
  answers = (await (await fetch(control('answers'))).json()) as Answer[];
  for (const [path, file] of [
    ['tracked?format=csv', 'ids.csv'],
    ['quotes', 'quotes.ndjson'],
  ] as const) {
    workspace.write(file, await (await fetch(control(path))).text());
  }
});
afterAll(async () => {
  sandbox.child.kill('SIGTERM');
  await sandbox.done;
  workspace.remove();
});

const control = (path: string) => `${new URL(url).origin}/sandbox/${path}`;
const env = () => ({ TIEOUT_SERVICE_URL: url });

async function night(number: 1 | 2): Promise<Set<string>> {
  await fetch(control('night'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ night: number }),
  });
  // The sandbox shows the second night's bodies as they are a day later; a clock that is a whole day ahead would be refused.
  const now = new Date(Date.now() + (number - 1) * (DAY - 120_000)).toISOString();
  const run = await workspace.tieout(['run', '--date', NIGHTS[number], '--json'], { env: env(), now });
  expect([run.code, run.err]).toEqual([1, run.err]);
  const { verdicts, population } = JSON.parse(run.out) as { verdicts: Record<string, number>; population: number };
  expect(Object.values(verdicts).reduce((sum, count) => sum + count, 0)).toBe(population);
  const rows = workspace.csv(`${NIGHTS[number]}/nightly-r1`, 'breaks').rows.filter(({ state }) => state !== 'resolved');
  return new Set(rows.map(({ rule, kind, record_id }) => `${rule} ${kind} ${record_id}`));
}

function due(upTo: 1 | 2): Set<string> {
  return new Set(
    answers
      .filter((answer) => answer.night <= upTo)
      .flatMap(({ kind, id, codes }) => codes.map((code) => `${code} ${kind} ${id}`)),
  );
}

const minus = (a: ReadonlySet<string>, b: ReadonlySet<string>) => [...a].filter((each) => !b.has(each)).sort();
const withPresent = (keys: readonly string[]) => keys.filter((key) => !NEED_THE_PAST.has(key.split(' ')[0] ?? ''));

it('takes in every id and every quote', async () => {
  const ids = await workspace.ends(0, ['import', 'ids.csv', '--json', '-q']);
  const { total } = JSON.parse(ids.out) as { total: { added: number; rejected_count: number; conflict_count: number } };
  expect(total.added).toBe(RECORDS);
  expect(total.rejected_count).toBe(0);
  // Only those that are injected: one id, two tokens.
  expect(total.conflict_count).toBe(answers.filter(({ codes }) => codes.includes('TRACKING_CONFLICT')).length);
  const quotes = await workspace.ends(0, ['quotes', 'import', 'quotes.ndjson', '--json', '-q']);
  expect((JSON.parse(quotes.out) as { total: { rejected_count: number } }).total.rejected_count).toBe(0);
});

it('finds every defect of the first night, and no other', async () => {
  const found = await night(1);
  expect(withPresent(minus(due(1), found))).toEqual([]);
  expect(minus(found, due(1))).toEqual([]);
});

it('finds what has changed by the second night, and no other', async () => {
  const found = await night(2);
  expect(withPresent(minus(due(2), found))).toEqual([]);
  expect(minus(found, due(2))).toEqual([]);
  const codes = new Set(answers.flatMap((answer) => answer.codes));
  // A quarter of 400 are a hundred defects: every code there is has its turn among them.
  const defective = new Set(answers.map(({ defect, id }) => (defect === 'one-transaction-twice' ? defect : id)));
  expect(defective.size).toBeGreaterThanOrEqual(98);
  expect(codes.size).toBe(30);
});
