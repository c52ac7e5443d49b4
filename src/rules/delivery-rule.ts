/** What the rules of a delivery share: which of them speaks is decided once, in src/domain/delivery.ts. */
import { assetIdentifier } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import type { Delivery, DeliveryProblem } from '../domain/delivery.ts';
import { showInstant } from '../domain/record.ts';
import { NOTHING_FOUND, type Rule, type RuleFinding, type RuleInput } from './rule.ts';
import { showFigure } from './wording.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

interface DeliveryRule extends Omit<Rule, 'code' | 'check' | 'working' | 'settledBy'> {
  /** The part of the finding that is this rule's own. */
  find: (delivery: Delivery, input: RuleInput) => Omit<RuleFinding, 'field'>;
}

/**
 * A rule about what the chain says. It has nothing to judge where no chain is configured, no delivery is expected, or the
 * endpoints gave no answer that a quorum stands behind: an open break then stays as it is.
 */
export function deliveryRule(problem: DeliveryProblem, { find, ...about }: DeliveryRule): Rule {
  return {
    code: `DELIVERY_${problem}`,
    ...about,
    settledBy: 'A night on which the chain shows the delivery that the record promises.',
    check(input) {
      const { expectation } = input;
      if (expectation === null || expectation.outcome === 'unverified') return 'not-applicable';
      return expectation.problem === problem ? [{ field: 'delivery', ...find(expectation, input) }] : NOTHING_FOUND;
    },
    working,
  };
}

/** The transaction with its place on the chain: `ETH transaction 0xab… (block 812, 2026-11-01 10:20 UTC)`. */
export function showTransaction({ chain, txHash, sighting }: Delivery): string {
  const { blockNumber = null, blockTime = null } = sighting ?? {};
  const where = blockNumber === null || blockTime === null ? '' : ` (block ${blockNumber}, ${showInstant(blockTime)})`;
  return `${chain} transaction ${txHash}${where}`;
}

export function tokensOfUnits(units: bigint, { asset }: Delivery): Decimal {
  return Decimal.of(units, asset.decimals);
}

/** `0.04 ETH_ETH`. */
export function showTokens(units: bigint, delivery: Delivery): string {
  return `${showFigure(tokensOfUnits(units, delivery))} ${assetIdentifier(delivery.asset)}`;
}

/** Crypto that did not arrive, in whole tokens, as the difference of a finding. */
export function nothingArrived(delivery: Delivery): Omit<RuleFinding, 'field' | 'explanation'> {
  const expected = tokensOfUnits(delivery.expectedUnits, delivery);
  return {
    expected: expected.toString(),
    actual: '0',
    difference: expected.negated(),
    currency: assetIdentifier(delivery.asset),
  };
}

function working({ expectation }: RuleInput): Workings | null {
  if (expectation === null) return null;
  const { sighting, due, releasedAt, deliveredUnits, expectedUnits, reason, outcome } = expectation;
  const units = (value: bigint | null) => (value === null ? 'not known' : showTokens(value, expectation));
  const lines = [
    fact('transaction', `${expectation.chain} ${expectation.txHash}`),
    fact('released', showInstant(releasedAt)),
    fact('to be delivered by', showInstant(due)),
    fact('expected', units(expectedUnits)),
    fact('delivered', units(deliveredUnits)),
    fact(
      'seen',
      sighting === null
        ? 'not asked'
        : `${sighting.seen}, ${showInstant(sighting.at)}, witnesses: ${sighting.witnesses}`,
    ),
    fact('evidence', sighting?.sha256 ?? 'none'),
    plainOutcome(reason ?? 'delivered as promised', outcome === 'broken' || outcome === 'late'),
  ];
  return wordsOnly(lines);
}
