/** A rule about the payments of the host's revenue: it looks at months and payments (src/books/revenue-breaks.ts), at no record. */
import type { Rule } from './rule.ts';

export function payoutRule(about: Omit<Rule, 'check' | 'working' | 'subject'>): Rule {
  return { ...about, subject: 'revenue', check: () => 'not-applicable' };
}
