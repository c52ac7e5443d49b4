/** What becomes of a claim later: money that was waived since, and evidence that is no longer kept. */
import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { aQuoteLine } from './support/quote-line.ts';
import { unpacked, unpackInto } from './support/unpacked.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();

const DATES = { createdAt: '"2026-08-31T10:00:00.000Z"', updatedAt: '"2026-08-31T10:00:00.000Z"' };
const FIRST = '2026-09-01T04:15:00Z';

async function night(place: Workspace, appliedFee: string, now: string, cryptoAmount = '"40000000000000000"') {
  server.answers.set('a', { body: aPurchase({ id: '"a"', ...DATES, appliedFee, cryptoAmount }) });
  const date = new Date(Date.parse(now) - 86_400_000).toISOString().slice(0, 10);
  await place.tieout(['run', '--date', date, '-q'], { now });
}

/** A night with a fee above the quoted one, and a claim that was sent and rejected. */
async function rejected(cryptoAmount?: string) {
  const place = open({ settings: 'retention: { snapshots: 1d, events: 1d }\n' });
  place.write('ids.csv', 'kind,id,view_token,quote_id\npurchase,a,t,q-1\n');
  place.write('quotes.ndjson', aQuoteLine());
  await place.ends(0, ['import', 'ids.csv'], { now: FIRST });
  await place.ends(0, ['quotes', 'import', 'quotes.ndjson'], { now: FIRST });
  await night(place, '9.76', FIRST, cryptoAmount);
  const ends = async (code: number, line: string, now = FIRST) => place.ends(code, line.split(' '), { now });
  const { breaks } = JSON.parse((await ends(0, 'breaks list --json')).out) as {
    breaks: { break_id: string; money_at_stake: string | null }[];
  };
  const id = breaks.find(({ money_at_stake }) => money_at_stake !== null)?.break_id ?? '';
  const opened = await ends(0, `claims open ${id} --title Fees --reason more --json`);
  const claim = (JSON.parse(opened.out) as { claim_id: string }).claim_id;
  for (const state of ['sent', 'rejected']) await ends(0, `claims update ${claim} --state ${state} --reason r`);
  return { place, ends, id, claim };
}

it('a rejected claim is not sent again where its money was waived since; reopened, it is', async () => {
  const { ends, id, claim } = await rejected();
  await ends(0, `breaks waive ${id} --reason agreed --by kim`);
  const { err } = await ends(2, `claims update ${claim} --state sent --reason r`);
  expect(err).toContain(`the money of break ${id.slice(0, 12)} was waived by kim; reopen it first`);
  await ends(0, `breaks reopen ${id} --reason r`);
  await ends(0, `claims update ${claim} --state sent --reason r`);
  // A waiver of what is claimed withdraws nothing, and was made without a word.
  const { err: said } = await ends(0, `breaks waive ${id} --reason agreed --json`);
  expect(said).toContain(`is claimed from the Service (${claim}), and a waiver withdraws no claim`);
});

it('a dearer fee and lacking tokens are claimed together, and are so again where a rejected claim is sent once more', async () => {
  // 95.00 EUR are left after the fee, and the tokens are worth 85.00.
  const { ends, claim } = await rejected('"34000000000000000"');
  const shown = async () => {
    const { breaks } = JSON.parse((await ends(0, 'breaks list --json')).out) as {
      breaks: Record<'rule' | 'claim_id' | 'money_at_stake', string | null>[];
    };
    const inClaim = breaks.filter(({ claim_id }) => claim_id !== null).map(({ rule }) => rule);
    return { inClaim: inClaim.sort(), atStake: breaks.flatMap(({ money_at_stake }) => money_at_stake ?? []) };
  };
  expect(await shown()).toEqual({ inClaim: [], atStake: ['15'] });
  const { amounts } = JSON.parse((await ends(0, `claims show ${claim} --json`)).out);
  expect(amounts).toEqual([expect.objectContaining({ currency: 'EUR', claimed: '15' })]);
  await ends(0, `claims update ${claim} --state sent --reason r`);
  expect(await shown()).toEqual({
    inClaim: ['AMOUNT_DIFFERS', 'FEE_APPLIED_DIFFERS', 'TOTAL_NOT_FOOTING'],
    atStake: [],
  });
});

it('a pack says that the evidence of a settled claim is no longer kept', async () => {
  const { place, ends, id, claim } = await rejected();
  const letter = (file: string) =>
    unpacked(readFileSync(place.path(file)))
      .get('letter.txt')
      ?.toString();
  await ends(0, `claims pack ${claim} --file first.zip`);
  expect(letter('first.zip')).not.toContain('no longer keep');
  for (const day of ['02', '03']) await night(place, '4.76', `2026-09-${day}T04:15:00Z`);
  const later = '2026-12-01T04:15:00Z';
  await ends(0, 'db archive --before 2026-09-01 --file old.ndjson', later);
  await ends(0, 'db prune', later);
  await ends(0, `claims pack ${claim} --file later.zip`, later);
  expect(letter('later.zip')).toContain(
    'Of 1 row of claim.csv the body or the quote is not here: we no longer keep it',
  );
  for (const name of ['first', 'later']) unpackInto(place.path(name), readFileSync(place.path(`${name}.zip`)));
  await ends(0, 'verify first later');
  await ends(0, `breaks pack ${id} --file break.zip`, later);
  expect(
    unpacked(readFileSync(place.path('break.zip')))
      .get('README.txt')
      ?.toString(),
  ).toContain('no longer keeps it');
});
