import { showInstant } from '../domain/record.ts';
import type { Rule } from './rule.ts';
import { NOTHING_FOUND, verifiedState } from './verified.ts';

export const quoteMissing: Rule = {
  code: 'QUOTE_MISSING',
  severity: 'low',
  title: 'Nothing to compare with',
  why: 'Without the quote that the user was shown, nobody can prove that the fee and the amounts are what was promised.',
  check(input) {
    const state = verifiedState(input);
    if (state === null) return 'not-applicable';
    if (input.quote !== null) return NOTHING_FOUND;
    const { quoteId } = input.tracked;
    const created = state.createdAt === null ? '' : ` (created ${showInstant(state.createdAt)})`;
    return [
      {
        field: 'quote',
        expected: quoteId,
        actual: null,
        explanation:
          quoteId === null
            ? `No quote belongs to this ${state.kind}${created}: none was linked to it and none was captured near its creation.`
            : `The application linked quote ${quoteId} to this ${state.kind}${created}, but that quote was never stored here.`,
      },
    ];
  },
};
