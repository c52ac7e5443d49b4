/**
 * Tieout for plugins: what `import type … from 'tieout/plugin'` gives. A plugin is a module whose default export makes it from the tools
 * that it is given, so that it needs no import of the program at run time; docs/how-to/plugins.md has an example that runs.
 */
import type { PluginReport } from '../../../reports/plugin-reports.ts';
import { showMoney } from '../../domain/currency.ts';
import { Decimal } from '../../domain/decimal.ts';
import type { PluginSource } from '../../intake/contract.ts';
import { columnsOf } from '../../ports/report-columns.ts';
import type { PluginFormat } from '../../publish/plugin-formats.ts';
import { apart, KEPT, NOTHING_FOUND, RIGHTED, type Rule, VERIFIED_AGAIN, verifiedState } from '../../rules/rule.ts';
import { amount, compared, fact, worked } from '../../rules/working.ts';

export type { PluginReport } from '../../../reports/plugin-reports.ts';
export type { RecordState } from '../../domain/snapshot.ts';
export type { PluginRow, PluginSource } from '../../intake/contract.ts';
export type { Column } from '../../ports/report-definition.ts';
export type { RunFacts, SettledRecord } from '../../ports/settled.ts';
export type { PluginFormat, PluginTable } from '../../publish/plugin-formats.ts';
export type { Rule, RuleFinding, RuleInput, RuleResult } from '../../rules/rule.ts';
export type { Workings } from '../../rules/working.ts';

/** Raised whenever a plugin of before would not work any more. */
export const PLUGIN_API = 1;

export interface Plugin {
  api: typeof PLUGIN_API;
  /** Small letters, digits and hyphens; in manifests and messages. */
  name: string;
  rules?: readonly Rule[];
  /** Each a table of every set. In TypeScript, `report` of the tools types one. */
  reports?: readonly PluginReport<never>[];
  /** Named by `sources` of the settings, with `type: plugin`. */
  sources?: readonly PluginSource[];
  /** Each a file of every set. */
  formats?: readonly PluginFormat[];
}

/** Hides the type of a report's rows: a plugin's reports have different ones. */
const report = <Row>(given: PluginReport<Row>): PluginReport<never> => given as unknown as PluginReport<never>;

/** Exact decimals, what rules share and the lines of their arithmetic, and makers of columns. */
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
  columnsOf,
  report,
} as const;

export type Tools = typeof TOOLS;

/** The default export of a plugin's module. */
export type MakePlugin = (tools: Tools) => Plugin;
