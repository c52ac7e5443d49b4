/** Checks a widget configuration, and lists every problem (spec §2.11). */
import { userAddress } from './checks/address.ts';
import { bothAmounts, fiatValue, unitAmounts } from './checks/amounts.ts';
import { assetLists, currenciesOffered, selectedAssets } from './checks/assets.ts';
import { containerNode, defaultFlow, finalUrl, outsideFlow, webhooks } from './checks/flow-rules.ts';
import type { Integration, WidgetCheckContext, WidgetCheckRule } from './checks/input.ts';
import { deprecatedNames, missingNames, unknownNames } from './checks/names.ts';
import { country, email } from './checks/person.ts';
import { allowedValues, valueTypes } from './checks/types.ts';
import { urls } from './checks/urls.ts';
import { given, type RawWidgetConfig, valueText } from './config.ts';
import { flowsInForce } from './flows.ts';
import type { WidgetProblem } from './problems.ts';

/** In the order in which problems are reported, errors first. A new check is one function and one line here. */
const CHECKS: readonly WidgetCheckRule[] = [
  missingNames,
  unknownNames,
  valueTypes,
  allowedValues,
  defaultFlow,
  containerNode,
  finalUrl,
  outsideFlow,
  selectedAssets,
  assetLists,
  currenciesOffered,
  unitAmounts,
  fiatValue,
  bothAmounts,
  userAddress,
  country,
  email,
  urls,
  webhooks,
  deprecatedNames,
];

export interface WidgetCheck {
  /** True where there is no error; warnings leave it true. */
  valid: boolean;
  errors: readonly WidgetProblem[];
  warnings: readonly WidgetProblem[];
}

/**
 * Never throws for any configuration.
 * @example checkWidgetConfig(config, { integration: 'hosted' }).errors.map(({ code }) => code)
 */
export function checkWidgetConfig(config: RawWidgetConfig, context: WidgetCheckContext = {}): WidgetCheck {
  const integration = context.integration ?? integrationOf(valueText(given(config, 'variant')) ?? '');
  const input = { config, flows: flowsInForce(config), integration, context };
  return sortProblems(CHECKS.flatMap((check) => check(input)).filter((problem) => problem !== null));
}

/** Separates errors and warnings of a check or of `readWidgetUrl`. */
export function sortProblems(problems: readonly WidgetProblem[]): WidgetCheck {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return { valid: errors.length === 0, errors, warnings: problems.filter(({ severity }) => severity === 'warning') };
}

/** `auto` and the webview variants may be either. */
function integrationOf(variant: string): Integration | null {
  if (variant === 'hosted' || variant === 'hosted-mobile') return 'hosted';
  return ['desktop', 'mobile', 'embedded-desktop', 'embedded-mobile'].includes(variant) ? 'embedded' : null;
}
