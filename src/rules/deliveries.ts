/** What the chain says of a delivery: which of these rules speaks is decided once, in src/domain/delivery.ts. */
import { assetIdentifier } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import type { Delivery, DeliveryProblem } from '../domain/delivery.ts';
import { isoInstant, showInstant } from '../domain/record.ts';
import { inPlacesOf } from '../domain/stake.ts';
import { apart, NOTHING_FOUND, type Rule, type RuleFinding, type RuleInput, verifiedState } from './rule.ts';
import { figuresApart, showDuration, showFigure } from './wording.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

interface DeliveryRule extends Omit<Rule, 'code' | 'check' | 'working' | 'settledBy'> {
  /** The part of the finding that is this rule's own. */
  find: (delivery: Delivery, input: RuleInput) => Omit<RuleFinding, 'field'>;
}

/**
 * A rule about what the chain says. It has nothing to judge where no chain is configured, no delivery is expected, or the
 * endpoints gave no answer that a quorum stands behind: an open break then stays as it is.
 */
function deliveryRule(problem: DeliveryProblem, { find, ...about }: DeliveryRule): Rule {
  return {
    code: `DELIVERY_${problem}`,
    proof: 'chain',
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
function showTransaction({ chain, txHash, sighting }: Delivery): string {
  const { blockNumber = null, blockTime = null } = sighting ?? {};
  const where = blockNumber === null || blockTime === null ? '' : ` (block ${blockNumber}, ${showInstant(blockTime)})`;
  return `${chain} transaction ${txHash}${where}`;
}

function tokensOfUnits(units: bigint, { asset }: Delivery): Decimal {
  return Decimal.of(units, asset.decimals);
}

/** `0.04 ETH_ETH`. */
function showTokens(units: bigint, delivery: Delivery): string {
  return `${showFigure(tokensOfUnits(units, delivery))} ${assetIdentifier(delivery.asset)}`;
}

/** The tokens that arrived against those promised; a buyer has lost what is missing, at the rate of the record. */
function arrived(delivery: Delivery, input: RuleInput, units = 0n) {
  const sides = apart(tokensOfUnits(units, delivery), tokensOfUnits(delivery.expectedUnits, delivery));
  const { exchangeRate = null, fiatCurrency = '' } = (input.kind === 'purchase' ? verifiedState(input) : null) ?? {};
  return {
    ...sides,
    unit: 'crypto' as const,
    loss: exchangeRate === null ? null : inPlacesOf(sides.difference.negated().times(exchangeRate), fiatCurrency),
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

/** In the order in which findings are reported. */
export const DELIVERY_RULES: readonly Rule[] = [
  /** Only where every endpoint that was heard has the history of that time; a lagging or a pruned one cannot say it. */
  deliveryRule('NOT_FOUND', {
    severity: 'critical',
    title: 'No endpoint of the chain knows the transaction',
    why: 'The Service says that the crypto was sent, and the chain has no such transaction.',
    action:
      'Ask the Service for the transaction that delivered, and tell the user meanwhile that it is being looked for.',
    example:
      'Released on 2026-11-01 10:20 UTC with ETH transaction 0x5c50…, which 2 endpoints do not know: 0.04 ETH_ETH cannot be shown to have been sent.',
    find: (delivery, input) => ({
      ...arrived(delivery, input),
      explanation:
        `${input.kind === 'sale' ? 'The sale names' : `Released on ${showInstant(delivery.releasedAt)} with`} ${delivery.chain} transaction ` +
        `${delivery.txHash}, which ${delivery.sighting?.witnesses ?? 0} endpoints do not know: ` +
        `${showTokens(delivery.expectedUnits, delivery)} cannot be shown to have been ${input.kind === 'sale' ? 'deposited' : 'sent'}.`,
    }),
  }),
  deliveryRule('REVERTED', {
    severity: 'critical',
    title: 'The transaction failed on the chain',
    why: 'A failed transaction moves nothing: the user has not received the crypto that the record calls released.',
    action: 'Ask the Service to send the crypto again and to name the new transaction.',
    example:
      'The ETH transaction 0x5c50… (block 812, 2026-11-01 10:20 UTC) failed on the chain: nothing of 0.04 ETH_ETH was delivered.',
    find: (delivery, input) => ({
      ...arrived(delivery, input),
      explanation:
        `The ${showTransaction(delivery)} failed on the chain: nothing of ` +
        `${showTokens(delivery.expectedUnits, delivery)} was delivered.`,
    }),
  }),
  deliveryRule('TO_OTHER_ADDRESS', {
    severity: 'critical',
    title: 'The transaction pays other addresses',
    why: "Nothing in the transaction goes to the user's address.",
    action:
      'Check the address of the record against the one that the user gave, and ask the Service where the crypto went.',
    example:
      'The ETH transaction 0x5c50… (block 812, 2026-11-01 10:20 UTC) moves nothing to 0x1470…: 0.04 ETH_ETH went elsewhere or was never sent.',
    find: (delivery, input) => {
      const receiver = verifiedState(input)?.receiverAddress ?? null;
      return {
        ...arrived(delivery, input),
        explanation:
          `The ${showTransaction(delivery)} moves nothing to ${receiver ?? 'the address of the record'}: ` +
          `${showTokens(delivery.expectedUnits, delivery)} went elsewhere or was never sent.`,
      };
    },
  }),
  deliveryRule('OF_OTHER_ASSET', {
    severity: 'high',
    title: 'Another asset was delivered',
    why: "The user's address received something, but not the asset that was bought. A token of the same name has another contract.",
    action:
      'Compare the contract of the transfer with that of the asset, and ask the Service to deliver what was bought.',
    example:
      'The ETH transaction 0x5c50… (block 812, 2026-11-01 10:20 UTC) pays the address in another asset: nothing of 25 ETH_USDC was delivered.',
    find: (delivery, input) => ({
      ...arrived(delivery, input),
      explanation:
        `The ${showTransaction(delivery)} pays the address in another asset: nothing of ` +
        `${showTokens(delivery.expectedUnits, delivery)} was delivered.`,
    }),
  }),
  deliveryRule('AMOUNT_DIFFERS', {
    severity: 'high',
    title: 'Another amount was delivered',
    why: "What arrived at the user's address is not what the record says was bought.",
    action:
      'Claim the missing crypto from the Service, with the transaction as proof; after an overpayment expect a correction.',
    example:
      'The ETH transaction 0x5c50… (block 812, 2026-11-01 10:20 UTC) delivers 0.0396 ETH_ETH; the record is for 0.04: 0.0004 ETH_ETH less.',
    find(delivery, input) {
      const sides = arrived(delivery, input, delivery.deliveredUnits ?? 0n);
      const { difference, currency: asset } = sides;
      const [shownActual, shownExpected] = figuresApart(Decimal.parse(sides.actual), Decimal.parse(sides.expected));
      return {
        ...sides,
        tolerance: input.terms.tolerances.crypto.relative.times(
          Decimal.of(delivery.expectedUnits, delivery.asset.decimals),
        ),
        explanation:
          `The ${showTransaction(delivery)} delivers ${shownActual} ${asset}; the record is for ${shownExpected}: ` +
          `${showFigure(difference.abs())} ${asset} ${difference.isNegative ? 'less' : 'more'}.`,
      };
    },
  }),
  deliveryRule('LATE', {
    severity: 'medium',
    title: 'Delivered after the allowed time',
    why: 'The record said released long before the crypto was on its way.',
    action:
      'Ask the Service why it calls a purchase released before it sends; waive a single case once it is explained.',
    example:
      'Released on 2026-11-01 10:20 UTC and due by 16:20; the ETH transaction 0x5c50… (block 812, 2026-11-03 09:00 UTC) came 40 hours late.',
    find: (delivery) => {
      const { due, releasedAt, sighting } = delivery;
      const at = sighting?.blockTime ?? null;
      const late = at === null ? 0 : at - due;
      return {
        expected: isoInstant(due),
        actual: at === null ? null : isoInstant(at),
        explanation:
          `Released on ${showInstant(releasedAt)} and due by ${showInstant(due)}; ` +
          `the ${showTransaction(delivery)} came ${showDuration(late)} late.`,
      };
    },
  }),
  deliveryRule('NOT_FINAL', {
    severity: 'medium',
    title: 'Sent, and still not final when it was due',
    why: 'A transaction in no final block can still disappear; the record calls it done.',
    action:
      'Look at the transaction on the chain. One that stays in no block was sent at too low a price and must be replaced.',
    example:
      'The ETH transaction 0x5c50… was due by 2026-11-01 16:20 UTC and is in no block yet: it can still disappear.',
    find: (delivery) => ({
      expected: 'final',
      actual: delivery.sighting?.seen === 'pending' ? 'pending' : 'in a block',
      explanation:
        `The ${showTransaction(delivery)} was due by ${showInstant(delivery.due)} ` +
        `and is ${delivery.reason ?? 'not final'}: it can still disappear.`,
    }),
  }),
  /** One transaction may pay many records, each by an output of its own; the oldest record has the first claim. */
  deliveryRule('REUSED', {
    severity: 'critical',
    title: "Another record's delivery is named as this one's",
    why: 'One payment on the chain stands for two records: one of the two users has received nothing.',
    action: 'Ask the Service for the transaction of this record; the other one keeps it.',
    example:
      'The ETH transaction 0x5c50… (block 812, 2026-11-01 10:20 UTC) pays 0.04 ETH_ETH to the address once, and that is the delivery of purchase sqs6a428mqjtzbv.',
    find: (delivery, input) => {
      const owner = delivery.claimedBy;
      return {
        ...arrived(delivery, input),
        explanation:
          `The ${showTransaction(delivery)} pays ${showTokens(delivery.expectedUnits, delivery)} to the address once, and that is the ` +
          `delivery of ${owner === null ? 'another record' : `${owner.kind} ${owner.recordId}`}.`,
      };
    },
  }),
];
