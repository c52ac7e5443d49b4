/** How sentences name a quote, its method and its age. */
import type { MatchedQuote } from '../../domain/quote.ts';
import { showDuration } from './time.ts';

/** What people call the methods of spec §2.4; any other name is shown as it is. */
const METHOD_WORDS: ReadonlyMap<string, string> = new Map([
  ['MANUAL_BANK_TRANSFER', 'manual bank transfer'],
  ['AUTO_BANK_TRANSFER', 'automatic bank transfer'],
  ['CARD_PAYMENT', 'card'],
  ['APPLE_PAY', 'Apple Pay'],
  ['GOOGLE_PAY', 'Google Pay'],
  ['PIX', 'Pix'],
  ['AMERICAN_BANK_TRANSFER', 'American bank transfer'],
  ['CARD', 'card'],
]);

export function showMethod(method: string): string {
  return METHOD_WORDS.get(method) ?? method;
}

/** `4 min before`, `30 s after`: the capture as seen from the record's creation; null without a creation time. */
function showAge(ageSeconds: number | null): string | null {
  if (ageSeconds === null) return null;
  return `${showDuration(Math.abs(ageSeconds) * 1000)} ${ageSeconds < 0 ? 'after' : 'before'}`;
}

/** `quote q-17 (card, 4 min before)`. */
export function showQuote(matched: MatchedQuote): string {
  const facts = [matched.method === null ? null : showMethod(matched.method.method), showAge(matched.ageSeconds)];
  const known = facts.filter((fact) => fact !== null);
  return `quote ${matched.quote.quoteId}${known.length === 0 ? '' : ` (${known.join(', ')})`}`;
}
