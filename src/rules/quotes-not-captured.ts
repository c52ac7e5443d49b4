import type { Direction } from '../domain/record.ts';
import { isCaptured, type Survey } from '../domain/survey.ts';
import { count, counted } from '../text/counts.ts';
import type { Rule, RuleFinding } from './rule.ts';

/** About the run: it looks at the counts of a survey (`about-run.ts`), at no record. */
export const quotesNotCaptured: Rule = {
  code: 'QUOTES_NOT_CAPTURED',
  severity: 'low',
  title: 'Most records of a night have no quote',
  why: 'Without quotes nobody can prove that the users got what they were shown; only published bounds and the arithmetic of each record were checked.',
  action:
    'Ask the engineers of the app to hand over the quotes that it stored, and to let it capture one for each purchase and sale.',
  settledBy: 'A night on which at least half of the records of that direction have a quote.',
  example:
    'No quote belongs to 11 of the 12 purchases of this run: they were judged by published bounds and their own arithmetic, not against a promise.',
  note: 'It opens once for each direction (`onramp`, `offramp`), in place of one QUOTE_MISSING for each record. `tieout quotes import` reads the stored ones. Waive it where the app never had quotes.',
  subject: 'run',
  check: () => 'not-applicable',
};

/**
 * Null where quotes are captured as a rule, and where the run has no record of the direction. The sides are words: a figure that moves every
 * night would end a waiver.
 */
export function notCapturedIn({ quotes }: Survey, direction: Direction): RuleFinding | null {
  const { records, quoted } = quotes[direction];
  if (records === 0 || isCaptured({ records, quoted })) return null;
  const noun = direction === 'onramp' ? 'purchase' : 'sale';
  const without = records - quoted;
  return {
    field: 'quote',
    expected: 'a quote for at least half of the records',
    actual: 'a quote for fewer than half',
    explanation:
      `No quote belongs to ${count(without)} of the ${counted(records, noun)} of this run: ` +
      `${without === 1 ? 'it was' : 'they were'} judged by published bounds and ${without === 1 ? 'its' : 'their'} own arithmetic, not against a promise.`,
  };
}
