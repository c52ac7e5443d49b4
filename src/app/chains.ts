/** The witnesses of the configured chains, and the step of the main line that asks them. */
import type { Settings } from '../../config/settings.ts';
import { UsageError } from '../domain/errors.ts';
import type { Run } from '../domain/run.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { bitcoinFinder } from '../evidence/chain/bitcoin/incoming.ts';
import { bitcoinWitness } from '../evidence/chain/bitcoin/witness.ts';
import { collectDeliveries } from '../evidence/chain/collect.ts';
import { httpEndpoint } from '../evidence/chain/endpoint.ts';
import { evmFinder } from '../evidence/chain/evm/incoming.ts';
import { evmWitness } from '../evidence/chain/evm/witness.ts';
import { jsonRpc } from '../evidence/chain/json-rpc.ts';
import { solanaFinder } from '../evidence/chain/solana/incoming.ts';
import { solanaWitness } from '../evidence/chain/solana/witness.ts';
import type { Fence } from '../ports/store/store.ts';
import type { Finder, Witness, WitnessSet } from '../ports/witness.ts';
import { referenceWanted, withChain, withNames } from '../reconcile/build-cases.ts';
import { createLimiter } from '../service/pacing/limiter.ts';
import { endpointOf } from '../store/bookings.ts';
import { readSecret } from '../text/unreadable.ts';
import { deliveryTermsOf, type Wiring } from './wiring.ts';

type ChainSettings = Settings['evidence']['chains'][number];
type EndpointSettings = ChainSettings['endpoints'][number];

/** Between booking and counting; endpoints count requests on arrival, and most windows are of one second. */
const GUARD_MS = 250;
const PAGE = 500;
/** What the answers of all endpoints of a chain may hold before they are stored; 64 MiB with the evidence that repeats some of them. */
const BYTES_IN_FLIGHT = 48 * 1024 * 1024;

/** Thrown where the file of an endpoint's key cannot be read. Exit code 2. */
class EndpointKeyError extends UsageError {
  constructor(endpoint: string, cause?: unknown) {
    super(`The key of the endpoint ${endpoint} cannot be read`, {
      remedy: 'evidence.chains: keyFile is a file whose first line is the key',
      cause,
    });
  }
}

/** The step between fetching and judging; undefined where no chain is configured. @throws EndpointKeyError */
export function chainStep(
  wiring: Wiring,
  signal: AbortSignal,
  heartbeat: () => Promise<void>,
): ((run: Run, fence: Fence) => Promise<void>) | undefined {
  const { settings, store, clock } = wiring;
  const terms = deliveryTermsOf(settings);
  if (terms === null) return undefined;
  return async (run, fence) => {
    const edges = { store, clock, random: wiring.options.random };
    const witnessSets = new Map(settings.evidence.chains.map((each) => [each.chain, sourcesOf(each, edges).witnesses]));
    try {
      const implausible = await collectDeliveries(fence, {
        witnessSets,
        terms,
        pages: async (after) => {
          const page = await store.items.verified(run.runId, after, PAGE);
          const states = await withChains(
            page.map(({ state }) => withNames(state, settings.renamedAssets, clock.wall.now())),
            store,
          );
          return page.map(({ state: asStored, ...times }, i) => {
            const state = states[i] ?? asStored;
            return { kind: state.kind, recordId: state.recordId, seen: { state, ...times } };
          });
        },
        evidence: store.evidence,
        now: () => clock.wall.now(),
        signal,
        heartbeat,
      });
      for (const [endpoint, answers] of implausible)
        wiring.log.warn(
          `${run.runId}: the endpoint ${endpoint} gave ${answers} answers that no chain can have given (tieout evidence shows them); they count as none`,
        );
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
}

interface ChainEdges {
  store: Pick<Wiring['store'], 'bookings'>;
  clock: Wiring['clock'];
  /** In [0, 1). */
  random: () => number;
}

/** @throws EndpointKeyError */
export function sourcesOf(
  settings: ChainSettings,
  edges: ChainEdges,
): { witnesses: WitnessSet; finders: readonly Finder[] } {
  const { chain, quorum } = settings;
  const voices = settings.endpoints.map((each) => voicesOf(settings, each, edges));
  return {
    witnesses: { chain, quorum, witnesses: voices.map(({ witness }) => witness) },
    finders: voices.map(({ finder }) => finder),
  };
}

/** Both ask the same endpoint, under its limits. */
function voicesOf(
  chain: ChainSettings,
  endpoint: EndpointSettings,
  edges: ChainEdges,
): { witness: Witness; finder: Finder } {
  const http = httpEndpoint({
    ...addressOf(endpoint),
    timeoutMs: endpoint.timeout,
    concurrency: endpoint.concurrency,
    limiter: limiterOf(chain, endpoint, edges),
  });
  const { name, batch, trace } = endpoint;
  const bytes = Math.floor(BYTES_IN_FLIGHT / chain.endpoints.length);
  const bounded = ({ look }: Witness): Witness => ({
    name,
    look: (wanted, signal) => http.within(bytes, signal, (within) => look(wanted, within)),
  });
  const { genesis, finality } = chain;
  switch (chain.type) {
    case 'evm': {
      const rpc = jsonRpc(http, batch);
      const { chainId } = chain;
      return {
        witness: bounded(evmWitness({ name, rpc, chainId, finality, trace })),
        finder: evmFinder({ name, rpc, finality }),
      };
    }
    case 'solana': {
      const rpc = jsonRpc(http, batch);
      return { witness: bounded(solanaWitness({ name, rpc, genesis })), finder: solanaFinder({ name, rpc }) };
    }
    case 'bitcoin': {
      // The settings refuse `finalized` here.
      const options = { name, endpoint: http, finality: finality === 'finalized' ? 6 : finality };
      return { witness: bounded(bitcoinWitness({ ...options, genesis })), finder: bitcoinFinder(options) };
    }
  }
}

/** The chains that judging will complete from the reference data are asked as well. */
async function withChains(states: readonly RecordState[], store: Wiring['store']): Promise<readonly RecordState[]> {
  const places = states.flatMap(({ asset }, i) => (asset.chain === '' || asset.chainPresumed === true ? [i] : []));
  if (places.length === 0) return states;
  const wanted = places.flatMap((i) => states[i] ?? []).map((state) => referenceWanted(state.kind, state));
  const found = await store.reference.asOf(wanted, Number.MAX_SAFE_INTEGER);
  const complete = [...states];
  for (const [n, place] of places.entries()) {
    const state = states[place];
    if (state !== undefined) complete[place] = withChain(state, found[n]?.asset);
  }
  return complete;
}

/** The same governor as the Service's, with an allowance of the endpoint's own. */
function limiterOf(
  { chain }: ChainSettings,
  { name, rateLimits, timeout }: EndpointSettings,
  { store, clock, random }: ChainEdges,
) {
  if (rateLimits === 'off') return null;
  return createLimiter({
    limits: rateLimits,
    guardMs: GUARD_MS,
    egress: endpointOf(chain, name),
    log: store.bookings,
    clock: clock.monotonic,
    wall: () => clock.wall.now(),
    random,
    deadlineMs: timeout,
    circuit: { forbidden: false, refused: false },
  });
}

/** @throws EndpointKeyError */
function addressOf({ name, url, keyFile }: EndpointSettings): { url: string; key: string | null } {
  if (keyFile === null) return { url, key: null };
  let key: string | undefined;
  try {
    key = readSecret(keyFile).split(/\r?\n/, 1)[0]?.trim();
  } catch (error) {
    throw new EndpointKeyError(name, error);
  }
  if (key === undefined || key === '') throw new EndpointKeyError(name);
  return { url: url.replace('{key}', encodeURIComponent(key)), key };
}
