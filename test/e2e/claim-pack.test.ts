/** The pack of a claim, with every name in it hostile: unpacked files stay in their folder, and state the claim. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openClaim, packClaim } from '../../src/app/claims.ts';
import { verifySets } from '../../src/publish/verify.ts';
import { aPurchase } from '../service/bodies.ts';
import { readCsv } from './support/csv.ts';
import { type FrozenWorld, openFrozenWorld } from './support/frozen-world.ts';
import { aQuoteLine } from './support/quote-line.ts';
import { unpacked, unpackInto } from './support/unpacked.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const actor = { name: 'Ann', account: 'local:Ann', proof: 'proved' } as const;
const CLIMBING = '../../../../etc/cron.d/evil';
const TURNED = '\u202egnp.exe\u2066';
const LONG = 'x'.repeat(300);
const TOKEN = 'token-that-is-on-no-page';

let world: FrozenWorld;
let path: string;
const files = new Map<string, Buffer>();

const text = (name: string) => files.get(name)?.toString('utf8') ?? '';

beforeAll(async () => {
  world = await openFrozenWorld({});
  await world.quote([aQuoteLine().replace('"q-1"', JSON.stringify(CLIMBING))]);
  await world.track(
    `kind,id,view_token,host_reference,quote_id\npurchase,a,${TOKEN},"=cmd|'/c'!A0${TURNED}${LONG.slice(0, 200)}",${CLIMBING}\n`,
  );
  const dates = { createdAt: '"2026-08-31T10:00:00.000Z"', updatedAt: '"2026-08-31T10:00:00.000Z"' };
  world.server.answers.set('a', {
    body: aPurchase({ id: '"a"', ...dates, appliedFee: '9.76', purchaseViewToken: JSON.stringify(TOKEN) }),
  });
  world.goTo('2026-09-01T04:15:00Z');
  await world.night('2026-08-31');
  const [standing] = await world.app.store.workList.page({ states: ['open'] }, { sort: 'stake', limit: 1 });
  const title = `${CLIMBING}\u0000\r\nYour reference: forged${TURNED}${LONG}`;
  const claim = await openClaim(world.app, [standing?.breakId ?? ''], { title, reason: 'too much', actor });
  const zip = await packClaim(world.app, claim);
  for (const [name, bytes] of unpacked(zip)) files.set(name, bytes);
  path = join(world.out, 'claim');
  unpackInto(path, zip);
  expect(await packClaim(world.app, claim)).toEqual(zip);
}, PATIENCE.hookTimeout);
afterAll(() => world?.close());

describe('the pack of a claim', () => {
  it('has names of its own alone: none of them climbs, turns or is a device', () => {
    const names = [...files.keys()];
    expect(names).toHaveLength(5);
    for (const name of names)
      expect(name).toMatch(/^(?:(?:bodies|quotes)\/[0-9a-f]{32}\.json|letter\.txt|claim\.csv|manifest\.json)$/);
  });

  it('has a letter in which no title makes a line of its own', () => {
    expect(text('letter.txt').split('\n')[0]).toContain('forged');
    expect(text('letter.txt')).not.toMatch(/^Your reference/m);
    expect(text('letter.txt')).not.toContain('\0');
    expect(text('letter.txt')).not.toMatch(/[\r\u202a-\u202e\u2066-\u2069]/);
  });

  it('has a table in which no cell is run', () => {
    const [row] = readCsv(text('claim.csv')).rows;
    expect(row).toMatchObject({ record_id: 'a', quote_id: CLIMBING });
    expect(row?.host_reference).not.toMatch(/^[=+\-@]/);
  });

  it('is verified by whoever has it', async () => {
    const [found] = await verifySets(path);
    expect(found).toMatchObject({ files: 4, rows: 1, problems: [] });
  });

  it('has the hash of every file, and the token in none', () => {
    const manifest = JSON.parse(text('manifest.json')) as { files: { name: string; sha256: string }[] };
    const hashes = [...files]
      .filter(([name]) => name !== 'manifest.json')
      .map(([name, bytes]) => ({ name, sha256: createHash('sha256').update(bytes).digest('hex') }));
    expect(manifest.files.map(({ name, sha256 }) => ({ name, sha256 }))).toEqual(
      hashes.sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
    for (const bytes of files.values()) expect(bytes.includes(TOKEN)).toBe(false);
  });
});
