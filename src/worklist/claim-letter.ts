/** The letter of a claim, in words that a provider's support can act on. Pure. */
import type { Claim, ClaimItem } from '../domain/claim.ts';
import { showMoney } from '../domain/currency.ts';
import { isoInstant } from '../domain/record.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { counted } from '../text/counts.ts';
import { oneLine } from '../text/visible.ts';
import { claimSums } from './claims.ts';

/** @param incomplete breaks whose body or quote is no longer kept */
export function claimLetter(
  claim: Claim,
  items: readonly ClaimItem[],
  breaks: readonly CurrentBreak[],
  incomplete = 0,
): string {
  const isRevenue = breaks.length > 0 && breaks.every(({ kind }) => kind === 'payout');
  return [
    `Claim ${claim.claimId}: ${plain(claim.title)}`,
    claim.reference === null ? '' : `Your reference: ${plain(claim.reference)}`,
    '',
    'Dear support team,',
    '',
    ...(isRevenue ? revenueText(items, breaks) : recordsText(items, breaks)),
    ...(incomplete === 0
      ? []
      : [
          `Of ${counted(incomplete, 'row')} of claim.csv the body or the quote is not here: we no longer keep it, or have it in an archive.`,
        ]),
    '',
    `Opened ${isoInstant(claim.openedAt).slice(0, 10)}.`,
    '',
  ]
    .filter((line, i) => !(line === '' && i === 1))
    .join('\n');
}

/** The sums of the rows: each is rounded to the places of its currency when it is claimed. */
const sumLines = (items: readonly ClaimItem[]) =>
  claimSums(items).map(({ currency, claimed }) => `  ${showMoney(claimed, currency)}`);

function recordsText(items: readonly ClaimItem[], breaks: readonly CurrentBreak[]): string[] {
  const rules = new Map<string, number>();
  for (const { rule } of breaks) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  const first = breaks[0];
  const records = new Set(breaks.map(({ kind, recordId }) => `${kind} ${recordId}`)).size;
  return [
    `${records} of our records ${records === 1 ? 'differs' : 'differ'} from what you promised or published. In all we claim:`,
    '',
    ...sumLines(items),
    '',
    'By what differs:',
    '',
    ...[...rules].sort(([a], [b]) => (a < b ? -1 : 1)).map(([rule, many]) => `  ${many} × ${rule}`),
    '',
    ...(first === undefined ? [] : ['For example:', '', `  ${plain(first.explanation)}`, '']),
    'claim.csv has every record with what was expected, what was found and the difference. The folder quotes has the promises',
    'as you gave them, the folder bodies the records as you served them, with view tokens cut out. manifest.json has the',
    'SHA-256 of every file; each body is named by the first digits of the SHA-256 of the bytes that we received.',
  ];
}

function revenueText(items: readonly ClaimItem[], breaks: readonly CurrentBreak[]): string[] {
  return [
    'our share of the fees of these months was not paid, or not in full. We ask you to pay:',
    '',
    ...sumLines(items),
    '',
    'Month by month:',
    '',
    ...breaks.map(({ explanation }) => `  ${plain(explanation)}`),
    '',
    'claim.csv has every month with what was earned, what was paid and the difference. The shares of the single records are in',
    'your own answers (hostFeeCut); we send them record by record on request. manifest.json has the SHA-256 of every file.',
  ];
}

const plain = (text: string) => oneLine(text).trim();
