/** The drill over a stored run: bodies and quotes are read as those of the Service are, and judged by the settings of today. */
import type { Run } from '../domain/run.ts';
import { type DrillOptions, drill } from '../explain/drill/drill.ts';
import type { DrillReaders } from '../explain/drill/plant.ts';
import { buildCases } from '../reconcile/build-cases.ts';
import { parseExactJson } from '../service/exact-json.ts';
import { readKeptBody } from '../service/fetch-record.ts';
import { normaliseQuote } from '../service/normalise-quote.ts';
import type { App } from './app.ts';

export function drillRun({ store, terms }: Pick<App, 'store' | 'terms'>, run: Run, options: DrillOptions) {
  return drill(run, terms, options, {
    store,
    buildCases: (page, of, by) => buildCases(page, of, by, store),
    readers: drillReaders(terms.identifierName),
  });
}

export function drillReaders(identifierName: string): DrillReaders {
  return {
    identifierName,
    body: (kind, id, text) => readKeptBody(parseExactJson(text), { kind, id }, identifierName),
    quote: ({ quoteId, direction, api, capturedAt }, request, response) => {
      const bodies = { request: parseExactJson(request), response: parseExactJson(response) };
      const read = normaliseQuote({ quoteId, direction, api, capturedAt, ...bodies, identifierName });
      return read.ok ? read.value : null;
    },
  };
}
