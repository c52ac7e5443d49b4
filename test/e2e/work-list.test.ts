/** The work list by hand: sorted, filtered, exported to a spreadsheet and back, and decided more than once. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { demoWorld } from './support/demo-world.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

interface Row {
  break_id: string;
  rule: string;
  severity: string;
  first_seen_date: string;
}

const RANK = ['info', 'low', 'medium', 'high', 'critical'];
let place: Workspace;
const CONFIG = ['--config', 'demo/tieout.yaml'];

beforeAll(async () => {
  ({ workspace: place } = await demoWorld());
});
afterAll(() => place.remove());

const breaks = (...args: string[]) => place.tieout(['breaks', ...args, ...CONFIG]);

async function list(...flags: string[]): Promise<Row[]> {
  const { out, err } = await breaks('list', '--json', ...flags);
  expect(err).toBe('');
  return (JSON.parse(out) as { breaks: Row[] }).breaks;
}

describe('breaks list', () => {
  it('has the most severe first, and can be sorted and filtered by age, severity, month and amount', async () => {
    const ranks = (await list()).map(({ severity }) => RANK.indexOf(severity));
    expect(ranks).toEqual([...ranks].sort((a, b) => b - a));
    expect(new Set(ranks).size).toBeGreaterThan(1);
    const dates = (await list('--sort', 'age')).map(({ first_seen_date: date }) => date);
    expect(dates).toEqual([...dates].sort());
    expect(new Set((await list('--severity', 'high')).map(({ severity }) => severity))).toEqual(new Set(['high']));
    expect(await list('--month', '2001-01')).toEqual([]);
    const all = await list('--limit', '1000');
    const dear = await list('--limit', '1000', '--min-amount', '1');
    expect(dear.length).toBeGreaterThan(0);
    expect(dear.length).toBeLessThan(all.length);
  });

  it('shows money at stake once per record, with its sign, to the places of its currency', async () => {
    const staked = JSON.parse((await breaks('list', '--json', '--limit', '1000')).out) as {
      breaks: { break_id: string; record_currency: string; money_at_stake: string | null }[];
    };
    const cents = staked.breaks.filter((row) => ['EUR', 'USD', 'GBP', 'PLN'].includes(row.record_currency));
    const leading = cents.filter(({ money_at_stake: money }) => money !== null);
    expect(leading.length).toBeGreaterThan(2);
    expect(leading.length).toBeLessThan(cents.length);
    const [header = '', ...lines] = (await breaks('list', '--limit', '1000')).out.split('\n');
    const end = header.indexOf('at stake') + 'at stake'.length;
    for (const { break_id: id, record_currency: currency, money_at_stake: money } of cents) {
      const line = lines.find((each) => each.startsWith(id.slice(0, 12))) ?? '';
      const cell = / (-?\d+\.\d\d [A-Z]{3})$/.exec(line.slice(0, end))?.[1] ?? '';
      expect(cell.split(' ')[1] ?? null, line).toBe(money === null ? null : currency);
      if (money !== null) expect(cell.startsWith('-')).toBe(money.startsWith('-'));
    }
  });

  it.each([
    [['--rule', 'FEE_APPLIED_DIFERS'], 'FEE_APPLIED_DIFFERS'],
    [['--severity', 'huge'], 'critical'],
    [['--month', 'October'], '2026-10'],
    [['--sort', 'colour'], 'severity'],
    [['--record', 'nope'], 'not tracked'],
  ])('refuses %s', async (flags, hint) => {
    const { code, err } = await breaks('list', ...flags);
    expect(code).toBe(2);
    expect(err).toContain(hint);
  });
});

describe('a decision', () => {
  it('on an end that is over is refused; a waiver can be extended, and a second note made', async () => {
    const [first, second] = await list();
    const [a = '', b = ''] = [first?.break_id, second?.break_id];
    const past = await breaks('waive', a, '--until', '2020-01-01', '--reason', 'x');
    expect(past.code).toBe(2);
    expect(past.err).toContain('would be over already');
    expect((await breaks('waive', a, '--until', '2999-01-01', '--reason', 'goodwill')).code).toBe(0);
    expect((await breaks('waive', a, '--until', '2999-12-31', '--reason', 'longer')).code).toBe(0);
    expect((await breaks('show', a)).out).toContain('2999-12-31');
    expect((await breaks('ack', b, '--reason', 'asked')).code).toBe(0);
    expect((await breaks('ack', b, '--reason', 'asked again')).code).toBe(0);
    expect((await breaks('show', b)).out).toContain('asked again');
  });
});

describe('breaks export', () => {
  it('is in the profile of the settings, and what Excel saves of it reads back', async () => {
    place.write(
      'demo/eu.yaml',
      `${place.read('demo/tieout.yaml').replace(/^reports:.*$/m, '')}reports: { profile: excel-eu }\n`,
    );
    const { out } = await place.tieout(['breaks', 'export', '--config', 'demo/eu.yaml']);
    const [header = '', row = ''] = out.split('\r\n');
    expect(header).toMatch(/^\uFEFFbreak_id;state;assignee;reason;until;/);
    const [id = ''] = row.split(';');
    place.write('edited.csv', `\uFEFFbreak_id;state;assignee;reason;until\r\n${id};waived;;goodwill;31.12.2999\r\n`);
    await place.ends(0, ['breaks', 'apply', 'edited.csv', ...CONFIG]);
    expect((await breaks('show', id)).out).toContain('2999-12-31');
  });
});

describe('breaks export --json', () => {
  it('has the rows of the CSV, with the columns of it as names', async () => {
    const [header = ''] = (await breaks('export', '--all')).out.split('\n');
    const { code, out } = await breaks('export', '--all', '--json');
    const { breaks: rows } = JSON.parse(out) as { breaks: Record<string, unknown>[] };
    expect(code).toBe(0);
    for (const row of rows) expect(Object.keys(row).join()).toBe(header);
    const waived = rows.find(({ until }) => until === '2999-12-31');
    expect(waived).toMatchObject({ state: 'waived', assignee: null, reason: null });
    const listed = JSON.parse((await breaks('export', '--json')).out) as { breaks: { state: string }[] };
    expect(listed.breaks.length).toBeLessThan(rows.length);
    expect(listed.breaks.map(({ state }) => state)).not.toContain('waived');
  });
});

describe('import', () => {
  it('names every line that it rejected', async () => {
    place.write(
      'bad.csv',
      `kind,id,view_token\n${'purchase,,token\npurchase,a,\n'.repeat(50)}purchase,,token\npurchase,,token\n`,
    );
    const { out } = await place.ends(1, ['import', 'bad.csv', ...CONFIG]);
    // Those in a row that are wrong in the same way are one.
    expect(out).toContain('  lines 102 to 103: id is missing\n');
    expect([...out.matchAll(/line (\d+): (?:id|view_token) is missing/g)].map(([, line]) => Number(line))).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 2),
    );
  });
});

describe('audit --ids', () => {
  it.each(['breaks.csv', 'records.csv'])('takes %s of a published set', async (name) => {
    // The Service is down: unknown and untracked ids are reported before the first request.
    const text = place.read(`demo/latest/${name}`);
    const ids = text.split('\n').length;
    expect(ids).toBeGreaterThan(5);
    const audit = ['audit', '--ids', `demo/latest/${name}`, '--max-duration', '1s', ...CONFIG];
    const { err } = await place.tieout(audit);
    expect(err).not.toContain('not a record id');
    expect(err).not.toContain('not tracked');
  });
});

it('verify --require-signed says that a set is not signed', async () => {
  const { out } = await place.ends(1, ['verify', 'demo/latest', '--require-signed']);
  expect(out).toContain('not signed');
});

it('config check hides passwords, and no query', async () => {
  place.write(
    'sql.yaml',
    'sources: [{ name: app, type: sql, url: "postgres://u:hunter2@db/x", query: "select * from t where url = \'https://x\'" }]\n',
  );
  const { out } = await place.tieout(['config', 'check', '--config', 'sql.yaml']);
  expect(out).toContain("where url = 'https://x'");
  expect(out).not.toContain('hunter2');
});
