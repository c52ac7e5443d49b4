/** The payments of a population on its chains: the releases of purchases, and the deposits of sales. */
import type { SandboxInstant } from '../../src/sandbox/contract.ts';
import type { Payment } from '../../src/sandbox/local-chains.ts';
import type { Population } from '../../src/sandbox/population.ts';
import type { RecordPlan } from '../../src/sandbox/record-plan.ts';

export const HOUR = 3_600_000;
const PAID_AFTER = 5 * 60_000;
const LATE_BY = 30 * HOUR;
/** Payouts within this time are made in one transaction. */
const WINDOW = 3 * HOUR;

/** By time. */
export function paymentsOf(population: Population, chains: ReadonlySet<string>): Payment[] {
  const payments: Payment[] = [];
  for (let index = 0; index < population.size; index++) {
    const plan = population.plan(index);
    if (!chains.has(plan.asset.chain) || plan.defect?.delivery === 'reused') continue;
    const payment = plan.kind === 'purchase' ? releaseOf(plan, population) : depositOf(plan, population);
    if (payment !== null) payments.push(payment);
  }
  return payments.sort((a, b) => a.at - b.at || a.index - b.index);
}

/** Null for a purchase that is never released, or whose body cannot be read. */
function releaseOf(plan: RecordPlan, population: Population): Payment | null {
  const { receiverAddress, cryptoAmount, finalTxHash, updatedAt } = population.body(plan, 2);
  if (typeof finalTxHash !== 'string' || finalTxHash === '') return null;
  // A record restated between the nights was released before the first.
  const first = population.body(plan, 1).updatedAt;
  const released = Math.min(
    ...[updatedAt, first].map((time) => Date.parse(String(time))).filter((time) => time > plan.createdAt),
  );
  const late = plan.defect?.delivery === 'late';
  return paymentOf(plan, released + (late ? LATE_BY : PAID_AFTER), receiverAddress, cryptoAmount);
}

/** Null for a sale whose body names no escrow, or no transaction. */
function depositOf(plan: RecordPlan, population: Population): Payment | null {
  const { escrowAddress, transactionHash, crypto } = population.body(plan, 2);
  if (typeof transactionHash !== 'string' || typeof crypto !== 'object' || crypto === null) return null;
  return paymentOf(plan, plan.createdAt + PAID_AFTER, escrowAddress, 'amount' in crypto ? crypto.amount : null);
}

function paymentOf(plan: RecordPlan, at: SandboxInstant, to: unknown, amount: unknown): Payment | null {
  if (typeof to !== 'string' || typeof amount !== 'string') return null;
  const { chain, address } = plan.asset;
  return {
    index: plan.index,
    chain,
    at,
    to: to.startsWith('0x') ? to.toLowerCase() : to,
    contract: address,
    units: BigInt(amount),
    fault: plan.defect?.delivery ?? null,
  };
}

/** Payments that are in a block, in stretches of time and of at most so many; each stretch is one transaction. */
export function batchesOf(
  payments: readonly Payment[],
  most: number,
  groupOf: (payment: Payment) => string,
): { group: string; batch: readonly Payment[] }[] {
  const open = Map.groupBy(payments, (each) => `${groupOf(each)} ${Math.floor(each.at / WINDOW)}`);
  return [...open.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const parts: { group: string; batch: readonly Payment[] }[] = [];
    for (let from = 0; from < all.length; from += most) {
      parts.push({ group: groupOf(first), batch: all.slice(from, from + most) });
    }
    return parts;
  });
}

/** The amount after a fault. */
export function paidUnits({ fault, units }: Payment): bigint {
  return fault === 'short' ? (units * 99n) / 100n : units;
}
