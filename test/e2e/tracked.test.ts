/** Corrections of tracked records: a wrong view token, an id that should never have been tracked. */
import { describe, expect, it, vi } from 'vitest';
import { purchaseOf } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const GOOD = 'the-right-token-1';
const { server, open } = await onARecordServer();

function workspace(): Workspace {
  const place = open({ settings: 'rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off }\n' });
  for (const id of ['a1', 'a2']) {
    const body = purchaseOf(id, { status: '"RELEASED"' });
    server.answers.set(id, (_, url) =>
      url.searchParams.get('secret') === GOOD ? { body } : { status: 403, body: '{}' },
    );
  }
  return place;
}

const ids = (token: string) => `kind,id,view_token\npurchase,a1,${token}\npurchase,a2,${GOOD}\n`;

async function run(place: Workspace, date: string) {
  const { code, out, err } = await place.tieout(['run', '--date', date, '--json']);
  return { code, err, run: JSON.parse(out) as Record<string, unknown> & { breaks: { open: number } } };
}

describe('tieout tracked', () => {
  it('replaces a wrong token: no conflict is left, and the old file brings none', async () => {
    const place = workspace();
    place.write('old.csv', ids('the-wrong-token-1'));
    place.write('new.csv', ids(GOOD));
    await place.tieout(['import', 'old.csv', '-q']);
    expect((await run(place, '2026-09-01')).run.breaks.open).toBe(1);
    expect((await place.tieout(['import', 'new.csv', '-q'])).out).toContain('1 in conflict');

    const set = await place.ends(
      0,
      ['tracked', 'set-token', 'a1', '--kind', 'purchase', '--reason', 'typed wrong', '--by', 'ann'],
      {
        stdin: `${GOOD}\n`,
      },
    );
    expect(set.out + set.err).not.toContain(GOOD);
    expect((await place.tieout(['import', 'old.csv', '-q'])).out).toContain('0 added, 2 unchanged, 0 rejected');
    const night = await run(place, '2026-09-02');
    expect(night.code, night.err).toBe(0);
    expect(night.run.breaks.open).toBe(0);

    const shown = await place.tieout(['tracked', 'show', 'a1', '--json']);
    expect(JSON.parse(shown.out)).toMatchObject([
      {
        kind: 'purchase',
        id: 'a1',
        conflict: null,
        decisions: [{ type: 'set-token', actor: 'ann', reason: 'typed wrong' }],
      },
    ]);
  });

  it('replaces the tokens of a whole file, and back again', async () => {
    const place = workspace();
    place.write('old.csv', ids('the-wrong-token-1'));
    place.write('new.csv', ids(GOOD));
    await place.tieout(['import', 'old.csv', '-q']);
    const replaced = await place.tieout(['import', 'new.csv', '--replace-tokens', '-q']);
    expect(replaced.out).toContain('0 added, 1 updated, 1 unchanged, 0 rejected');
    expect((await run(place, '2026-09-01')).code).toBe(0);
    await place.tieout(['import', 'old.csv', '--replace-tokens', '-q']);
    expect((await run(place, '2026-09-02')).code).toBe(1);
    expect((await place.tieout(['tracked', 'show', 'a1'])).out).toContain('import --replace-tokens old.csv');
  });

  it('retracts a record: it leaves the population, is counted, and comes back', async () => {
    const place = workspace();
    place.write('old.csv', ids('the-wrong-token-1'));
    await place.tieout(['import', 'old.csv', '-q']);
    expect((await run(place, '2026-09-01')).code).toBe(1);
    const retracted = await place.tieout(['tracked', 'retract', 'a1', '--kind', 'purchase', '--reason', 'a test']);
    expect(retracted.out).toContain('purchase a1: retracted; 1 break resolved');
    expect((await place.tieout(['import', 'old.csv', '-q'])).out).toContain('0 added, 2 unchanged');
    const night = await run(place, '2026-09-02');
    expect(night.code, night.err).toBe(0);
    expect(night.run).toMatchObject({ tracked: 1, retracted: 1, breaks: { open: 0 } });
    expect(place.manifest('2026-09-02/nightly-r1')).toMatchObject({ tracked: 1, retracted: 1 });
    const audited = await place.ends(2, ['audit', '--id', 'a1']);
    expect(audited.err).toContain('retracted: a1');

    const restored = await place.tieout(['tracked', 'restore', 'a1', '--reason', 'no test']);
    expect(restored.out).toContain('restored');
    expect((await run(place, '2026-09-03')).run).toMatchObject({ retracted: 0, breaks: { open: 1, reopened: 1 } });
  });

  it('ends the conflict of an id that came in as two kinds, once the wrong one is retracted', async () => {
    const place = workspace();
    await place.tieout(['import', '-', '-q'], { stdin: `kind,id,view_token\npurchase,a1,${GOOD}\nsale,a1,${GOOD}\n` });
    const which = await place.ends(2, ['tracked', 'retract', 'a1', '--reason', 'x']);
    expect(which.err).toContain('--kind');
    await place.tieout(['tracked', 'retract', 'a1', '--kind', 'sale', '--reason', 'it is a purchase']);
    const night = await run(place, '2026-09-01');
    expect(night.code, JSON.stringify(night.run)).toBe(0);
  });

  it.each([
    [['tracked', 'set-token', 'a1', '--reason', 'x'], 'the token is missing'],
    [['tracked', 'retract', 'zz', '--reason', 'x'], 'is not tracked'],
    [['tracked', 'retract', 'a1'], '--reason'],
  ])('refuses %s', async (args, why) => {
    const place = workspace();
    await place.tieout(['import', '-', '-q'], { stdin: ids(GOOD) });
    const { err } = await place.ends(2, args);
    expect(err).toContain(why);
  });

  it('knows a UUID in capitals by every door, and asks the Service for it in small letters', async () => {
    const place = workspace();
    const capitals = '3F2504E0-4F89-41D3-9A0C-0305E82C3301';
    const small = capitals.toLowerCase();
    server.answers.set(small, { body: purchaseOf(capitals, { status: '"RELEASED"' }) });
    const one = (id: string) => `kind,id,view_token\npurchase,${id},${GOOD}\n`;
    place.write('capitals.csv', one(capitals));
    place.write('small.csv', one(small));
    await place.tieout(['import', 'capitals.csv', '-q']);
    expect((await place.tieout(['import', 'small.csv', '-q'])).out).toContain('0 added, 1 unchanged, 0 rejected');
    await place.ends(0, ['audit', '--id', capitals, small, '--date', '2026-09-01']);
    expect(server.count(small)).toBe(1);
    const { rows } = place.csv('2026-09-01/audit-r1', 'records');
    expect(rows).toMatchObject([{ record_id: small, verdict: 'matched' }]);
    await place.ends(0, ['tracked', 'retract', capitals, '--reason', 'a test purchase']);
    expect((await place.ends(0, ['tracked', 'show', small])).out).toContain('retracted on');
    await place.ends(0, ['tracked', 'restore', small, '--reason', 'it is none']);
    for (const line of [
      `breaks list --record ${capitals}`,
      `evidence --record ${capitals}`,
      `service purchase ${capitals}`,
    ])
      await place.ends(0, line.split(' '));
  });
});
