/** Every record with one defect, and its evidence: both nights, the quote, the tracked lines. */
import type { DueEntry, Night } from '../../src/sandbox/contract.ts';
import { aPopulation, asObject, type Json } from './a-sandbox.ts';

/** At least one case: twenty of 400 records have the defect. */
export function casesOf(defect: string) {
  const population = aPopulation({ records: 400, defects: 0.05, defectKinds: [defect] });
  const quotes = new Map([...population.quoteLines()].map((quote) => [quote.quote_id, quote]));
  const lines = [...population.trackedLines()];
  return [...population.answerKey()].map((entry: DueEntry) => {
    const plan = population.find(entry.kind, entry.id);
    if (plan === null) throw new Error(`${entry.id} is not there`);
    const answer = (night: Night) => population.answer(plan, night);
    const body = (night: Night): Json => {
      const answered = answer(night);
      return 'body' in answered ? (JSON.parse(JSON.stringify(answered.body)) as Json) : {};
    };
    const quote = quotes.get(`q-${plan.index + 1}`);
    const promised =
      quote === undefined
        ? {}
        : quote.api_version === 'v1'
          ? { ...quote.response }
          : asObject(quote.response[plan.method.name]);
    const own = lines.filter(({ id, kind }) => id === entry.id && kind === entry.kind);
    return { entry, plan, answer, first: body(1), second: body(2), quote, promised, own, population };
  });
}
