/**
 * One captured quote as a line of NDJSON or the body of `POST /quotes`:
 * `{"quote_id","direction","api_version","captured_at","request":{…},"response":{…}}`, and perhaps what the app showed of it:
 * `shown_total`, `shown_fee`, and `shown_method` where that was one method's.
 */
import { z } from 'zod';
import type { RenamedAsset } from '../domain/asset.ts';
import { isPlausible } from '../domain/plausible-date.ts';
import type { Quote } from '../domain/quote.ts';
import type { Instant } from '../domain/record.ts';
import { driftInWords, readWire } from './drift.ts';
import { type ExactJson, ExactJsonError, exactJsonText, isExactObject, parseExactJson } from './exact-json.ts';
import { normaliseQuote } from './normalise-quote.ts';
import { amountOrText, improper, resource, timestamp } from './wire/scalars.ts';
import { decimalOrNull, instantOrNull } from './wire-values.ts';

/** A line of a quotes file: a quote, or why it was refused. */
export type QuoteLine =
  | {
      ok: true;
      quote: Quote;
      /** The two bodies as JSON text, every number as it was written. */
      request: string;
      response: string;
    }
  /** All problems, without any value of a body but those that contradict each other; the quote's id where it has one. */
  | { ok: false; quoteId?: string; problems: readonly string[] };

const body = z.custom<ExactJson>(isExactObject, { error: 'an object' }).meta({ type: 'object' });

function isQuoteId(id: unknown): id is string {
  return typeof id === 'string' && /^[^\p{C}]{1,128}$/u.test(id);
}

/** The line itself; its two bodies are read by the schemas of their version. */
export const quoteLine = resource({
  quote_id: z.string({ error: 'a string' }).refine(isQuoteId, improper('1 to 128 visible characters')),
  direction: z.enum(['onramp', 'offramp'], { error: 'onramp or offramp' }),
  api_version: z.enum(['v1', 'v3'], { error: 'v1 or v3' }),
  captured_at: timestamp,
  request: body,
  response: body,
  shown_total: amountOrText.nullish(),
  shown_fee: amountOrText.nullish(),
  shown_method: z.string({ error: 'a string' }).max(64).nullish(),
});

type Shown = Pick<z.infer<typeof quoteLine>, 'shown_total' | 'shown_fee' | 'shown_method'>;

/** The amounts that the app showed with the quote; absent where the line has none. */
function shownWith({ shown_total, shown_fee, shown_method }: Shown): Pick<Quote, 'shown'> {
  const [total, fee] = [decimalOrNull(shown_total), decimalOrNull(shown_fee)];
  return total === null && fee === null ? {} : { shown: { total, fee, method: shown_method ?? null } };
}

/**
 * Reads one line. Never throws for its content.
 * @param now when it came in: a quote of a later day was captured by a wrong clock, and would be the promise of the wrong record
 */
export function parseQuoteLine(
  text: string,
  identifierName: string,
  { renamedAssets, now = Number.POSITIVE_INFINITY }: { renamedAssets?: readonly RenamedAsset[]; now?: Instant } = {},
): QuoteLine {
  const parsed = parse(text);
  if (parsed instanceof ExactJsonError) return { ok: false, problems: [parsed.message] };
  // The keys of the line itself are Tieout's, so no name is mapped here; it is in the two bodies below.
  const fields = readWire(quoteLine, parsed, { identifierName: 'Service' });
  if (!fields.ok) {
    const id = isExactObject(parsed) ? parsed.quote_id : null;
    return { ok: false, ...(isQuoteId(id) ? { quoteId: id } : {}), problems: fields.drift.map(driftInWords) };
  }
  const { quote_id, direction, api_version, captured_at, request, response, ...shown } = fields.value;
  const capturedAt = instantOrNull(captured_at) ?? 0;
  if (!isPlausible(capturedAt, now)) {
    const expected = 'a time from 2017 to a day after the import';
    const wrong = { field: 'captured_at', problem: 'value', found: captured_at, expected, hint: null } as const;
    return { ok: false, quoteId: quote_id, problems: [driftInWords(wrong)] };
  }
  const quote = normaliseQuote({
    quoteId: quote_id,
    direction,
    api: api_version,
    capturedAt,
    request,
    response,
    identifierName,
    renamedAssets,
  });
  if (!quote.ok) return { ok: false, quoteId: quote_id, problems: quote.drift.map(driftInWords) };
  return {
    ok: true,
    quote: { ...quote.value, ...shownWith(shown) },
    request: exactJsonText(request),
    response: exactJsonText(response),
  };
}

function parse(text: string): ExactJson | ExactJsonError {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof ExactJsonError) return error;
    throw error;
  }
}
