/** What sources do not bring in is never silently green: it is counted, published, and the run is incomplete. */
import { describe, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const DATE = '2026-09-01';
const { server, open } = await onARecordServer();

function withSource(source: string): Workspace {
  const place = open({
    settings: `rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off }\nreports: { formats: [csv, html, xlsx] }\nsources:\n  - ${source}\n`,
  });
  return place;
}

const INBOX = '{ name: inbox, type: file, path: "inbox*.csv" }';

/** Twenty rows, of which every third has no token. */
function halfGood(): string {
  const rows = Array.from({ length: 20 }, (_, i) => `purchase,row-${i},${i % 3 === 0 ? `token-${i}` : ''}`);
  for (let i = 0; i < 20; i += 3) {
    server.answers.set(`row-${i}`, {
      body: aPurchase({ id: `"row-${i}"`, purchaseViewToken: undefined, status: '"RELEASED"' }),
    });
  }
  return `kind,id,view_token\n${rows.join('\n')}\n`;
}

async function night(place: Workspace) {
  const finished = await place.tieout(['run', '--date', DATE, '--json']);
  const manifest = place.manifest(`${DATE}/nightly-r1`);
  return { ...finished, manifest };
}

describe('a night of a source', () => {
  it('that rejects rows is incomplete: exit 3, with the figures in manifest, page and ledger', async () => {
    const place = withSource(INBOX);
    place.write('inbox-1.csv', halfGood());
    const { code, out, manifest } = await night(place);
    expect(code).toBe(3);
    expect(manifest).toMatchObject({
      status: 'incomplete',
      population: 7,
      tracked: 7,
      sources: [{ name: 'inbox', read: 20, accepted: 7, rejected: 13, failed: 0 }],
      incomplete_because: [expect.stringContaining('source inbox: 13 of 20 lines were rejected')],
    });
    expect(JSON.parse(out)).toMatchObject({ state: 'incomplete', sources: [{ rejected: 13 }] });
    const page = place.read(`out/${DATE}/nightly-r1/report.html`);
    expect(page).toContain('13 of 20 lines were rejected');
    expect(page).toMatch(/<h2 id="sources-title">Sources<\/h2>/);
    const shown = await place.tieout(['run', '--date', DATE]);
    expect(shown.out).toMatch(/source inbox +20 read: 7 accepted, 13 rejected; 0 could not be read/);
    const ledger = await place.tieout(['runs', 'show', `nightly-${DATE}-r1`]);
    expect(ledger.out).toMatch(/source inbox +20 read: 7 accepted, 13 rejected/);
  });

  it('whose file is empty is incomplete, unless it is optional', async () => {
    for (const [settings, code] of [
      [INBOX, 3],
      ['{ name: inbox, type: file, path: "inbox*.csv", optional: true }', 0],
    ] as const) {
      const place = withSource(settings);
      place.write('ids.csv', 'kind,id,view_token\npurchase,row-0,token-0\n');
      await place.tieout(['import', 'ids.csv', '-q']);
      halfGood();
      place.write('inbox-1.csv', '');
      const finished = await night(place);
      expect([settings, finished.code]).toEqual([settings, code]);
      expect(String(finished.manifest.incomplete_because ?? '').includes('inbox-1.csv: is empty')).toBe(code === 3);
    }
  });

  it('that matches no file is incomplete, unless it is optional', async () => {
    const place = withSource(INBOX);
    place.write('ids.csv', 'kind,id,view_token\npurchase,row-0,token-0\n');
    await place.tieout(['import', 'ids.csv', '-q']);
    halfGood();
    const missed = await night(place);
    expect(missed.code).toBe(3);
    expect(missed.manifest).toMatchObject({ sources: [{ name: 'inbox', read: 0, failed: 1 }] });
    expect(String(missed.manifest.incomplete_because)).toContain('no file matches inbox*.csv');

    const optional = withSource('{ name: inbox, type: file, path: "inbox*.csv", optional: true }');
    optional.write('ids.csv', 'kind,id,view_token\npurchase,row-0,token-0\n');
    await optional.tieout(['import', 'ids.csv', '-q']);
    const fine = await night(optional);
    expect(fine.code).toBe(0);
    expect(fine.manifest).toMatchObject({
      status: 'complete',
      sources: [{ name: 'inbox', read: 0, accepted: 0, rejected: 0, failed: 0 }],
    });
    expect(fine.manifest).not.toHaveProperty('incomplete_because');
  });

  it('that fails is incomplete, and stays so when the night is rendered again', async () => {
    const place = withSource('{ name: shop, type: sql, url: "sqlite:none.db", query: "select 1" }');
    place.write('ids.csv', 'kind,id,view_token\npurchase,row-0,token-0\n');
    await place.tieout(['import', 'ids.csv', '-q']);
    halfGood();
    const { code, manifest } = await night(place);
    expect(code).toBe(3);
    expect(manifest).toMatchObject({ sources: [{ name: 'shop', read: 0, failed: 1 }] });
    await place.ends(0, ['report', `nightly-${DATE}-r1`, '--out', 'again']);
    expect(JSON.parse(place.read(`again/${DATE}/nightly-r1/manifest.json`))).toMatchObject({
      status: 'incomplete',
    });
  });

  it('with nothing tracked is incomplete, and says what to do', async () => {
    const place = open();
    const finished = await place.ends(3, ['run', '--date', DATE]);
    expect(finished.out).toContain('nothing is tracked: import ids and tokens');
  });
});

describe('import', () => {
  it('exits with 1 where lines were rejected, and writes them as CSV where the name says so', async () => {
    const place = open();
    place.write('ids.csv', halfGood());
    await place.ends(1, ['import', 'ids.csv', '--rejects', 'rejected.csv', '-q']);
    const rows = place.read('rejected.csv').trimEnd().split('\n');
    expect(rows).toHaveLength(14);
    expect(rows.slice(0, 2)).toEqual([
      'file,line,reason,raw',
      'ids.csv,3,view_token is missing: without it the record can never be fetched,"purchase,row-1,"',
    ]);
    await place.ends(1, ['quotes', 'import', '-', '-q'], { stdin: '{}\n' });
  });
});
