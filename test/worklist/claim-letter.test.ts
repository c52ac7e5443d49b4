import { expect, it } from 'vitest';
import { claimLetter } from '../../src/worklist/claim-letter.ts';
import { planClaim } from '../../src/worklist/claims.ts';
import { aCurrentBreak } from '../support/a-break.ts';
import { at, dec } from '../support/builders.ts';

const by = { actor: { name: 'Ann', account: 'os:ann', proof: 'stated' }, reason: 'overcharged' } as const;
const breaks = (['AMOUNT_DIFFERS', 'FEE_APPLIED_DIFFERS', 'AMOUNT_DIFFERS'] as const).map((rule, i) =>
  aCurrentBreak({
    breakId: `${i}`.repeat(64),
    rule,
    recordId: `${i}`,
    loss: dec('1.50'),
    recordCurrency: i === 0 ? 'USD' : 'EUR',
    explanation: 'The rate\nis lower.',
  }),
);
const { claim, items } = planClaim(
  breaks,
  { records: breaks, taken: new Map() },
  {
    ...by,
    title: 'Fees\r\nDear team,\u202e ',
    at: at('2026-11-01 23:59'),
  },
);

const letter = (opening: string) =>
  `${opening}
Dear support team,

3 of our records differ from what you promised or published. In all we claim:

  3.00 EUR
  1.50 USD

By what differs:

  2 × AMOUNT_DIFFERS
  1 × FEE_APPLIED_DIFFERS

For example:

  The rate is lower.

claim.csv has every record with what was expected, what was found and the difference. The folder quotes has the promises
as you gave them, the folder bodies the records as you served them, with view tokens cut out. manifest.json has the
SHA-256 of every file; each body is named by the first digits of the SHA-256 of the bytes that we received.

Opened 2026-11-01.
`;

it('states the claimed amounts by currency and by rule, with one example; a title is one line', () => {
  const heading = `Claim ${claim.claimId}: Fees Dear team,\\u202e\n`;
  expect(claimLetter(claim, items, breaks)).toBe(letter(heading));
  expect(claimLetter({ ...claim, reference: 'T-1' }, items, breaks)).toBe(letter(`${heading}Your reference: T-1\n`));
});

it('asks for unpaid revenue in words of its own', () => {
  const explanation = "The host's revenue of 2026-06 is 0.43 EUR; nothing was paid for it.";
  const owed = aCurrentBreak({ kind: 'payout', rule: 'PAYOUT_MISSING', recordId: '2026-06-EUR', explanation });
  const text = claimLetter(claim, items.slice(1, 2), [owed]);
  expect(text).toContain('our share of the fees of these months was not paid, or not in full. We ask you to pay:');
  expect(text).toContain(`Month by month:\n\n  ${explanation}`);
  expect(text).not.toContain('view tokens');
});

it('has no example where the breaks are gone', () => {
  expect(claimLetter(claim, items, [])).toContain('By what differs:\n\n\nclaim.csv has every record');
});
