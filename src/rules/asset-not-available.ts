import { type AssetIdentity, assetIdentifier, contractOf, sameAddress, tokenStandard } from '../domain/asset.ts';
import { showInstant } from '../domain/record.ts';
import type { AssetTerms } from '../domain/reference.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { listsAround, NO_LIST, provingLists, showLateTerms, showLists } from './listings.ts';
import { bodyRule, plainFinding, type RuleFinding, type RuleInput } from './rule.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** The record's asset and currency against the Service's own lists: is it that asset, and was it for sale then? */
export const assetNotAvailable = bodyRule({
  code: 'ASSET_NOT_AVAILABLE',
  severity: 'medium',
  title: 'Not the listed asset, or an asset or currency that the Service did not offer then',
  why: 'A token of another contract is worth something else, or nothing; what was not offered is likely to be returned.',
  action:
    'Compare the contract with the one that the Service lists; stop deliveries of an asset that it does not list.',
  settledBy:
    'A night on which the record names the listed asset; otherwise a waiver, once the Service has confirmed it.',
  example:
    'The purchase is for ETH_USDC with the contract 0xBad0…, but the Service lists ETH_USDC with the contract 0xA0b8… (2026-11-01 09:00 UTC).',
  note: 'Another contract, or other decimals, is high. Hidden assets are no finding.',
  check(state, input) {
    if (input.reference.before === undefined && input.reference.after === undefined) return NO_LIST;
    const found = findings(state, input);
    if (found.length > 0) return found;
    const lists = [...assetLists(input), ...provingLists(input, 'currencies')];
    return lists.length === 0 ? NO_LIST : null;
  },
  working,
});

function findings(state: RecordState, input: RuleInput): readonly RuleFinding[] {
  return [...notListed(state, input), ...differing(state, input), ...currencyNotOffered(state, input)];
}

/**
 * An asset whose chain nothing names may be listed under any. A token is its contract: one that no list has under the token's name is not
 * listed, unless the record's own quote has it.
 */
function isKnown({ asset }: RecordState, { quote }: RuleInput): boolean {
  if (asset.chain !== '' && asset.chainPresumed !== true) return true;
  const contract = contractOf(asset);
  return contract !== null && !sameAddress(contract, quote?.quote.asset.address ?? null);
}

/** Maintenance comes and goes within the hour: a list that stands alone may prove that an asset is missing, never that it was disabled. */
function assetLists(input: RuleInput) {
  const lists = provingLists(input, 'assets');
  return lists.length === 1 && lists[0]?.asset?.enabled === false ? [] : lists;
}

function notListed(state: RecordState, input: RuleInput): readonly RuleFinding[] {
  const lists = assetLists(input);
  const isOffered = lists.some(({ asset, isUnread }) => asset?.enabled === true || isUnread === true);
  if (lists.length === 0 || isOffered) return [];
  const isListed = lists.some(({ asset }) => asset !== null);
  if (!isListed && !isKnown(state, input)) return [];
  const name = assetIdentifier(state.asset);
  const says = isListed ? 'disabled' : 'not listed';
  const explanation =
    `The ${state.kind} is for ${name}, which was ${says} then: ${showLists(lists, state.createdAt)} of ${state.kind}s in ${state.fiatCurrency} ` +
    `${hasIt(lists.length === 1, isListed)}.`;
  return [plainFinding('asset', says, explanation, 'enabled')];
}

function hasIt(isOne: boolean, isListed: boolean): string {
  if (isListed) return `${isOne ? 'has' : 'have'} it as disabled`;
  return `${isOne ? 'does' : 'do'} not have it`;
}

/** What differs from the listed asset of the same name, on every list there is. */
function differing(state: RecordState, input: RuleInput): readonly RuleFinding[] {
  const lists = listsAround(input, 'assets').flatMap(({ asset, capturedAt }) =>
    asset === null ? [] : [{ ...asset, capturedAt }],
  );
  const listed = lists[0];
  if (listed === undefined) return [];
  return DIFFERENCES.flatMap(({ field, severity, of, differs }) => {
    if (!lists.every((each) => differs(state, each))) return [];
    const [expected, actual] = [of(listed), of(state.asset)];
    return [
      {
        field,
        ...(severity === undefined ? {} : { severity }),
        expected,
        actual,
        explanation:
          `The ${state.kind} is for ${assetIdentifier(state.asset)} with ${inWords(field, actual)}, but the Service lists it with ` +
          `${inWords(field, expected)} (${showInstant(listed.capturedAt)}${showLateTerms(listed.capturedAt, state.createdAt)}).`,
      },
    ];
  });
}

interface Difference {
  field: string;
  severity?: 'high';
  of: (asset: AssetIdentity) => string | null;
  differs: (state: RecordState, listed: AssetTerms) => boolean;
}

const DIFFERENCES: readonly Difference[] = [
  { field: 'contract_address', severity: 'high', of: contractOf, differs: contractDiffers },
  {
    field: 'asset_decimals',
    severity: 'high',
    of: ({ decimals }) => String(decimals),
    differs: ({ asset }, listed) => asset.decimals !== listed.decimals,
  },
  {
    field: 'asset_type',
    of: ({ type }) => type ?? null,
    differs: ({ asset }, listed) => {
      const [ours, theirs] = [tokenStandard(asset), tokenStandard(listed)];
      return ours !== null && theirs !== null && ours !== theirs;
    },
  },
];

/** A body without any word of a contract leaves it open; an earlier version did not keep whether it had one. */
function contractDiffers({ asset, lacks }: RecordState, listed: AssetTerms): boolean {
  const [ours, theirs] = [contractOf(asset), contractOf(listed)];
  if (ours !== null && theirs !== null) return !sameAddress(ours, theirs);
  if (ours === null && theirs === null) return false;
  if (ours === null) return lacks !== undefined && !lacks.some((path) => path.endsWith('.address'));
  // A listing that calls it a token and has no contract is short of one.
  return tokenStandard(listed) === 'NATIVE';
}

function inWords(field: string, value: string | null): string {
  if (field === 'asset_decimals') return `${value} decimals`;
  if (field === 'asset_type') return `the type ${value}`;
  return value === null ? 'no contract' : `the contract ${value}`;
}

function currencyNotOffered(state: RecordState, input: RuleInput): readonly RuleFinding[] {
  const lists = provingLists(input, 'currencies');
  const side = state.kind === 'purchase' ? 'onramp' : 'offramp';
  // A list of one currency is that of a region, or of a test: it excludes nothing that it does not name.
  const refuses = ({ byCode }: (typeof lists)[number]) =>
    byCode.get(state.fiatCurrency)?.[side] === false || (byCode.size > 1 && !byCode.has(state.fiatCurrency));
  if (lists.length === 0 || !lists.every(refuses)) return [];
  const { kind, fiatCurrency } = state;
  const says = `The ${kind} is in ${fiatCurrency}, which the Service did not offer for ${kind}s then`;
  return [
    plainFinding('fiat_currency', fiatCurrency, `${says}, by ${showLists(lists, state.createdAt)} of currencies.`),
  ];
}

function working(state: RecordState, input: RuleInput, field: string): Workings {
  const finding = findings(state, input).find((each) => each.field === field);
  const lists = listsAround(input, field === 'fiat_currency' ? 'currencies' : 'assets');
  const times = lists.map(({ capturedAt }) => showInstant(capturedAt));
  return wordsOnly([
    fact('asset', assetIdentifier(state.asset)),
    fact('lists before and after the creation', times.length === 0 ? 'none' : times.join(', ')),
    fact('listed', finding?.expected ?? 'nothing'),
    fact('record', finding?.actual ?? 'as listed'),
    plainOutcome(finding === undefined ? 'as the lists have it' : 'not as the lists have it', finding !== undefined),
  ]);
}
