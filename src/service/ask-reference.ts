/** Requests published data: assets with limits and fees, methods, currencies, countries (spec §2.1–2.5, §2.10). */
import type { Direction } from '../domain/record.ts';
import { UNREAD } from '../domain/reference.ts';
import type { Pace } from '../ports/pacing.ts';
import type {
  AssetsAnswer,
  AssetsRequest,
  CountriesAnswer,
  CurrenciesAnswer,
  MethodsAnswer,
  ReferenceAnswer,
} from '../ports/service.ts';
import type { Normalised } from './drift.ts';
import { AnswerDriftError } from './errors.ts';
import { sha256Of } from './evidence.ts';
import type { ExactJson } from './exact-json.ts';
import { expectJson } from './expect-json.ts';
import type { FetchEdges } from './fetch-record.ts';
import { normaliseAssets, normaliseCountries, normaliseCurrencies, normaliseMethods } from './normalise-reference.ts';
import { type EndpointName, endpointOf, type Query } from './urls.ts';

interface ReferenceEdges extends Pick<FetchEdges, 'ask' | 'urls' | 'now'> {
  hostApiKey: string | null;
  /** Only assets available to this address are listed, where given. */
  userIp: string | undefined;
}

/** @throws RequestRejectedError (`FIAT_CURRENCY_NOT_SUPPORTED`), AnswerDriftError and the others of errors/. */
export async function askAssets(edges: ReferenceEdges, request: AssetsRequest): Promise<AssetsAnswer> {
  const { api = 'v3', direction = 'onramp', pace } = request;
  const common = { hostApiKey: edges.hostApiKey ?? undefined, userIp: request.userIp ?? edges.userIp };
  const currency = 'currency' in request ? request.currency : 'EUR';
  const query =
    'currency' in request
      ? { currencyCode: currency, withDisabled: flag(request.withDisabled), withHidden: flag(request.withHidden) }
      : { onlyEnabled: flag(request.onlyEnabled), omitHidden: flag(request.omitHidden) };
  const name = direction === 'onramp' ? 'assets' : 'offramp-assets';
  const { value, answer } = await ask(edges, name, pace, { ...query, ...common }, api);
  const assets = orThrow('the assets answer', normaliseAssets(value, { api, direction, currency }));
  // A list of which nothing can be read lists nothing: records would be judged as if no asset had been for sale.
  if (assets.leftOut.length > 0 && assets.assets.every(({ decimals }) => decimals === UNREAD))
    throw new AnswerDriftError('the assets answer', assets.leftOut);
  return { ...answer, ...assets };
}

const flag = (value: boolean | undefined) => (value === undefined ? undefined : String(value));

/** v1 only (spec §4.3). */
export async function askCountries(edges: ReferenceEdges, { pace }: { pace: Pace }): Promise<CountriesAnswer> {
  const { value, answer } = await ask(edges, 'countries', pace, {}, 'v1');
  return { ...answer, countries: orThrow('the list of countries', normaliseCountries(value)) };
}

export async function askMethods(
  edges: ReferenceEdges,
  { direction, pace }: { direction: Direction; pace: Pace },
): Promise<MethodsAnswer> {
  const { value, answer } = await ask(edges, direction === 'onramp' ? 'payment-methods' : 'payout-methods', pace, {});
  return { ...answer, methods: orThrow('the list of methods', normaliseMethods(value, direction)) };
}

export async function askCurrencies(
  edges: ReferenceEdges,
  { country, pace }: { country?: string; pace: Pace },
): Promise<CurrenciesAnswer> {
  const { value, answer } = await ask(edges, 'currencies', pace, { countryCode: country?.toLowerCase() });
  return { ...answer, currencies: orThrow('the list of currencies', normaliseCurrencies(value)) };
}

async function ask(
  edges: ReferenceEdges,
  name: EndpointName,
  pace: Pace,
  query: Query,
  api: 'v1' | 'v2' | 'v3' = 'v3',
): Promise<{ value: ExactJson; answer: ReferenceAnswer }> {
  const path = edges.urls.pathTo(endpointOf(name, api).path, query);
  const asked = await edges.ask({ method: 'GET', path }, { pace, mayWait: pace === 'paced' });
  const at = edges.now();
  const { value, text, bytes } = expectJson(asked, edges.hostApiKey === null ? [] : [edges.hostApiKey]);
  return { value, answer: { sha256: sha256Of(bytes), body: text, at } };
}

function orThrow<T>(what: string, reading: Normalised<T>): T {
  if (!reading.ok) throw new AnswerDriftError(what, reading.drift);
  return reading.value;
}
