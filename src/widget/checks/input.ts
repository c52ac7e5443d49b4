/** The input of every check, and the type of a check. */
import type { AssetTerms, GlobalTerms } from '../../domain/reference.ts';
import { given, type RawWidgetConfig, valueText } from '../config.ts';
import type { FlowsInForce } from '../flows.ts';
import type { WidgetParameterName } from '../parameters.ts';
import type { WidgetProblem } from '../problems.ts';

/** `hosted`: a page of its own, opened by URL. `embedded`: shown by the SDK, as an overlay or in a container. */
export type Integration = 'hosted' | 'embedded';

/** Facts besides the configuration, all optional; checks that need an absent one are skipped. */
export interface WidgetCheckContext {
  /** Where it is absent, `variant` decides as far as it says. */
  integration?: Integration | undefined;
  /** An assets response, v3, normalised; for both flows together where both are enabled. */
  assets?: readonly AssetTerms[] | undefined;
  /** The global figures of the same response. */
  limits?: GlobalTerms | undefined;
  currencies?: readonly { code: string; onramp: boolean; offramp: boolean }[] | undefined;
}

export interface CheckInput {
  config: RawWidgetConfig;
  flows: FlowsInForce;
  /** Null where it is unknown. */
  integration: Integration | null;
  context: WidgetCheckContext;
}

/** Null where a question found no problem. */
type Found = WidgetProblem | null | readonly (WidgetProblem | null)[];

/** Pure. Each check covers one matter, and reports nothing that another one reports. */
export type WidgetCheckRule = (input: CheckInput) => Found;

/** A check of one parameter: where that is left out or has no text, there is nothing to check. */
export function checkOf(name: WidgetParameterName, check: (text: string, input: CheckInput) => Found): WidgetCheckRule {
  return (input) => {
    const text = textOf(input, name);
    return text === null ? null : check(text, input);
  };
}

/** The text of a parameter, or null where it is left out, blank, or has no text (which checks/types.ts reports). */
export function textOf({ config }: CheckInput, name: WidgetParameterName): string | null {
  const text = valueText(given(config, name));
  return text === undefined || text === null || text.trim() === '' ? null : text;
}
