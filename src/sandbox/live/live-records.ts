/** Makes live records, advances them, and looks them up. */
import type { Body, LiveRequest, SandboxInstant, SandboxKind, WebhookForm } from '../contract.ts';
import { applicationError, ERROR_CODES, validationError } from '../errors.ts';
import type { Market } from '../market.ts';
import { offersFor } from '../pricing.ts';
import { Draws, mix } from '../random.ts';
import { isoText } from '../record-bodies.ts';
import type { liveLines } from '../schemas/control.ts';
import type { Answered } from '../schemas/scalars.ts';
import type { World } from '../world.ts';
import { answeredBody, envelope, liveBody } from './bodies.ts';
import {
  isExecutedStep,
  isTerminalStep,
  type LiveRecord,
  liveJourney,
  newLiveRecord,
  RELEASED_STEP,
  stepOf,
} from './journey.ts';
import { type Order, readOrder } from './order.ts';
import { createTaskSchedule } from './task-schedule.ts';
import { createSigner, createWebhookSender } from './webhook-sender.ts';

const STREAM = 41;
/** Visible ASCII without spaces: no chain's addresses have more. */
const ADDRESS = /^[\x21-\x7e]{4,128}$/;

interface LiveOptions {
  speed: number;
  webhookPrivateKey: string | undefined;
  webhooks: WebhookForm;
}

export type Live = ReturnType<typeof createLive>;

/** In process; `/sandbox/live`, `/sandbox/deliveries` and the widget page do the same over HTTP. @throws UsageError for a key that cannot sign */
export function createLive(
  { seed, records: firstIndex, identifierName, bodies, ids, floats }: World,
  market: Market,
  now: () => SandboxInstant,
  options: LiveOptions,
) {
  const signers = { live: createSigner(options.webhookPrivateKey), demo: createSigner(undefined) };
  const schedule = createTaskSchedule(now, options.speed);
  const sender = createWebhookSender(schedule, now, signers);
  const records = new Map<string, LiveRecord>();
  // Ids are a function of the seed and an index. A sandbox that is started again must not give a new record the id of one
  // that an integrator still remembers, so each start takes its live indices from elsewhere, beyond the seeded ones.
  const room = 0xffff_ffff - firstIndex - 0x0010_0000;
  const base = firstIndex + (mix(seed, now() >>> 0, STREAM) % Math.max(1, room));
  const counted = new Map<string, number>();
  let events = 0;

  function announce(record: LiveRecord): void {
    const { event: type } = stepOf(record);
    if (type === null || record.webhookUrl === null) return;
    const { kind, id: recordId, webhookUrl: url, environment } = record;
    const bare = liveBody(record, identifierName, bodies);
    const draws = new Draws(base, events++, STREAM + 1);
    const body = options.webhooks === 'bare' ? bare : envelope(kind, type, bare, draws);
    sender.deliver({ kind, recordId, type, url, environment, body });
  }

  /** The money of a buyer and the crypto of a seller stay; the rest follows the market until the payment arrives. */
  function reprice(record: LiveRecord, at: SandboxInstant): void {
    if (!floats || record.isExecuted || isTerminalStep(stepOf(record))) return;
    const { kind, asset, currency, method, figures, createdAt: agreedAt } = record;
    const asked = kind === 'purchase' ? { fiat: figures.fiatValue } : { units: figures.units };
    const direction = kind === 'purchase' ? 'onramp' : 'offramp';
    const request = { direction, asset, currency, asked, methods: [method], at, agreedAt } as const;
    record.figures = offersFor(request, market)[0]?.figures ?? figures;
  }

  function planNext(record: LiveRecord, from: SandboxInstant): void {
    const step = record.steps[record.position + 1];
    record.next = step === undefined ? null : schedule.after(from, step.after, (at) => moveOn(record, at));
  }

  function moveOn(record: LiveRecord, at: SandboxInstant): void {
    // At the price of this moment, whether it is the last one or not.
    reprice(record, at);
    record.position++;
    record.since = at;
    record.isExecuted ||= isExecutedStep(stepOf(record));
    announce(record);
    planNext(record, at);
  }

  function open(order: Order): LiveRecord {
    const { request, asset, method, figures, outcome } = order;
    const index = (base + records.size) >>> 0;
    const draws = new Draws(seed, index, STREAM);
    const { kind, fiatCurrency: currency, address, webhookUrl = null, environment = 'live' } = request;
    const steps = liveJourney(kind, method, outcome);
    const place = { id: ids.id(index, kind), token: ids.token(index), createdAt: now() };
    const record = newLiveRecord({ kind, ...place, asset, currency, method, figures, steps }, draws);
    return { ...record, address: address ?? record.address, webhookUrl, environment };
  }

  function existing(id: string): LiveRecord {
    schedule.settle();
    const record = records.get(id);
    if (record === undefined) throw applicationError(404, ERROR_CODES.recordUnknown);
    return record;
  }

  return {
    /** The widget's receipt for a record that it has just made. @throws ServiceError for an order that the Service would refuse */
    create(request: LiveRequest) {
      if (request.address !== undefined && !ADDRESS.test(request.address))
        throw validationError('address must be a blockchain address');
      const record = open(readOrder(request, market, now()));
      records.set(record.id, record);
      if (request.hostApiKey !== undefined) counted.set(request.hostApiKey, (counted.get(request.hostApiKey) ?? 0) + 1);
      announce(record);
      planNext(record, record.createdAt);
      const { kind, id, token: viewToken, payInAddress } = record;
      // Where a seller sends the crypto, and the body as its endpoint answers.
      return { kind, id, viewToken, payInAddress, body: liveBody(record, identifierName, bodies) };
    },
    find(kind: SandboxKind, id: string): LiveRecord | null {
      schedule.settle();
      const record = records.get(id);
      return record?.kind === kind ? record : null;
    },
    /** As its endpoint answers. */
    answer(record: LiveRecord): Body {
      reprice(record, now());
      return answeredBody(record, identifierName, bodies);
    },
    /** Releases a purchase at once. @throws ServiceError 404 for one that is not live, 409 where it has ended otherwise */
    release(id: string): LiveRecord {
      const record = existing(id);
      if (record.kind !== 'purchase') throw applicationError(404, ERROR_CODES.recordUnknown);
      const { status } = stepOf(record);
      if (status === 'RELEASED') return record;
      if (isTerminalStep(stepOf(record))) throw applicationError(409, 'SANDBOX.PURCHASE_HAS_ENDED', { status });
      record.next?.cancel();
      record.steps = [...record.steps.slice(0, record.position + 1), RELEASED_STEP];
      moveOn(record, now());
      return record;
    },
    /**
     * From now on the record's endpoint answers with these fields changed, as a faulty Service would; webhooks sent
     * earlier stay unchanged. @throws ServiceError 404
     */
    tamper(id: string, changes: Body) {
      const record = existing(id);
      record.tampered = { ...record.tampered, ...changes };
    },
    /** In order of creation. */
    records(): Answered<typeof liveLines> {
      schedule.settle();
      return [...records.values()].map((record) => ({
        kind: record.kind,
        id: record.id,
        view_token: record.token,
        created_at: isoText(record.createdAt),
        status: stepOf(record).status,
      }));
    },
    byHostApiKey: () => Object.fromEntries(counted),
    deliveries: sender.deliveries,
    /** PEM. */
    publicKeys: { live: signers.live.publicKey, demo: signers.demo.publicKey },
    settle: schedule.settle,
    /** Factor for the pace of records and webhook retries. */
    setSpeed: schedule.setSpeed,
    close() {
      schedule.close();
      sender.close();
    },
  };
}
