import { addressKind, looksLikeAddress } from '../domain/addresses/chains.ts';
import { evm } from '../domain/addresses/forms.ts';
import { isTransactionHash } from '../domain/addresses/transactions.ts';
import { assetIdentifier, contractOf, sameAddress, tokenStandard } from '../domain/asset.ts';
import { minorUnit, showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import { EARLIEST, isPlausible } from '../domain/plausible-date.ts';
import { isoInstant, showInstant } from '../domain/record.ts';
import { hasReleased } from '../domain/released.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { transition } from '../domain/status.ts';
import { agree } from '../domain/tolerance.ts';
import { UNPAID_END } from '../service/profile.ts';
import { readAt } from './date-implausible.ts';
import { listsAround } from './listings.ts';
import { NOTHING_FOUND, RIGHTED, type Rule, type RuleFinding, type RuleInput, verifiedState } from './rule.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** Two facts of one body that cannot both be true. What the rules on amounts, rates and dates look at is theirs. */
export const recordContradictsItself: Rule = {
  code: 'RECORD_CONTRADICTS_ITSELF',
  severity: 'medium',
  title: 'Two facts of the record cannot both be true',
  why: 'One of the two is wrong, and nobody can tell which: what rests on either of them is not proved.',
  action: 'Ask the Service which of the two holds; look at the transaction on the chain where one is named.',
  settledBy: RIGHTED,
  example:
    'The purchase is INITIALIZED, but it has a final transaction hash (0x5f0c…), which a purchase has only once its crypto is sent.',
  note: 'The field says which fact it is about.',
  check(input) {
    const state = verifiedState(input);
    if (state === null) return 'not-applicable';
    let found: RuleFinding[] | null = null;
    for (const check of CHECKS) {
      const finding = check(state, input);
      if (finding !== null && !found?.some(({ field }) => field === finding.field)) {
        found ??= [];
        found.push(finding);
      }
    }
    return found ?? NOTHING_FOUND;
  },
  working,
};

type Check = (state: RecordState, input: RuleInput) => RuleFinding | null;

const CHECKS: readonly Check[] = [
  hashTooEarlyOrLate,
  noHash,
  updatedBeforeCreated,
  expiresAtOddTime,
  expiredTooEarly,
  receiverOfAnotherChain,
  sentToNoUser,
  sentToNobody,
  tokensNeverCame,
  feeInAnotherCurrency,
  otherToken,
  cutAboveFee,
  paidForNothing,
  contractAgainstType,
  namedAsAnother,
  mistypedReceiver,
  euroIsNotOne,
];

/** While a purchase is being released its transaction may be known already. */
function hashTooEarlyOrLate(state: RecordState, { terms, history }: RuleInput): RuleFinding | null {
  const { kind, status, finalTxHash } = state;
  if (kind !== 'purchase' || status === null || finalTxHash === null) return null;
  const model = terms.statuses.purchase;
  const [now, sending] = [model.get(status), model.get('RELEASING') ?? model.get('RELEASED')];
  if (now === undefined || sending === undefined) return null;
  if (!UNPAID_END.has(status) && (now.terminal || now.stage >= sending.stage)) return null;
  // It was sent, and fell back since: STATUS_REGRESSED says so. Of one that was cancelled while it was sent nothing else does.
  const fellBackFrom = (seen: string | null | undefined) =>
    (seen === 'RELEASING' || seen === 'RELEASED') && transition(terms.statuses, kind, seen, status) === 'forbidden';
  if (fellBackFrom(history.firstTerminal?.state.status) || fellBackFrom(history.peak?.status)) return null;
  return {
    field: 'final_tx_hash',
    expected: null,
    actual: finalTxHash,
    explanation:
      `The purchase is ${status}, but it has a final transaction hash (${finalTxHash}), which a purchase has only once its ` +
      'crypto is sent.',
  };
}

function noHash({ kind, asset, finalTxHash }: RecordState): RuleFinding | null {
  if (finalTxHash === null || isTransactionHash(asset.chain, finalTxHash)) return null;
  return {
    field: 'final_tx_hash',
    expected: null,
    actual: finalTxHash,
    explanation: `The ${kind} names the transaction ${finalTxHash}, which is not a transaction hash of ${asset.chain}.`,
  };
}

/** Clocks of two servers may differ by so much, in milliseconds. */
const CLOCKS_DIFFER = 1000;

function updatedBeforeCreated({ kind, createdAt, updatedAt }: RecordState, input: RuleInput): RuleFinding | null {
  if (createdAt === null || updatedAt === null || updatedAt >= createdAt - CLOCKS_DIFFER) return null;
  // A date that cannot be true is DATE_IMPLAUSIBLE, and contradicts every other one.
  if (!isPlausible(createdAt, readAt(input)) || updatedAt < EARLIEST) return null;
  return {
    field: 'updated_at',
    expected: isoInstant(createdAt),
    actual: isoInstant(updatedAt),
    explanation: `The ${kind} was updated at ${showInstant(updatedAt)}, before it was created (${showInstant(createdAt)}).`,
  };
}

/** Orders expire within days; beyond this no contract or campaign explains it. */
const LONGEST_TERM = 3650 * 86_400_000;

function expiresAtOddTime({ kind, createdAt, endTime }: RecordState, input: RuleInput): RuleFinding | null {
  if (createdAt === null || endTime === null || !isPlausible(createdAt, readAt(input))) return null;
  const isBefore = endTime < createdAt - CLOCKS_DIFFER;
  if (!isBefore && endTime <= createdAt + LONGEST_TERM) return null;
  return {
    field: 'end_time',
    expected: isoInstant(createdAt),
    actual: isoInstant(endTime),
    explanation: `The ${kind} expires at ${showInstant(endTime)}, ${isBefore ? 'before' : 'more than ten years after'} it was created (${showInstant(createdAt)}).`,
  };
}

/** Our own clock may be wrong by so much before a run says so. */
const OUR_CLOCK_IS_OFF = 300_000;

/** By when it was first seen so; `updatedAt` need not move with the status. */
function expiredTooEarly({ kind, status, endTime }: RecordState, input: RuleInput): RuleFinding | null {
  if (status !== 'EXPIRED' || endTime === null) return null;
  const { firstTerminal } = input.history;
  const seenAt = firstTerminal?.state.status === status ? firstTerminal.evidence.receivedAt : readAt(input);
  if (seenAt >= endTime - OUR_CLOCK_IS_OFF) return null;
  return {
    field: 'status',
    expected: null,
    actual: status,
    explanation: `The ${kind} was ${status} at ${showInstant(seenAt)} already, but it expires at ${showInstant(endTime)}.`,
  };
}

/** A memo may follow the address. */
const addressIn = (receiver: string) => receiver.split(/[:?]/, 1)[0] ?? '';

function receiverOfAnotherChain({ kind, asset, receiverAddress }: RecordState): RuleFinding | null {
  if (receiverAddress === null || asset.chainPresumed === true) return null;
  if (looksLikeAddress(asset.chain, addressIn(receiverAddress))) return null;
  const form = addressKind(asset.chain)?.name ?? '';
  return {
    field: 'receiver_address',
    expected: form,
    actual: receiverAddress,
    explanation: `The ${kind} is on ${asset.chain}, but its receiver ${receiverAddress} is not ${form}.`,
  };
}

/** A remark: the capitals of an EVM address are its checksum (EIP-55), but no chain reads them, and not every wallet writes them so. */
function mistypedReceiver({ kind, receiverAddress }: RecordState): RuleFinding | null {
  if (receiverAddress === null || evm(addressIn(receiverAddress)) !== 'checksum') return null;
  return {
    field: 'receiver_address',
    severity: 'info',
    expected: null,
    actual: receiverAddress,
    explanation: `The capitals in the receiver of the ${kind} (${receiverAddress}) are not its checksum: the address may be mistyped.`,
  };
}

/** What is sent to a token's own contract, or to the address of all zeros, is lost. */
function sentToNoUser({ kind, asset, receiverAddress }: RecordState): RuleFinding | null {
  if (kind === 'sale' || receiverAddress === null) return null;
  const isContract = sameAddress(receiverAddress, asset.address);
  if (!isContract && !/^0x0{40}$/.test(receiverAddress)) return null;
  return {
    field: 'receiver_address',
    expected: null,
    actual: receiverAddress,
    explanation: `The receiver of the purchase is ${isContract ? "the token's own contract" : 'the address of all zeros'} (${receiverAddress}): nobody has its key.`,
  };
}

/** A body without the field has said nothing, and is counted with those that lack it; an empty one says that there is no receiver. */
function sentToNobody({ kind, status, receiverAddress, lacks }: RecordState): RuleFinding | null {
  if (kind === 'sale' || receiverAddress !== null || !hasReleased({ kind, status })) return null;
  const says = lacks?.includes('receiverAddress') === false;
  return {
    field: 'receiver_address',
    ...(says ? {} : { severity: 'info' as const }),
    expected: null,
    actual: null,
    explanation: `The purchase is ${status}, but its body names no address that its crypto was sent to.`,
  };
}

/** How a transfer of tokens stands that has not brought any. */
const NOT_SENT: ReadonlySet<string> = new Set(['not-started', 'failed']);

function tokensNeverCame({ kind, status, cryptoStatus = '' }: RecordState): RuleFinding | null {
  if (kind === 'purchase' || status === null || !hasReleased({ kind, status }) || !NOT_SENT.has(cryptoStatus))
    return null;
  return {
    field: 'crypto_status',
    expected: null,
    actual: cryptoStatus,
    explanation: `The sale is ${status}, but the transfer of its crypto is ${cryptoStatus}: it was paid out for tokens that never came.`,
  };
}

/** A fee in the crypto is only another way to say it; so is one in EUR where the body has its price in EUR. */
function feeInAnotherCurrency({ kind, fiatCurrency, feeCurrency, exchangeRateEur }: RecordState): RuleFinding | null {
  if (feeCurrency === undefined || minorUnit(feeCurrency) === undefined) return null;
  if (feeCurrency === 'EUR' && exchangeRateEur !== null) return null;
  return {
    field: 'fee_currency',
    expected: fiatCurrency,
    actual: feeCurrency,
    explanation: `The ${kind} pays out in ${fiatCurrency}, but states its fee in ${feeCurrency}: the fee cannot be compared with anything.`,
  };
}

/** The tokens themselves are secrets, and stand nowhere. */
function otherToken({ kind, hasOtherToken }: RecordState): RuleFinding | null {
  if (hasOtherToken !== true) return null;
  return {
    field: 'purchase_view_token',
    expected: null,
    actual: null,
    explanation: `The ${kind} was read with its stored view token, but its body names another one.`,
  };
}

function cutAboveFee({ kind, hostFeeCut, appliedFee, fiatCurrency }: RecordState): RuleFinding | null {
  if (hostFeeCut === null || appliedFee === null || !hostFeeCut.greaterThan(appliedFee)) return null;
  return {
    field: 'host_fee_cut',
    expected: appliedFee.toString(),
    actual: hostFeeCut.toString(),
    explanation:
      `The host's share of the ${kind}'s fee is ${showMoney(hostFeeCut, fiatCurrency)}, more than the whole fee of ` +
      `${showMoney(appliedFee, fiatCurrency)}.`,
  };
}

/** A purchase without tokens does not foot; most sales name no rate to foot with. */
function paidForNothing({ kind, cryptoUnits, fiatValue, fiatCurrency }: RecordState): RuleFinding | null {
  if (kind === 'purchase' || cryptoUnits !== 0n || !fiatValue.isPositive) return null;
  return {
    field: 'crypto_amount',
    expected: null,
    actual: '0',
    explanation: `The sale pays out ${showMoney(fiatValue, fiatCurrency)}, but it is for no crypto at all.`,
  };
}

function contractAgainstType({ kind, asset }: RecordState): RuleFinding | null {
  const contract = contractOf(asset);
  // With a contract, a coin's own name as its type leaves the chain open; here it says that it is the coin.
  const isCoinOfIts = asset.chain === '' && asset.type === asset.symbol && addressKind(asset.symbol) !== undefined;
  const standard = isCoinOfIts ? 'NATIVE' : tokenStandard(asset);
  if (standard === null || (standard === 'NATIVE') === (contract === null)) return null;
  return {
    field: 'contract_address',
    expected: null,
    actual: contract,
    explanation:
      contract === null
        ? `The ${kind}'s asset is a token (${asset.type}), but it has no contract.`
        : `The ${kind}'s asset is the coin of its chain (${asset.type}), but it has the contract ${contract}.`,
  };
}

/** The contract decides: a listing that has it under the name in v3 explains an old symbol. So does a change of name. */
function namedAsAnother({ kind, asset, alsoNamed }: RecordState, input: RuleInput): RuleFinding | null {
  if (alsoNamed === undefined) return null;
  const symbol = alsoNamed.split(/[ _]/).at(-1) ?? '';
  const contract = contractOf(asset);
  const isListed = listsAround(input, 'assets').some(({ asset: listed }) =>
    sameAddress(contract, listed?.address ?? null),
  );
  if (asset.otherNames?.includes(symbol) === true || (contract !== null && isListed)) return null;
  return {
    field: 'asset',
    expected: assetIdentifier(asset),
    actual: alsoNamed,
    explanation: `The ${kind} is for ${assetIdentifier(asset)} by its other names, but its ${alsoNamed} is that of another asset.`,
  };
}

function euroIsNotOne({ kind, fiatCurrency, fiatRateEur }: RecordState, { terms }: RuleInput): RuleFinding | null {
  if (fiatCurrency !== 'EUR' || fiatRateEur === null) return null;
  if (agree(fiatRateEur, Decimal.ONE, terms.tolerances.rate.consistency)) return null;
  return {
    field: 'fiat_rate_eur',
    expected: '1',
    actual: fiatRateEur.toString(),
    explanation: `The ${kind} is in EUR, but it gives ${fiatRateEur} EUR as the price of one EUR.`,
  };
}

function working(input: RuleInput, field: string): Workings | null {
  const state = verifiedState(input);
  if (state === null) return null;
  const finding = CHECKS.map((check) => check(state, input)).find((each) => each?.field === field) ?? null;
  return wordsOnly([
    fact('status', state.status ?? 'none'),
    fact('created', state.createdAt === null ? 'not known' : showInstant(state.createdAt)),
    ...(finding === null ? [] : [fact('found', finding.actual ?? 'not shown'), fact('why', finding.explanation)]),
    plainOutcome(finding === null ? 'nothing contradicts it' : 'the two cannot both be true', finding !== null),
  ]);
}
