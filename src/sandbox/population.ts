/** The records of a sandbox, each computed when asked for. */
import type { Body, DueEntry, Night, QuoteLine, SandboxKind, TrackedLine } from './contract.ts';
import type { Refusal } from './defects/defect.ts';
import { dueFigures } from './defects/edges.ts';
import { dueByContract, dueShown } from './defects/promises.ts';
import { Draws } from './random.ts';
import { recordBody } from './record-bodies.ts';
import { changedAt, planRecord, type RecordPlan, statusOn } from './record-plan.ts';
import { quotedFigures, quoteId, quoteLine, recordFigures } from './record-quote.ts';
import type { World } from './world.ts';

export type Population = ReturnType<typeof createPopulation>;

const DAY = 86_400_000;

const laterThan = ({ createdAt }: RecordPlan) => new Date(createdAt + 60_000).toISOString();

export function createPopulation(world: World) {
  const { ids, records: size, allocation } = world;
  const plan = (index: number) => planRecord(world, index);

  const plainBody = (of: RecordPlan, night: Night): Body => recordBody(of, night, world);

  /** The record's body on a night, whether its endpoint would give it or not. */
  function body(of: RecordPlan, night: Night): Body {
    const plain = plainBody(of, night);
    const context = {
      night,
      identifierName: world.identifierName,
      changedAt: new Date(changedAt(world)).toISOString(),
    };
    if (of.defect?.copiesOlder === true) return copyOf(of, plain, night);
    return of.defect?.body?.(plain, context) ?? plain;
  }

  /** The body of an older purchase that was paid on a chain, under this record's id and token. */
  function copyOf(of: RecordPlan, own: Body, night: Night): Body {
    const older = olderDelivery(of);
    if (older === null) return own;
    const { id, purchaseViewToken } = own;
    // A body may leave its token out; it never has that of the older one.
    // Its own list of actions would begin before it was created.
    const { purchaseViewToken: _, actions: __, ...copied } = plainBody(older, night);
    return {
      ...copied,
      id,
      ...(purchaseViewToken === undefined ? {} : { purchaseViewToken }),
      createdAt: laterThan(older),
    };
  }

  /** A clean purchase of the quoted amount that was released days ago; where there are chains, its transaction is on one. */
  function olderDelivery(of: RecordPlan): RecordPlan | null {
    for (let step = 1; step < size; step++) {
      const other = plan((of.index + size - step) % size);
      const isOld = other.createdAt < world.now - 3 * DAY;
      const isChanged = other.floating !== null && other.floating.factor !== 1;
      if (!isOld || isChanged || other.defect !== null || other.kind !== 'purchase') continue;
      if (world.chains ? world.transactions.has(other.index) : statusOn(other, 1, world).status === 'RELEASED')
        return other;
    }
    return null;
  }

  /** The next record of the same kind; the record itself in a population that has no other. */
  function neighbour(of: RecordPlan): RecordPlan {
    for (let step = 1; step < size; step++) {
      const other = plan((of.index + step) % size);
      if (other.kind === of.kind) return other;
    }
    return of;
  }

  function* plans(): Generator<RecordPlan> {
    for (let index = 0; index < size; index++) yield plan(index);
  }

  return {
    size,
    plan,
    /** The record with this id, or null where there is none of this kind. */
    find(kind: SandboxKind, id: string): RecordPlan | null {
      const index = ids.indexOf(id);
      if (index === null || index >= size || ids.id(index, kind) !== id) return null;
      const found = plan(index);
      return found.kind === kind ? found : null;
    },
    accepts: (of: RecordPlan, token: string) =>
      token === ids.token(of.index) ||
      (of.defect?.acceptsStrangerToken === true && token === ids.strangerToken(of.index)),
    body,
    /** How the record's endpoint answers on a night: with a body, or with a refusal. */
    answer(of: RecordPlan, night: Night): { body: Body } | { refusal: Exclude<Refusal, 'another-record'> } {
      const refusal = of.defect?.refusal?.(night) ?? null;
      // Without the neighbour's own defect: nothing but the id is wrong with this answer.
      if (refusal === 'another-record') return { body: plainBody(neighbour(of), night) };
      return refusal === null ? { body: body(of, night) } : { refusal };
    },
    *trackedLines(): Generator<TrackedLine> {
      for (const of of plans()) {
        const copied = of.defect?.copiesOlder === true ? olderDelivery(of) : null;
        const lines = trackedLines(of, world);
        // The amounts shown to its own user are not those of the copied purchase.
        const copy = { shown_total: null, shown_fee: null };
        yield* copied === null ? lines : lines.map((line) => ({ ...line, ...copy, created_at: laterThan(copied) }));
      }
    },
    *quoteLines(): Generator<QuoteLine> {
      for (const of of plans()) {
        const line = quoteLine(of, world);
        if (line !== null) yield line;
      }
    },
    *answerKey(): Generator<DueEntry> {
      for (const index of allocation.indices()) {
        const of = plan(index);
        const { defect, kind } = of;
        if (defect === null) continue;
        const { codes, also, night } = defect;
        const [quoted, own] = [quotedFigures(of, world), recordFigures(of, world)];
        const againstQuote =
          defect.figures === undefined ? [] : dueFigures(kind, codes, quoted, own, of.asset.decimals);
        const figures =
          defect.contractPercent !== undefined
            ? dueByContract(codes, defect.contractPercent, own, of.asset.decimals)
            : defect.shown === undefined
              ? againstQuote
              : [
                  // The shown amounts are the promise, so the quote measures no loss.
                  ...againstQuote.map((each) => ({ ...each, loss: null })),
                  ...dueShown(codes, defect.shown(quoted, own), quoted, own),
                ];
        // A purchase that was never paid costs no one anything.
        const isUnpaid = kind === 'purchase' && UNPAID.includes(statusOn(of, 2, world).status);
        const moved = figures.map((each) => (isUnpaid ? { ...each, loss: null } : each));
        yield {
          kind,
          id: ids.id(index, kind),
          defect: defect.name,
          codes,
          ...(also && { also }),
          figures: moved,
          night,
        };
        const copied = defect.copiesOlder === true ? olderDelivery(of) : null;
        // A reader who compares the two sees the transaction twice.
        if (copied !== null)
          yield { kind, id: ids.id(copied.index, kind), defect: defect.name, codes: ['TX_REUSED'], figures: [], night };
      }
    },
  };
}

const UNPAID = ['INITIALIZED', 'PAYMENT_STARTED', 'PAYMENT_FAILED', 'PAYMENT_IN_PROGRESS', 'EXPIRED', 'CANCELLED'];

/** The application's export of a record: id, token, and quote id. */
const STREAM = 27;

/** One line, or the lines that the record's defect makes of it. */
export function trackedLines(plan: RecordPlan, world: World): readonly TrackedLine[] {
  const draws = new Draws(world.seed, plan.index, STREAM);
  const { status, terminal } = statusOn(plan, 1, world);
  // The next night could contradict a status that is not final, and a sale's body may say it in other words. Defective records
  // have none: it would be a second defect.
  const maySay = terminal && plan.kind === 'purchase' && plan.defect === null;
  const line: TrackedLine = {
    kind: plan.kind,
    id: world.ids.id(plan.index, plan.kind),
    view_token: world.ids.token(plan.index),
    created_at: new Date(plan.createdAt).toISOString(),
    host_reference: draws.chance(0.7) ? `order-${plan.index + 1}` : null,
    quote_id: plan.linking === 'linked' ? quoteId(plan) : null,
    expected_status: draws.chance(0.25) && maySay ? status : null,
    ...shownBy(plan, world),
  };
  return plan.defect?.tracked?.(line, world.ids.strangerToken(plan.index)) ?? [line];
}

/** Every fifth clean record; a screen has two places, and three for dinars. */
const KEEPS_SHOWN = 5;
const SCREEN_PLACES = 2;

function shownBy(plan: RecordPlan, world: World): Pick<TrackedLine, 'shown_total' | 'shown_fee'> {
  const { defect, index } = plan;
  // What a floating record is charged is not what was shown, and is no defect.
  const isAsQuoted = plan.linking === 'linked' && plan.floating === null;
  const keeps = defect === null ? index % KEEPS_SHOWN === 0 && isAsQuoted : defect.shown !== undefined;
  if (!keeps) return { shown_total: null, shown_fee: null };
  const quoted = quotedFigures(plan, world);
  const asShown = { total: quoted.fiatValue, fee: quoted.appliedFee };
  const { total, fee } = defect?.shown?.(quoted, recordFigures(plan, world)) ?? asShown;
  const places = defect === null ? Math.max(SCREEN_PLACES, plan.currency.typedDigits) : EXACT_PLACES;
  return { shown_total: total.toFixed(places), shown_fee: fee.toFixed(places) };
}

/** Enough that a near-miss stays on its side of the tolerance. */
const EXACT_PLACES = 8;
