/** The host's share paid on a chain: endpoints show the amount, statements the month, and one payment counts once. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { pairs, TOKEN_CODE } from '../local-chains/evm-code.ts';
import { type EvmNode, startEvmNode } from '../local-chains/evm-node.ts';
import { aPurchase } from '../service/bodies.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

const HOST = '0x52908400098527886e0f7030069857d2e4169ee7';
const USDC = `0x${'a0'.repeat(20)}`;

let server: RecordServer;
let node: EvmNode;
let place: Workspace;
const sent: string[] = [];

/** Revenue: August 100.00 and September 40.00 EUR; one EUR is 1.25 USDC. */
beforeAll(async () => {
  [server, node] = await Promise.all([
    startRecordServer(),
    startEvmNode({ chainId: 1, since: Date.parse('2025-08-01T00:00:00Z') }),
  ]);
  await node.request('hardhat_setCode', [USDC, TOKEN_CODE]);
  for (const [day, units] of [
    ['2025-09-05', 125_000_000n],
    ['2025-10-06', 49_000_000n],
    ['2025-11-01', 0n],
  ] as const) {
    if (units > 0n) {
      const data = pairs([{ to: HOST, units }]);
      sent.push((await node.request('eth_sendTransaction', [{ from: node.accounts[0], to: USDC, data }])) as string);
    }
    await node.request('evm_mine', [`0x${(Date.parse(`${day}T12:00:00Z`) / 1000).toString(16)}`]);
  }
  place = openWorkspace(server.url, {
    settings: `rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off, TOTAL_NOT_FOOTING: off, DELIVERY_NOT_FOUND: off }
evidence:
  chains:
    - { chain: ETH, type: evm, chainId: 1, quorum: 2, endpoints: [{ name: a, url: "${node.url}/a" }, { name: b, url: "${node.url}/b" }] }
  payouts:
    treasury:
      - chain: ETH
        addresses: ["${HOST}"]
        assets: [{ symbol: USDC, contract: "${USDC}", decimals: 6, pays: EUR, rate: 1.25 }]
`,
  });
  for (const [id, month, cut] of [
    ['a1', '2025-08', '100.00'],
    ['s1', '2025-09', '40.00'],
  ] as const) {
    const body = aPurchase({
      id: `"${id}"`,
      purchaseViewToken: undefined,
      status: '"RELEASED"',

      hostFeeCut: cut,
      createdAt: `"${month}-15T10:00:00.000Z"`,
      updatedAt: `"${month}-15T10:20:00.000Z"`,
    });
    server.answers.set(id, { body });
  }
  place.write('ids.csv', 'kind,id,view_token\npurchase,a1,t\npurchase,s1,t\n');
  await place.tieout(['import', 'ids.csv']);
});
afterAll(async () => {
  place?.remove();
  await Promise.all([server?.close(), node?.close()]);
});

const SET = '2025-11-20/nightly-r1';
const state = (set: string) => ({
  breaks: place
    .csv(set, 'breaks')
    .rows.filter(({ kind }) => kind === 'payout')
    .map(({ record_id, rule, state }) => `${rule} ${record_id} ${state}`),
  payouts: place
    .csv(set, 'payouts')
    .rows.map((row) => [row.source, row.amount, row.currency, row.period, row.matched_amount, row.state].join(' ')),
});

it('transfers pay the month before them where the rate makes their sum exact; one that does not is unexplained', async () => {
  const found = await place.tieout([
    'payouts',
    'import',
    '--chain',
    'ETH',
    '--from',
    '2025-08-01',
    '--to',
    '2025-11-20',
  ]);
  expect([found.code, found.err]).toEqual([0, '']);
  expect(found.out).toContain('2 added, 0 unchanged, 0 rejected');
  expect(found.out).toContain('looked through up to 2025-11-01T12:00:00.000Z');
  const again = await place.tieout(['payouts', 'import', '--chain', 'ETH', '--tx', sent[0] ?? '']);
  expect([again.code, again.out]).toEqual([0, '0 added, 1 unchanged, 0 rejected\n']);

  await place.ends(1, ['run', '--date', '2025-11-20']);
  const [, unexplained] = place.csv(SET, 'payouts').rows;
  expect(state(SET)).toEqual({
    breaks: ['PAYOUT_MISSING 2025-09-EUR open', `PAYOUT_UNEXPLAINED ${unexplained?.payout_id} open`].sort((a, b) =>
      (a.split(' ')[1] ?? '') < (b.split(' ')[1] ?? '') ? -1 : 1,
    ),
    payouts: ['ETH 125 USDC 2025-08 100 matched', 'ETH 49 USDC   unexplained'],
  });
  const evidence = await place.tieout(['evidence', unexplained?.evidence_sha256 ?? '']);
  expect([evidence.code, evidence.out]).toEqual([0, expect.stringContaining(sent[1] ?? '-')]);
  expect(createHash('sha256').update(evidence.out).digest('hex')).toBe(unexplained?.evidence_sha256);
  await place.ends(0, ['evidence', unexplained?.evidence_sha256 ?? '', '--verify']);
});

it('a statement that names the transaction says what it was for: one payment, of what the chain moved', async () => {
  place.write(
    'partner.csv',
    `date,amount,currency,reference,chain,tx_hash\n2025-10-06,50.00,USDC,REV 2025-09,ETH,${sent[1]}\n`,
  );
  const named = await place.tieout(['payouts', 'import', 'partner.csv']);
  expect([named.code, named.out]).toEqual([0, '1 added, 1 unchanged, 0 rejected\n']);
  await place.ends(1, ['run', '--date', '2025-11-21']);
  const next = state('2025-11-21/nightly-r1');
  expect(next.payouts).toEqual(['ETH 125 USDC 2025-08 100 matched', 'ETH 49 USDC 2025-09 39.2 differs']);
  expect(next.breaks.sort()).toEqual([
    'PAYOUT_DIFFERS 2025-09-EUR open',
    'PAYOUT_MISSING 2025-09-EUR resolved',
    expect.stringMatching(/^PAYOUT_UNEXPLAINED \w+ resolved$/),
  ]);
  // A replay of the first night knows what it knew, and no endpoint.
  await node.close();
  await place.ends(0, ['replay', 'nightly-2025-11-20-r1']);
  await place.ends(0, ['verify', 'out']);

  const down = await place.tieout(['payouts', 'import', '--chain', 'ETH']);
  expect([down.code, down.out]).toEqual([3, expect.stringContaining('unverified: a: could not be reached')]);
});

it.each([
  [['payouts', 'import'], 'Nothing to import'],
  [['payouts', 'import', '--from', '2025-08-01'], '--from, --to and --tx need a chain'],
  [['payouts', 'import', '--chain', 'BTC'], 'evidence.chains has no entry for the chain BTC'],
])('%j is refused', async (words, message) => {
  const { code, err } = await place.tieout(words);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});
