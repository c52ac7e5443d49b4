/** Names: unknown, deprecated and required ones (spec §2.11). */

import { nearestName } from '../../text/nearest-name.ts';
import { isLeftOut } from '../config.ts';
import { flowsInForce, legacySuccessor } from '../flows.ts';
import { PARAMETERS, parameterOf } from '../parameters.ts';
import { type WidgetProblem, widgetProblem } from '../problems.ts';
import { textOf, type WidgetCheckRule } from './input.ts';

const NAMES = PARAMETERS.map(({ name }) => name);

/** Names that integrators write for another; too far from it for a spelling mistake. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['apikey', 'hostApiKey'],
  ['appname', 'hostAppName'],
  ['logourl', 'hostLogoUrl'],
  ['email', 'userEmailAddress'],
  ['address', 'userAddress'],
  ['country', 'selectedCountryCode'],
]);

/** A misspelt name has no effect and goes unnoticed, so it is an error; a wholly unknown one may be newer than this list. */
export const unknownNames: WidgetCheckRule = ({ config }) =>
  Object.entries(config)
    .filter(([name, value]) => parameterOf(name) === undefined && !isLeftOut(value))
    .map(([name, value]) => unknownName(name, value));

function unknownName(name: string, value: unknown): WidgetProblem {
  const meant = ALIASES.get(name.toLowerCase()) ?? nearestName(name, NAMES);
  // The value of a misspelt key is secret too.
  const shown = meant === 'hostApiKey' ? null : value;
  if (meant === undefined) {
    return widgetProblem('PARAMETER_UNKNOWN', name, shown, {
      message: `${name} is not a parameter of the widget`,
      remedy: 'Remove it, unless the Service has told you of it.',
    });
  }
  return widgetProblem('PARAMETER_MISSPELT', name, shown, {
    message: `${name} is not a parameter of the widget and has no effect`,
    remedy: `Write ${meant}.`,
  });
}

/** A blank value counts as absent. */
export const missingNames: WidgetCheckRule = (input) =>
  PARAMETERS.flatMap(({ name, required, meaning }) => {
    const value = input.config[name];
    if (required !== 'yes' || !(isLeftOut(value) || (typeof value === 'string' && value.trim() === ''))) return [];
    const message = `${name} (${meaning}) is required`;
    return widgetProblem('PARAMETER_MISSING', name, null, { message, remedy: `Set ${name}.` });
  });

/** Deprecated parameters, each with the successor that it has in the flow shown first. */
export const deprecatedNames: WidgetCheckRule = (input) => {
  const flow = flowsInForce(input.config).first;
  return PARAMETERS.flatMap(({ name, replacedBy }) => {
    const text = textOf(input, name);
    if (replacedBy === null || text === null) return [];
    const successor = legacySuccessor(name, flow);
    if (successor === null) {
      return widgetProblem('PARAMETER_DEPRECATED', name, text, {
        message: `${name} is deprecated, and for ${flow} nothing is known to replace it`,
        remedy: `Remove it, or make ONRAMP or OFFRAMP the default flow.`,
      });
    }
    if (textOf(input, successor) === null) {
      return widgetProblem('PARAMETER_DEPRECATED', name, text, {
        message: `${name} is deprecated; for ${flow} it is ${successor}`,
        remedy: `Migrate the configuration (tieout widget migrate), or set ${successor}.`,
      });
    }
    return widgetProblem('NEW_AND_LEGACY', name, text, {
      message: `${name} is given beside its successor ${successor}, which wins`,
      remedy: `Remove ${name}.`,
    });
  });
};
