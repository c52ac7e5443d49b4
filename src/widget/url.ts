/** Hosted mode (spec §2.11): a widget configuration as a URL, and a URL read back as a configuration. */

import { UsageError } from '../domain/errors.ts';
import { given, type RawWidgetConfig, typedValue, valueText } from './config.ts';
import { PARAMETERS, parameterOf } from './parameters.ts';
import { type WidgetProblem, widgetProblem } from './problems.ts';

/**
 * The hosted URL of a configuration. Values are percent-encoded (a list's commas as `%2C`, `*` literal); null and empty
 * ones are left out; parameters stand in the order of the specification, unknown ones after them, so that the same
 * configuration gives the same bytes. Nothing is judged here: see `checkWidgetConfig`.
 *
 * The configuration's own `url`, the address of a non-production widget, wins over `baseUrl` and is itself not sent, nor
 * is `containerNode`. Query parameters of the base are kept where the configuration does not set them.
 * @throws WidgetUrlError where there is no usable base; WidgetValueError for a value that has no text
 * @example buildWidgetUrl({ hostAppName: 'App', enabledFlows: ['ONRAMP', 'OFFRAMP'] }, 'https://widget.example/')
 * // 'https://widget.example/?hostAppName=App&enabledFlows=ONRAMP%2COFFRAMP'
 */
export function buildWidgetUrl(config: RawWidgetConfig, baseUrl?: string): string {
  const own = valueText(given(config, 'url'));
  const base = widgetBase(own ?? baseUrl);
  const values = new Map(base.searchParams);
  for (const name of Object.keys(config)) {
    if (parameterOf(name)?.hosted === false) continue;
    const text = valueText(given(config, name));
    if (text === undefined) throw new WidgetValueError(name);
    if (text !== null) values.set(name, text);
  }
  const query = [...inOrder(values)].map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&');
  return `${base.origin}${base.pathname}${query === '' ? '' : `?${query}`}`;
}

function* inOrder(values: ReadonlyMap<string, string>): Generator<readonly [string, string]> {
  for (const { name } of PARAMETERS) {
    const text = values.get(name);
    if (text !== undefined && text !== '') yield [name, text];
  }
  for (const [name, text] of values) if (parameterOf(name) === undefined && text !== '') yield [name, text];
}

/**
 * Where a widget lives: https, or http for a test environment.
 * @throws WidgetUrlError
 */
function widgetBase(text: string | undefined): URL {
  if (text === undefined || text === '')
    throw new WidgetUrlError('there is no address of the widget', { remedy: 'give --base URL, or the parameter url' });
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new WidgetUrlError('the address of the widget is not a whole URL', {
      remedy: 'write it as https://widget.example/',
    });
  }
  if (url.username !== '' || url.password !== '')
    throw new WidgetUrlError('the address of the widget has a user name or password', { remedy: 'remove it' });
  if (url.hash !== '')
    throw new WidgetUrlError('the address of the widget has a fragment (#…)', { remedy: 'remove it' });
  return url;
}

/** An apostrophe is legal, but every URL parser rewrites it, and it would end an HTML attribute. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');
}

/** Thrown for an address that cannot be the widget's. The message never holds the address: its query has the key. */
export class WidgetUrlError extends UsageError {}

/** Thrown for a value that no URL can carry. `parameter` names it. */
export class WidgetValueError extends UsageError {
  readonly parameter: string;
  constructor(parameter: string) {
    super(`the widget parameter ${parameter} has a value that cannot be written into a URL`, {
      remedy: 'give a text, a boolean, a list of texts, or a whole number below 2^53 (larger amounts as text)',
    });
    this.parameter = parameter;
  }
}

export interface WidgetUrlReading {
  /** Origin and path, without the query. */
  baseUrl: string;
  /** In the order of the URL: lists of flows as arrays, `true` and `false` as booleans, all else as text. */
  config: Readonly<Record<string, WidgetUrlValue>>;
  /** Problems of the URL itself, which only its reader can see. */
  problems: readonly WidgetProblem[];
}

type WidgetUrlValue = string | boolean | readonly string[];

/**
 * Empty values are left out; of a repeated parameter the first value counts. The inverse of `buildWidgetUrl`.
 * @throws WidgetUrlError for a text that is no http(s) URL
 */
export function readWidgetUrl(text: string): WidgetUrlReading {
  const [address = '', ...fragments] = text.split('#');
  const url = widgetBase(address);
  const values = new Map<string, WidgetUrlValue>();
  const problems: WidgetProblem[] = [];
  const tell = (code: WidgetProblem['code'], name: string, what: { message: string; remedy: string }) =>
    problems.push(widgetProblem(code, name, null, what));
  for (const [name, value] of url.searchParams) {
    if (value === '') continue;
    if (!values.has(name)) values.set(name, typedValue(name, value));
    else
      tell('PARAMETER_REPEATED', name, {
        message: `${name} stands in the URL more than once; the first value was taken`,
        remedy: `Give ${name} once; items of a list are joined with commas.`,
      });
  }
  for (const name of values.keys())
    if (parameterOf(name)?.hosted === false)
      tell('PARAMETER_NOT_HOSTED', name, {
        message: `${name} is a setting of the SDK; a hosted page already is where it is`,
        remedy: `Remove ${name} from the URL.`,
      });
  // `finalUrl=https://app.example/#/done`, not encoded, ends the query at its `#`.
  if (fragments.length > 0)
    tell('FRAGMENT_IN_URL', [...values.keys()].at(-1) ?? 'url', {
      message: 'what follows # is a fragment and never reaches the widget',
      remedy: 'Percent-encode each value: # as %23 and & as %26.',
    });
  return { baseUrl: `${url.origin}${url.pathname}`, config: Object.fromEntries(values), problems };
}
