import { addressKind, areTwoChains } from '../domain/addresses/chains.ts';
import { isTransactionHash } from '../domain/addresses/transactions.ts';
import { assetIdentifier, contractOf, sameAddress, splitJoined, tokenStandard } from '../domain/asset.ts';
import { showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import { showInstant } from '../domain/record.ts';
import { saysReleased } from '../domain/released.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { transition } from '../domain/status.ts';
import { agree } from '../domain/tolerance.ts';
import { RETURNED } from '../service/profile.ts';
import { MOMENTS } from './contradicting-moments.ts';
import { RECEIVER } from './contradicting-receiver.ts';
import { SALES } from './contradicting-sale.ts';
import { listsAround } from './listings.ts';
import { bodyRule, type Check, plainFinding, RIGHTED, type RuleFinding, type RuleInput } from './rule.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** Two facts of one body that cannot both be true. What the rules on amounts, rates and dates look at is theirs. */
export const recordContradictsItself = bodyRule({
  code: 'RECORD_CONTRADICTS_ITSELF',
  severity: 'medium',
  title: 'Two facts of the record cannot both be true',
  why: 'One of the two is wrong, and nobody can tell which: what rests on either of them is not proved.',
  action: 'Ask the Service which of the two holds; look at the transaction on the chain where one is named.',
  settledBy: RIGHTED,
  example:
    'The purchase is INITIALIZED, but it has a final transaction hash (0x5f0c…), which a purchase has only once its crypto is sent.',
  note: 'The field says which fact it is about.',
  check(state, input) {
    let found: RuleFinding[] | null = null;
    for (const check of CHECKS) {
      const finding = check(state, input);
      if (finding !== null && !found?.some(({ field }) => field === finding.field)) {
        found ??= [];
        found.push(finding);
      }
    }
    return found;
  },
  working,
});

const CHECKS: readonly Check[] = [
  hashTooEarlyOrLate,
  noHash,
  ...MOMENTS,
  ...RECEIVER,
  ...SALES,
  otherToken,
  cutAboveFee,
  contractAgainstType,
  namedAsAnother,
  euroIsNotOne,
];

/** While a purchase is being released its transaction may be known already. */
function hashTooEarlyOrLate(state: RecordState, { terms, history }: RuleInput): RuleFinding | null {
  const { kind, status, finalTxHash, releasedAt } = state;
  if (kind !== 'purchase' || status === null || finalTxHash === null) return null;
  const model = terms.statuses.purchase;
  const [now, sending] = [model.get(status), model.get('RELEASING') ?? model.get('RELEASED')];
  if (now === undefined || sending === undefined) return null;
  if (now.terminal ? saysReleased(status) : now.stage >= sending.stage) return null;
  // What was released may be charged back.
  if (RETURNED.has(status) && releasedAt !== undefined) return null;
  // It was sent, and fell back since: STATUS_REGRESSED says so. Of one that was cancelled while it was sent nothing else does.
  const fellBackFrom = (seen: string | null | undefined) =>
    (seen === 'RELEASING' || seen === 'RELEASED') && transition(terms.statuses, kind, seen, status) === 'forbidden';
  if (fellBackFrom(history.firstTerminal?.state.status) || fellBackFrom(history.peak?.status)) return null;
  return plainFinding(
    'final_tx_hash',
    finalTxHash,
    `The purchase is ${status}, but it has a final transaction hash (${finalTxHash}), which a purchase has only once its ` +
      'crypto is sent.',
  );
}

function noHash({ kind, asset, finalTxHash }: RecordState): RuleFinding | null {
  if (finalTxHash === null || isTransactionHash(asset.chain, finalTxHash)) return null;
  return plainFinding(
    'final_tx_hash',
    finalTxHash,
    `The ${kind} names the transaction ${finalTxHash}, which is not a transaction hash of ${asset.chain}.`,
  );
}

/** The tokens themselves are secrets, and stand nowhere. */
function otherToken({ kind, hasOtherToken }: RecordState): RuleFinding | null {
  if (hasOtherToken !== true) return null;
  return plainFinding(
    'purchase_view_token',
    null,
    `The ${kind} was read with its stored view token, but its body names another one.`,
  );
}

function cutAboveFee({ kind, hostFeeCut, appliedFee, fiatCurrency }: RecordState): RuleFinding | null {
  if (hostFeeCut === null || appliedFee === null || !hostFeeCut.greaterThan(appliedFee)) return null;
  return plainFinding(
    'host_fee_cut',
    hostFeeCut.toString(),
    `The host's share of the ${kind}'s fee is ${showMoney(hostFeeCut, fiatCurrency)}, more than the whole fee of ` +
      `${showMoney(appliedFee, fiatCurrency)}.`,
    appliedFee.toString(),
  );
}

function contractAgainstType({ kind, asset }: RecordState): RuleFinding | null {
  const contract = contractOf(asset);
  // With a contract, a coin's own name as its type leaves the chain open; here it says that it is the coin.
  const isCoinOfIts = asset.chain === '' && asset.type === asset.symbol && addressKind(asset.symbol) !== undefined;
  const standard = isCoinOfIts ? 'NATIVE' : tokenStandard(asset);
  if (standard === null || (standard === 'NATIVE') === (contract === null)) return null;
  return plainFinding(
    'contract_address',
    contract,
    contract === null
      ? `The ${kind}'s asset is a token (${asset.type}), but it has no contract.`
      : `The ${kind}'s asset is the coin of its chain (${asset.type}), but it has the contract ${contract}.`,
  );
}

/** The contract decides: a listing that has it under the name in v3 explains an old symbol of its chain. So does a change of name. */
function namedAsAnother({ kind, asset, alsoNamed }: RecordState, input: RuleInput): RuleFinding | null {
  if (alsoNamed === undefined) return null;
  const name = alsoNamed.slice(alsoNamed.indexOf(' ') + 1);
  const { chain, symbol } = splitJoined(name) ?? { chain: '', symbol: name };
  const contract = contractOf(asset);
  const isListed = listsAround(input, 'assets').some(({ asset: listed }) =>
    sameAddress(contract, listed?.address ?? null),
  );
  const isOtherSymbol = symbol !== asset.symbol && !areTwoChains(chain, asset.chain);
  if (asset.otherNames?.includes(symbol) === true || (contract !== null && isListed && isOtherSymbol)) return null;
  return plainFinding(
    'asset',
    alsoNamed,
    `The ${kind} is for ${assetIdentifier(asset)} by its other names, but its ${alsoNamed} is that of another asset.`,
    assetIdentifier(asset),
  );
}

function euroIsNotOne({ kind, fiatCurrency, fiatRateEur }: RecordState, { terms }: RuleInput): RuleFinding | null {
  if (fiatCurrency !== 'EUR' || fiatRateEur === null) return null;
  if (agree(fiatRateEur, Decimal.ONE, terms.tolerances.rate.consistency)) return null;
  return plainFinding(
    'fiat_rate_eur',
    fiatRateEur.toString(),
    `The ${kind} is in EUR, but it gives ${fiatRateEur} EUR as the price of one EUR.`,
    '1',
  );
}

function working(state: RecordState, input: RuleInput, field: string): Workings {
  const finding = CHECKS.map((check) => check(state, input)).find((each) => each?.field === field) ?? null;
  return wordsOnly([
    fact('status', state.status ?? 'none'),
    fact('created', state.createdAt === null ? 'not known' : showInstant(state.createdAt)),
    ...(finding === null ? [] : [fact('found', finding.actual ?? 'not shown'), fact('why', finding.explanation)]),
    plainOutcome(finding === null ? 'nothing contradicts it' : 'the two cannot both be true', finding !== null),
  ]);
}
