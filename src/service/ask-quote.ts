/** Requests a quote from the Service (spec §2.6, §2.10, §4). */
import type { RenamedAsset } from '../domain/asset.ts';
import { Decimal, DecimalSyntaxError } from '../domain/decimal.ts';
import type { Pace } from '../ports/pacing.ts';
import type { QuoteAnswer, QuoteRequest } from '../ports/service.ts';
import { AnswerDriftError, HostApiKeyMissingError, InvalidRequestError } from './errors.ts';
import { parseExactJson } from './exact-json.ts';
import { expectJson } from './expect-json.ts';
import type { FetchEdges } from './fetch-record.ts';
import { normaliseQuote } from './normalise-quote.ts';
import { endpointOf } from './urls.ts';

interface QuoteEdges extends Pick<FetchEdges, 'ask' | 'urls' | 'now' | 'identifierName'> {
  renamedAssets?: readonly RenamedAsset[] | undefined;
  hostApiKey: string | null;
}

/**
 * @throws HostApiKeyMissingError, InvalidRequestError, UnknownEndpointError before anything is sent; RequestRejectedError
 * and the others of errors/ afterwards; CircuitOpenError where a person waits and the circuit is open.
 */
export async function askQuote(
  edges: QuoteEdges,
  request: QuoteRequest,
  { pace, quoteId, ofAnyAmount = false }: { pace: Pace; quoteId: string; ofAnyAmount?: boolean },
): Promise<QuoteAnswer> {
  const { hostApiKey, identifierName, renamedAssets } = edges;
  if (hostApiKey === null) throw new HostApiKeyMissingError();
  const endpoint = endpointOf(request.direction === 'onramp' ? 'quote' : 'offramp-quote', request.api);
  const body = quoteRequestBody(request);
  const path = edges.urls.pathTo(endpoint.path, { hostApiKey });
  const asked = await edges.ask({ method: 'POST', path, body }, { pace, mayWait: pace === 'paced' });
  const capturedAt = edges.now();
  const answer = expectJson(asked, [hostApiKey]);
  const { direction, api } = request;
  const quote = normaliseQuote({
    quoteId,
    direction,
    api,
    capturedAt,
    request: parseExactJson(body),
    response: answer.value,
    identifierName,
    renamedAssets,
    ofAnyAmount,
  });
  if (!quote.ok) throw new AnswerDriftError('the quote', quote.drift);
  return { request: body, response: answer.text, quote: quote.value };
}

/**
 * The request body, written by hand so that `fiatValue` is a JSON number with exactly the digits it was given.
 * @throws InvalidRequestError unless exactly one amount is given, and it is one.
 */
export function quoteRequestBody(request: QuoteRequest): string {
  const { cryptoAmount, fiatValue } = request;
  if ((cryptoAmount === undefined) === (fiatValue === undefined))
    throw new InvalidRequestError('a quote needs one amount: either the crypto amount in units or the fiat value');
  if (cryptoAmount !== undefined && !/^\d{1,78}$/.test(cryptoAmount))
    throw new InvalidRequestError(`the crypto amount must be a whole number of units (wei), not "${cryptoAmount}"`);
  const optional =
    request.api === 'v1'
      ? { paymentMethodType: request.paymentMethodType }
      : { userCountryCode: request.userCountryCode, userRegionCode: request.userRegionCode };
  const { cryptoAssetSymbol, fiatCurrency } = request;
  const fields = Object.entries({ cryptoAssetSymbol, fiatCurrency, cryptoAmount, ...optional }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`"${name}":${JSON.stringify(value)}`]),
  );
  if (fiatValue !== undefined) fields.push(`"fiatValue":${plainNumber(fiatValue)}`);
  return `{${fields.join(',')}}`;
}

function plainNumber(text: string): string {
  try {
    const value = Decimal.parse(text);
    if (!value.isNegative && !value.isZero && value.isInRange) return value.toString();
  } catch (error) {
    if (!(error instanceof DecimalSyntaxError)) throw error;
  }
  throw new InvalidRequestError(`the fiat value must be a positive number such as 49.90, not "${text.slice(0, 40)}"`);
}
