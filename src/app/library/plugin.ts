/**
 * Tieout for plugins: what `import type … from 'tieout/plugin'` gives. A plugin is a module whose default export makes it from the tools
 * that it is given, so that it needs no import of the program at run time; docs/how-to/plugins.md has an example that runs.
 */
import { showMoney } from '../../domain/currency.ts';
import { Decimal } from '../../domain/decimal.ts';
import { apart, KEPT, NOTHING_FOUND, RIGHTED, type Rule, VERIFIED_AGAIN, verifiedState } from '../../rules/rule.ts';
import { amount, compared, fact, worked } from '../../rules/working.ts';

export type { RecordState } from '../../domain/snapshot.ts';
export type { Rule, RuleAnswer, RuleFinding, RuleInput } from '../../rules/rule.ts';
export type { Workings } from '../../rules/working.ts';

/** Raised whenever a plugin of before would not work any more. */
export const PLUGIN_API = 1;

export interface Plugin {
  api: typeof PLUGIN_API;
  /** Small letters, digits and hyphens; in manifests and messages. */
  name: string;
  rules?: readonly Rule[];
}

/** Exact decimals, what rules share, and the lines of their arithmetic. */
export const TOOLS = {
  Decimal,
  showMoney,
  verifiedState,
  apart,
  NOTHING_FOUND,
  RIGHTED,
  KEPT,
  VERIFIED_AGAIN,
  amount,
  compared,
  fact,
  worked,
} as const;

export type Tools = typeof TOOLS;

/** The default export of a plugin's module. */
export type MakePlugin = (tools: Tools) => Plugin;
