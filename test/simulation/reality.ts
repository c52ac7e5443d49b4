/**
 * The Service from night to night: records are created and end, and some have defects that come, go, and come
 * back. A seed gives the same quarter each time.
 */
import { aPurchase, aSale, aTxHash } from '../service/bodies.ts';
import type { RecordAnswer } from '../support/record-server.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { amount, CURRENCIES, type Deal, NAMES, pricesOf, quoteIdOf, SIZES } from './prices.ts';

/** The current defect of a record; `null` for a correct answer. */
type Trouble = 'hash' | 'fee' | 'denied' | 'missing' | 'silent' | 'unreadable' | 'restated';

interface Plan extends Deal {
  /** Night of its creation, and the night in which it is first seen ended. */
  born: number;
  ends: number;
  expires: boolean;
  /** Nights in which a defect shows: from, to (not included). */
  troubles: readonly { what: Trouble; from: number; to: number }[];
}

export class Reality {
  private readonly random: () => number;
  private readonly plans = new Map<string, Plan>();
  private readonly firstDate: number;
  private readonly troubled: number;
  private night = -1;

  /**
   * @param firstDate the business date of the first night, `YYYY-MM-DD`.
   * @param troubled share of the purchases that have more than an outage.
   */
  constructor(seed: number, firstDate: string, troubled: number) {
    this.troubled = troubled;
    this.random = seededRandom(seed);
    this.firstDate = Date.parse(`${firstDate}T00:00:00Z`);
  }

  /** One more day: so many records are made in it. */
  nextDay(count: number): { id: string; kind: 'purchase' | 'sale'; quoteId: string }[] {
    this.night++;
    return Array.from({ length: count }, (_, n) => {
      const plan = this.draw();
      const id = plan.kind === 'sale' ? `s${this.night}x${n}` : `p${this.night}x${n}`;
      this.plans.set(id, plan);
      return { id, kind: plan.kind, quoteId: quoteIdOf(plan) };
    });
  }

  /** Whether something is wrong with a record this night that its body shows. */
  isWrong(id: string): boolean {
    const plan = this.plans.get(id);
    if (plan === undefined) return false;
    const troubles = this.troublesOf(plan);
    // No transaction hash is expected before the release.
    return troubles.includes('fee') || (troubles.includes('hash') && this.night >= plan.ends && !plan.expires);
  }

  /** Whether it had no defect up to this night; five days in a status count as a defect too. */
  isSpotless(id: string): boolean {
    const plan = this.plans.get(id);
    return plan !== undefined && plan.ends - plan.born < 5 && plan.troubles.every(({ from }) => from > this.night);
  }

  answer(id: string): RecordAnswer {
    const plan = this.plans.get(id);
    if (plan === undefined) return { status: 404, body: '{"code":"RECORD_NOT_FOUND","statusCode":404}' };
    const troubles = this.troublesOf(plan);
    if (troubles.includes('missing')) return { status: 404, body: '{"code":"RECORD_NOT_FOUND","statusCode":404}' };
    if (troubles.includes('denied')) return { status: 403, body: '{"code":"FORBIDDEN","statusCode":403}' };
    if (troubles.includes('silent')) return { status: 503, body: '{"code":"DOWN","statusCode":503}' };
    return { body: plan.kind === 'sale' ? this.sale(id, plan) : this.purchase(id, plan, troubles) };
  }

  private chance(probability: number): boolean {
    return this.random() < probability;
  }

  private among(count: number): number {
    return Math.floor(this.random() * count);
  }

  private draw(): Plan {
    const kind = this.chance(0.15) ? 'sale' : 'purchase';
    const lasts = kind === 'sale' ? 2 + this.among(4) : this.chance(0.8) ? 0 : 1 + this.among(7);
    const ends = this.night + lasts;
    return {
      kind,
      currency: NAMES[this.among(NAMES.length)] ?? 'EUR',
      size: 1 + this.among(SIZES),
      born: this.night,
      ends,
      expires: kind === 'purchase' && this.chance(0.05),
      troubles:
        kind === 'sale' ? this.outages(ends) : this.chance(this.troubled) ? this.troubles(ends) : this.outages(ends),
    };
  }

  /** A defect that is repaired, and may come back; often with an outage in the night of the repair. */
  private troubles(ends: number): Plan['troubles'] {
    const what =
      (['hash', 'hash', 'fee', 'missing', 'denied', 'unreadable', 'restated'] as const)[this.among(7)] ?? 'hash';
    const from = what === 'restated' ? ends + 1 + this.among(20) : this.night + this.among(3);
    const to = what === 'restated' ? Number.POSITIVE_INFINITY : from + 1 + this.among(this.among(2) === 0 ? 2 : 9);
    const again = to + 1 + this.among(4);
    const all: { what: Trouble; from: number; to: number }[] = [{ what, from, to }];
    if (this.chance(0.4) && again < Number.POSITIVE_INFINITY)
      all.push({ what, from: again, to: again + 1 + this.among(5) });
    if (this.chance(0.5)) all.push({ what: 'silent', from: Math.min(to, from + 3), to: Math.min(to, from + 3) + 2 });
    return all;
  }

  private outages(ends: number): Plan['troubles'] {
    return this.chance(0.01) ? [{ what: 'silent', from: ends, to: ends + 1 }] : [];
  }

  private troublesOf({ troubles }: Plan): Trouble[] {
    return troubles.filter(({ from, to }) => this.night >= from && this.night < to).map(({ what }) => what);
  }

  private purchase(id: string, plan: Plan, troubles: readonly Trouble[]): string {
    const { value, base, network, applied } = pricesOf(plan);
    const { extra, places } = CURRENCIES[plan.currency];
    const more = troubles.includes('fee') ? extra : 0n;
    const ended = this.night >= plan.ends;
    const status = ended ? (plan.expires ? 'EXPIRED' : 'RELEASED') : 'PAYMENT_IN_PROGRESS';
    const hash = status === 'RELEASED' && !troubles.includes('hash') ? `"${aTxHash(id)}"` : 'null';
    // Another amount after the end; it still foots, as the Service would see to.
    const restated = troubles.includes('restated') ? extra * 2n : 0n;
    return aPurchase({
      id: `"${id}"`,
      createdAt: `"${this.at(plan.born, '10:00')}"`,
      updatedAt: `"${this.at(Math.min(this.night, plan.ends), '10:05')}"`,
      endTime: `"${this.at(plan.expires ? plan.ends : plan.born + 5, '10:00')}"`,
      purchaseViewToken: undefined,
      cryptoAmount: `"${plan.size}0000000000000000"`,
      fiatCurrency: `"${plan.currency}"`,
      assetExchangeRate: amount(CURRENCIES[plan.currency].rate, 3),
      fiatValue: amount(value + more + restated, places),
      baseServiceFee: amount(base + more + restated, places),
      networkFee: amount(network, places),
      // As many digits as the field has: sums of them must not lose one.
      hostFeeCut: `0.${(1_234_567_890_123_457n * BigInt(plan.size)).toString().padStart(17, '0')}`,
      appliedFee: troubles.includes('unreadable') ? undefined : amount(applied + more + restated, places),
      status: `"${status}"`,
      finalTxHash: hash,
    });
  }

  private sale(id: string, plan: Plan): string {
    const { rate, places } = CURRENCIES[plan.currency];
    const paid = (rate * BigInt(plan.size)) / 100n - (rate * BigInt(plan.size)) / 5_000n;
    return aSale({
      id: `"${id}"`,
      createdAt: `"${this.at(plan.born, '11:00')}"`,
      purchaseViewToken: undefined,
      crypto: `{"amount":"${plan.size}0000000000000000","assetInfo":{"address":null,"symbol":"ETH","chain":"ETH","type":"NATIVE","name":"Ether","decimals":18}}`,
      fiat: `{"amount":${amount(paid, places)},"currencySymbol":"${plan.currency}","status":"${this.night >= plan.ends ? 'completed' : 'initiated'}"}`,
    });
  }

  private at(night: number, time: string): string {
    return `${new Date(this.firstDate + night * 86_400_000).toISOString().slice(0, 10)}T${time}:00.000Z`;
  }
}
