/** A hosted widget URL back as a configuration (spec §2.11). */
import { widgetBase } from './build-url.ts';
import { typedValue } from './config.ts';
import { parameterOf } from './parameters.ts';
import { type WidgetProblem, widgetProblem } from './problems.ts';

export interface WidgetUrlReading {
  /** Origin and path, without the query. */
  baseUrl: string;
  /** In the order of the URL: lists of flows as arrays, `true` and `false` as booleans, all else as text. */
  config: Readonly<Record<string, WidgetUrlValue>>;
  /** What the URL itself has wrong, as only its reader can see. */
  problems: readonly WidgetProblem[];
}

export type WidgetUrlValue = string | boolean | readonly string[];

/**
 * Empty values are left out; of a repeated parameter the first value counts. The inverse of `buildWidgetUrl`.
 * @throws WidgetUrlError for a text that is no http(s) URL
 */
export function readWidgetUrl(text: string): WidgetUrlReading {
  const [address = '', ...fragments] = text.split('#');
  const url = widgetBase(address);
  const values = new Map<string, WidgetUrlValue>();
  const problems: WidgetProblem[] = [];
  for (const [name, value] of url.searchParams) {
    if (value === '') continue;
    if (!values.has(name)) values.set(name, typedValue(name, value));
    else problems.push(repeated(name));
  }
  for (const name of values.keys()) if (parameterOf(name)?.hosted === false) problems.push(notHosted(name));
  // `finalUrl=https://app.example/#/done`, not encoded, ends the query at its `#`.
  if (fragments.length > 0) problems.push(cutOff([...values.keys()].at(-1)));
  return { baseUrl: `${url.origin}${url.pathname}`, config: Object.fromEntries(values), problems };
}

function repeated(name: string): WidgetProblem {
  return widgetProblem('PARAMETER_REPEATED', name, null, {
    message: `${name} stands in the URL more than once; the first value was taken`,
    remedy: `Give ${name} once; items of a list are joined with commas.`,
  });
}

function notHosted(name: string): WidgetProblem {
  return widgetProblem('PARAMETER_NOT_HOSTED', name, null, {
    message: `${name} is a setting of the SDK; a hosted page already is where it is`,
    remedy: `Remove ${name} from the URL.`,
  });
}

function cutOff(last: string | undefined): WidgetProblem {
  return widgetProblem('FRAGMENT_IN_URL', last ?? 'url', null, {
    message: 'what follows # is a fragment and never reaches the widget',
    remedy: 'Percent-encode each value: # as %23 and & as %26.',
  });
}
