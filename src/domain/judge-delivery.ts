/** Compares the delivery that a record promises with its chain. Pure. */
import { type Asset, contractOf, sameAddress } from './asset.ts';
import type { Case } from './case.ts';
import { Decimal } from './decimal.ts';
import type { Delivery, DeliveryProblem, DeliveryTerms, NamedDelivery, Sighting, Transfer } from './delivery.ts';
import type { Instant } from './record.ts';
import { saysReleased } from './released.ts';
import type { RecordState } from './snapshot.ts';

/** The part of a case that bears on its delivery. */
type DeliverySubject = Pick<Case, 'kind' | 'recordId' | 'observation' | 'history' | 'reference' | 'delivery'>;

interface Terms {
  asOf: Instant;
  deliveries: DeliveryTerms | null;
  tolerances: { crypto: { relative: Decimal } };
}

/**
 * The record's transaction, where one is expected to exist: a released purchase, or a sale whose body names the escrow. Chain
 * and receiver are empty where the record does not say them.
 */
export function expectedTransaction(state: RecordState): { chain: string; txHash: string; receiver: string } | null {
  const { finalTxHash, status, asset, kind } = state;
  const receiver = state.receiverAddress ?? '';
  if (finalTxHash === null || finalTxHash === '') return null;
  if (kind === 'sale' ? receiver === '' : status === null || !saysReleased(status)) return null;
  return { chain: asset.chain, txHash: finalTxHash, receiver };
}

/**
 * When the crypto was sent at the earliest, and when it has to be there. It was sent at some time between the making of the
 * record and what the record says now: a restated record dates its release too late, and a history that begins then proves nothing.
 * @param endedAt when the record first said that it had ended, before this look
 */
export function timesOf(
  state: RecordState,
  endedAt: Instant | null,
  receivedAt: Instant,
  terms: DeliveryTerms,
): { since: Instant; due: Instant } {
  const said = releaseOf(state, endedAt) ?? receivedAt;
  return { since: Math.min(state.createdAt ?? said, said), due: said + allowedTime(state.asset, terms) };
}

/** Null where nothing is expected of the record, or no chain is configured. */
export function judgeDelivery(subject: DeliverySubject, terms: Terms): Delivery | null {
  const { observation, delivery } = subject;
  if (terms.deliveries === null || observation.outcome !== 'verified') return null;
  const { state } = observation.snapshot;
  const expected = expectedTransaction(state);
  if (expected === null) return null;
  const { receivedAt } = observation.snapshot.evidence;
  const { firstTerminal } = subject.history;
  const endedAt = firstTerminal === null ? null : (firstTerminal.state.updatedAt ?? firstTerminal.evidence.receivedAt);
  const { due } = timesOf(state, endedAt, receivedAt, terms.deliveries);
  const base: Delivery = {
    outcome: 'unverified',
    problem: null,
    reason: null,
    chain: expected.chain,
    txHash: expected.txHash,
    asset: state.asset,
    expectedUnits: state.cryptoUnits,
    deliveredUnits: null,
    releasedAt: releaseOf(state, endedAt) ?? receivedAt,
    due,
    claimedBy: null,
    sighting: delivery?.sighting ?? null,
  };
  const finding = findingOf(base, expected.receiver, subject, terms);
  return { ...base, ...finding };
}

/** Reference data that lists the contract on the chain confirms what a token standard alone presumes. */
function isPresumed({ chain, address, chainPresumed }: Asset, { reference }: DeliverySubject): boolean {
  const listed = reference.asset;
  return chainPresumed === true && !(listed?.chain === chain && sameAddress(listed.address ?? null, address));
}

type Found = Partial<Delivery> & Pick<Delivery, 'outcome'>;

function broken(problem: DeliveryProblem, reason: string, more: Partial<Delivery> = {}): Found {
  return { outcome: problem === 'LATE' ? 'late' : 'broken', problem, reason, ...more };
}

const unverified = (reason: string): Found => ({ outcome: 'unverified', reason });

function findingOf(base: Delivery, receiver: string, subject: DeliverySubject, terms: Terms): Found {
  const { sighting, due, chain } = base;
  if (chain === '') return unverified('the record does not say on which chain it paid');
  if (receiver === '') return unverified('the record does not say to which address it paid');
  if (terms.deliveries?.chains.includes(chain) !== true) return unverified(`no endpoint is configured for ${chain}`);
  if (sighting === null) return unverified('the chain was not asked');
  // A delivery that is not on the chain yet is overdue only once the endpoints know a block after the due time: an
  // endpoint that lags cannot show it.
  const overdue = terms.asOf > due && (sighting.upTo ?? terms.asOf) > due;
  switch (sighting.seen) {
    case 'unverified':
      return unverified(sighting.reason ?? 'the endpoints gave no answer that a quorum stands behind');
    case 'missing':
      // Another chain may use the same token standard, and know the transaction.
      if (isPresumed(base.asset, subject)) return unverified('the record does not say on which chain it paid');
      return overdue
        ? broken('NOT_FOUND', 'no endpoint knows the transaction')
        : unverified('not found yet, and not due yet');
    case 'pending':
      return overdue ? broken('NOT_FINAL', 'in no block yet') : unverified('in no block yet, and not due yet');
    case 'found':
      break;
  }
  if (!sighting.final)
    return overdue ? broken('NOT_FINAL', 'in a block that is not final') : unverified('not final yet, and not due yet');
  if (!sighting.succeeded) return broken('REVERTED', 'the transaction failed on the chain', { deliveredUnits: 0n });
  return receivedOf(base, sighting, receiver, subject, terms);
}

function receivedOf(
  base: Delivery,
  sighting: Sighting,
  receiver: string,
  subject: DeliverySubject,
  terms: Terms,
): Found {
  const contract = contractOf(base.asset);
  const own = ({ kind, recordId }: { kind: string; recordId: string }) =>
    kind === subject.kind && recordId === subject.recordId;
  const ofAsset = ({ asset }: { asset: string | null }) => sameAddress(asset, contract);
  const close = (units: bigint) => agree(units, base.expectedUnits, terms.tolerances.crypto.relative);
  const toReceiver = sighting.transfers.filter(({ to }) => sameReceiver(to, receiver));
  const outputs = toReceiver.filter(ofAsset);
  const fitting = outputs.filter(({ units }) => close(units));
  const total = outputs.reduce((sum, { units }) => sum + units, 0n);
  const claims = (subject.delivery?.claims ?? []).filter(
    (claim) => sameReceiver(claim.receiver, receiver) && sameAddress(claim.asset, contract),
  );
  // Balances show payments to one address as one, and a payer may make one output of them.
  const together = [...new Map(claims.map((claim) => [`${claim.kind} ${claim.recordId}`, claim.units])).values()];
  const promised = together.reduce((sum, units) => sum + units, 0n);
  const paidTogether =
    together.length > 1 && agree(total, promised, terms.tolerances.crypto.relative) && base.expectedUnits <= total;
  if (fitting.length === 0 && !close(total) && !paidTogether) {
    if (contract === null && !sighting.complete)
      return unverified('no endpoint can trace coins moved inside a contract call');
    if (outputs.length > 0) return broken('AMOUNT_DIFFERS', 'another amount arrived', { deliveredUnits: total });
    if (toReceiver.length > 0) return broken('OF_OTHER_ASSET', 'another asset arrived', { deliveredUnits: 0n });
    return sighting.transfers.length > 0
      ? broken('TO_OTHER_ADDRESS', 'nothing in the transaction goes to the address', { deliveredUnits: 0n })
      : broken('AMOUNT_DIFFERS', 'nothing moved in the transaction', { deliveredUnits: 0n });
  }
  const delivered = { deliveredUnits: fitting[0]?.units ?? (paidTogether ? base.expectedUnits : total) };
  const rivals = claims.filter(({ units }) => close(units));
  const isTaken = rivals.findIndex(own) >= Math.max(1, fitting.length);
  // Several outputs together are one delivery only where none of them is another record’s.
  const owner = isTaken
    ? rivals[0]
    : fitting.length > 0
      ? undefined
      : ownerOf(
          outputs,
          claims.filter((claim) => !own(claim)),
          terms,
        );
  if (!paidTogether && owner !== undefined)
    return broken('REUSED', 'the output is another record’s delivery', { ...delivered, claimedBy: owner });
  const { blockTime } = sighting;
  if (subject.kind === 'purchase' && blockTime !== null && blockTime > base.due)
    return broken('LATE', 'delivered after the allowed time', delivered);
  return { outcome: 'met', ...delivered };
}

/** The first claim that one of the outputs pays. Each looks at its nearest outputs alone: there may be thousands of both. */
function ownerOf(outputs: readonly Transfer[], claims: readonly NamedDelivery[], { tolerances }: Terms) {
  const sorted = outputs.map(({ units }) => units).sort((a, b) => (a < b ? -1 : Number(a > b)));
  return claims.find(({ units }) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as bigint) < units) low = middle + 1;
      else high = middle;
    }
    const nearest = sorted.slice(Math.max(0, low - 1), low + 1);
    return nearest.some((each) => agree(each, units, tolerances.crypto.relative));
  });
}

/**
 * The earlier of the times that the record states now and stated at its first release: a restatement postpones no
 * promise.
 */
function releaseOf(state: RecordState, first: Instant | null): Instant | null {
  const times = [state.updatedAt, first].filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

function allowedTime(asset: { chain: string; symbol: string }, { within }: DeliveryTerms): number {
  return within[`${asset.chain}_${asset.symbol}`] ?? within[asset.chain] ?? within.default ?? 0;
}

/** Bech32 addresses mean the same in both cases, as hexadecimal ones do. */
function sameReceiver(a: string, b: string): boolean {
  const isBech32 = (text: string) => /^(?:bc|tb|bcrt|ltc)1[02-9ac-hj-np-z]+$/i.test(text);
  return sameAddress(a, b) || (isBech32(a) && isBech32(b) && a.toLowerCase() === b.toLowerCase());
}

function agree(actual: bigint, expected: bigint, relative: Decimal): boolean {
  const difference = Decimal.of(actual > expected ? actual - expected : expected - actual);
  return !difference.greaterThan(relative.times(Decimal.of(expected)));
}
