/** Starts a sandbox: the world, the population in it, and the server before it. */

import type { AddressInfo } from 'node:net';
import { UsageError } from '../domain/errors.ts';
import {
  DEFAULT_RATE_LIMITS,
  type Night,
  SANDBOX_HOST_API_KEY,
  type SandboxInstant,
  type SandboxOptions,
  type SandboxStats,
} from './contract.ts';
import { allocate } from './defects/index.ts';
import { skimDue } from './defects/skim.ts';
import { createSlidingLimiter } from './limiter.ts';
import { createLive } from './live/live-records.ts';
import { payOnLocalChains } from './local-chains.ts';
import { createMarket, type Market } from './market.ts';
import { createPartner } from './partner.ts';
import { createPopulation } from './population.ts';
import { createRecordIds } from './record-ids.ts';
import { createMovedClock, type Site } from './routes/site.ts';
import { serviceSchemas } from './schemas/index.ts';
import { buildServer } from './server.ts';
import { statementOf, withOldPurchases } from './statement.ts';
import type { World } from './world.ts';

/** Thrown for an option out of range; the text names the option and the allowed values. */
export class SandboxOptionError extends UsageError {}

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

/**
 * Listens on loopback and answers as the Service does (spec §2–§5, §7, §8).
 * @throws SandboxOptionError (a port in use included), UsageError (from `defectKinds`, and from
 * `webhookPrivateKey`).
 */
export async function createSandbox(options: SandboxOptions) {
  const { server, site, world, hostApiKey } = assemble(options);
  const { clock, limiter, live, night, population, stats } = site;
  const chains = options.chains === true ? await payOnLocalChains(world, population) : null;
  for (const [index, hash] of chains?.hashes ?? []) world.transactions.set(index, hash);
  const host = options.host ?? '127.0.0.1';
  try {
    await server.listen({ host, port: options.port ?? 0 });
  } catch (cause) {
    await chains?.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxOptionError(`the sandbox cannot start: ${why}`, {
      remedy: 'choose a free port with --port',
      cause,
    });
  }
  const { port } = server.server.address() as AddressInfo;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const close = async () => {
    live.close();
    await server.close();
    await chains?.close();
  };
  return {
    /** The base that `TIEOUT_SERVICE_URL` wants; ends in `/api`. */
    url: `${origin}/api`,
    /** Scheme, host and port; the control endpoints are under `<origin>/sandbox/`. */
    origin,
    port,
    hostApiKey,
    /** The instant of the first night. */
    now: world.now,
    /** The local chains that deliveries were made on; none unless asked for. */
    chains: chains?.endpoints ?? [],
    stats,
    /** Moves the sandbox's own clock; the limiter and all prices follow. */
    advanceClock(ms: number) {
      clock.advance(ms);
      live.settle();
    },
    /** Sets the sandbox's own clock, back in time too: reference data is then what it was. The limiter forgets its windows. */
    setClock(at: SandboxInstant) {
      clock.set(at);
      limiter.forget();
      live.settle();
    },
    setNight(wanted: Night) {
      night.current = wanted;
    },
    /** PEM: what a receiver of webhooks is configured with (`webhooks.publicKeys`). */
    webhookPublicKey: live.publicKeys.live,
    /** PEM: the key of the demo environment, whose webhooks must never reach records of the live one. */
    demoWebhookPublicKey: live.publicKeys.demo,
    /** Purchases and sales that are made while the sandbox runs. */
    live,
    answerKey: () => population.answerKey(),
    /** Null unless asked for, and where no record is defective. */
    statement: statementOf(world),
    /** Null unless asked for. */
    partner: site.partner,
    /** What is due for markets, each of many records. */
    marketsDue: () => skimDue(world),
    trackedLines: () => population.trackedLines(),
    quoteLines: () => population.quoteLines(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The OpenAPI document, as `GET /openapi.json` of a sandbox with this maker's name answers it. Starts no server. */
export async function sandboxDocument(identifierName: string): Promise<object> {
  const { server, site } = assemble({ clock: () => 0, records: 0, identifierName });
  await server.ready();
  const document = server.swagger();
  site.live.close();
  await server.close();
  return document;
}

/** A sandbox without its port. */
function assemble(options: SandboxOptions) {
  const world = createWorld(options);
  const population = createPopulation(world);
  const clock = createMovedClock(options.clock);
  const { rateLimits = 'on', speed = 1 } = options;
  const limits = rateLimits === 'on' ? DEFAULT_RATE_LIMITS : rateLimits === 'off' ? [] : rateLimits;
  const limiter = createSlidingLimiter(limits);
  check('speed', speed, 0.001, 100_000, false);
  const night: { current: Night } = { current: 1 };
  const byEndpoint = new Map<string, number>();
  const market = marketOf(options, world);
  const live = createLive(world, market, clock.now, {
    speed,
    webhookPrivateKey: options.webhookPrivateKey,
    webhooks: options.webhooks ?? (world.bodies === 'spec' ? 'bare' : 'envelope'),
  });
  const hostApiKeys = options.hostApiKeys ?? [SANDBOX_HOST_API_KEY];
  const stats = (): SandboxStats => ({
    requests: [...byEndpoint.values()].reduce((sum, count) => sum + count, 0),
    byEndpoint: Object.fromEntries(byEndpoint),
    limits: limiter.limits(),
    rejected: limiter.rejected(),
    whileBlocked: limiter.whileBlocked(),
    byHostApiKey: live.byHostApiKey(),
  });
  const site: Site = {
    clock,
    market,
    population,
    live,
    partner: options.partner === true ? createPartner(world) : null,
    limiter,
    identifierName: world.identifierName,
    bodies: world.bodies,
    schemas: serviceSchemas(world.identifierName, world.bodies),
    hostApiKeys: new Set(hostApiKeys),
    night,
    datesAnswers: options.datesAnswers === true,
    stats,
  };
  const server = buildServer(site, byEndpoint);
  return { server, site, world, hostApiKey: hostApiKeys[0] ?? SANDBOX_HOST_API_KEY };
}

/** The world of these options; a pure function of them once `now` is given. @throws SandboxOptionError, UsageError. */
export function createWorld(options: SandboxOptions): World {
  const { seed = 7, records = 2000, days = 30, defects = 0, identifierName = 'Service', bodies = 'spec' } = options;
  const floats = options.market === 'on';
  check('seed', seed, 0, 0xffff_ffff, true);
  check('records', records, 0, 10_000_000, true);
  check('days', days, 1, 3650, false);
  check('defects', defects, 0, 1, false);
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(identifierName)) {
    throw new SandboxOptionError(`identifierName: ${identifierName} is no name`, {
      remedy: 'use letters and digits only, such as Service',
    });
  }
  const now = options.now ?? options.clock();
  const drawn = allocate(seed, records, defects, options.defectKinds, bodies, {
    chains: options.chains === true,
    contract: options.contract === true,
    market: floats,
  });
  const allocated =
    options.payouts === true
      ? withOldPurchases(drawn, { now, days, records, chains: options.chains === true })
      : { allocation: drawn, paidByStatement: new Map() };
  return {
    seed,
    records,
    days,
    now,
    identifierName,
    bodies,
    market: createMarket(floats ? { seed, statesPartnerFee: bodies === 'observed' } : null),
    floats,
    skims: floats && options.skims === true && defects > 0,
    ids: createRecordIds(seed),
    ...allocated,
    chains: options.chains === true,
    transactions: new Map(),
  };
}

function check(name: string, value: number, least: number, most: number, whole: boolean): void {
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return;
  throw new SandboxOptionError(`${name}: ${value} is out of range`, {
    remedy: `use a ${whole ? 'whole ' : ''}number from ${least} to ${most}`,
  });
}

/** The market of quotes and live records; the seeded population keeps its own, which always moves. */
function marketOf({ prices = 'moving' }: SandboxOptions, { market, now, floats, seed, bodies }: World): Market {
  if (prices === 'still') return { ...market, at: () => market.at(now) };
  return createMarket(floats ? { seed, statesPartnerFee: bodies === 'observed' } : null);
}
