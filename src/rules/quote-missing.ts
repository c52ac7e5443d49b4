import { assetIdentifier } from '../domain/asset.ts';
import { showInstant } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { bodyRule, plainFinding, type RuleInput } from './rule.ts';
import { showDuration } from './wording.ts';
import { fact, plainOutcome, type WorkingLine, type Workings, wordsOnly } from './working.ts';

export const quoteMissing = bodyRule({
  code: 'QUOTE_MISSING',
  severity: 'low',
  title: 'Nothing to compare with',
  why: 'Without the quote that the user was shown, there is no proof that the fee and the amounts are as promised.',
  action: 'Import the quote that the user was shown, or find out why the application stored none.',
  settledBy: 'A night after a quote that belongs to the record was imported.',
  example:
    'No quote belongs to this purchase (created 2026-10-24 23:56 UTC): none was linked to it and none was captured near its creation.',
  note: 'It opens only where at least half of the records of that direction in the night have a quote; below that, one QUOTES_NOT_CAPTURED of the run stands for all of them. A single one needs nothing; when they grow, the app has stopped storing quotes.',
  check(state, input) {
    if (input.quote !== null || !input.terms.quotesCaptured[input.kind]) return null;
    const { quoteId } = input.tracked;
    const created = state.createdAt === null ? '' : ` (created ${showInstant(state.createdAt)})`;
    const explanation =
      quoteId === null
        ? `No quote belongs to this ${state.kind}${created}: none was linked to it and none was captured near its creation.`
        : `The application linked quote ${quoteId} to this ${state.kind}${created}, but that quote was never stored here.`;
    return plainFinding('quote', null, explanation, quoteId);
  },
  working,
});

function working(state: RecordState, input: RuleInput): Workings {
  const { window } = input.terms;
  const { quoteId } = input.tracked;
  const wanted = [
    assetIdentifier(state.asset),
    state.fiatCurrency,
    ...(state.paymentMethod === null ? [] : [state.paymentMethod]),
  ].join(', ');
  const searched: WorkingLine[] =
    quoteId !== null
      ? []
      : state.createdAt === null
        ? [fact('captured quotes', 'not looked for: the creation time is not known')]
        : [
            fact('looked for', `a captured quote for ${wanted} and this amount`),
            {
              label: 'captured between',
              working: `created ${showInstant(state.createdAt)}, ${showDuration(window.before)} before to ${showDuration(window.after)} after`,
              result: `${showInstant(state.createdAt - window.before)} and ${showInstant(state.createdAt + window.after)}`,
              unit: null,
            },
          ];
  return wordsOnly([
    fact('linked quote', quoteId === null ? 'none' : `${quoteId}, never stored here`),
    ...searched,
    plainOutcome('found none', input.quote === null),
  ]);
}
