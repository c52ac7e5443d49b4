/** Hosted mode: a widget configuration as a URL (spec §2.11). */
import { given, type RawWidgetConfig, valueText } from './config.ts';
import { WidgetUrlError, WidgetValueError } from './errors.ts';
import { PARAMETERS, parameterOf } from './parameters.ts';

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
export function widgetBase(text: string | undefined): URL {
  if (text === undefined || text === '') {
    throw new WidgetUrlError('no address of the widget: give a base URL, or the parameter url');
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new WidgetUrlError('the address of the widget must be a whole https URL, such as https://widget.example/');
  }
  if (url.username !== '' || url.password !== '') {
    throw new WidgetUrlError('the address of the widget must not hold a user name or password');
  }
  if (url.hash !== '') throw new WidgetUrlError('the address of the widget must not have a fragment (#…)');
  return url;
}

/** An apostrophe is legal, but every URL parser rewrites it, and it would end an HTML attribute. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');
}
