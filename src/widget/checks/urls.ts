/** Addresses: of logos, webhooks, and where users are sent back to (spec §2.11). */
import { given } from '../config.ts';
import { PARAMETERS, type WidgetParameterName } from '../parameters.ts';
import { type WidgetProblem, widgetProblem } from '../problems.ts';
import { textOf, type WidgetCheckRule } from './input.ts';

/** Schemes that run code or show text of the URL's own making. */
const DANGEROUS: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']);
/** Hosts of this machine or network: two expressions, as a checker of their time cannot judge them as one. */
const LOCAL_NAME = /(^|\.)localhost$|\.(local|internal|test)$/;
const LOCAL_ADDRESS = /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0$|\[::1?\]|\[f[cd])/;

/** Every address of the configuration. An address that is no text is reported by checks/types.ts. */
export const urls: WidgetCheckRule = (input) =>
  PARAMETERS.flatMap(({ name, type }) => {
    if (!type.endsWith('url') || typeof given(input.config, name) !== 'string') return [];
    const text = textOf(input, name);
    return text === null ? [] : urlProblems(name, text);
  });

function urlProblems(name: WidgetParameterName, text: string): readonly (WidgetProblem | null)[] {
  const tell = (code: Parameters<typeof widgetProblem>[0], message: string, remedy: string) => [
    widgetProblem(code, name, text, { message, remedy }),
  ];
  const url = URL.parse(text);
  if (url !== null && DANGEROUS.has(url.protocol)) {
    return tell(
      'URL_SCHEME',
      `${name} has the scheme ${url.protocol}, which no browser should be sent to`,
      'Use https.',
    );
  }
  // `example.com:443/x` parses, with example.com as its scheme; so the two slashes must be there.
  if (url === null || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    return tell('URL_INVALID', `${name} is not a whole URL`, wholeUrl(name, text));
  if (/\s/.test(text)) return tell('URL_INVALID', `${name} has a blank in it`, 'Write %20, or remove it.');
  if (url.protocol === 'https:' || url.protocol === 'http:') return webProblems(name, text, url);
  if (name === 'finalUrl') return [];
  if (name === 'successUrl' || name === 'failureUrl') {
    return tell(
      'URL_OWN_SCHEME',
      `${name} is opened in a new tab, where an app's own scheme may not work`,
      'Use https with a universal link; only finalUrl is known to take an own scheme.',
    );
  }
  return tell('URL_SCHEME', `${name} must be a web address`, 'Use https.');
}

/** Loopback is what tests and the sandbox use: http is fine there, but the real Service cannot call it. */
function webProblems(name: WidgetParameterName, text: string, url: URL): readonly (WidgetProblem | null)[] {
  const local = LOCAL_NAME.test(url.hostname) || LOCAL_ADDRESS.test(url.hostname);
  const isWebhook = name === 'webhookStatusUrl' || name === 'offrampWebhookV3Url';
  const unreachable = widgetProblem('WEBHOOK_LOCAL', name, text, {
    message: `${name} is an address of this machine or network; only a sandbox on it can reach that`,
    remedy: 'Use an address that the internet can reach.',
  });
  const plain = widgetProblem('URL_NOT_HTTPS', name, text, {
    message: `${name} is plain http: ${isWebhook ? 'events carry view tokens' : 'it can be changed on the way'}`,
    remedy: 'Use https.',
  });
  const credentials = widgetProblem('URL_CREDENTIALS', name, text, {
    message: `${name} has a user name or password, and every user of the widget sees it`,
    remedy: 'Remove it; webhooks are signed.',
  });
  return [
    local && isWebhook ? unreachable : null,
    url.protocol === 'http:' && !local ? plain : null,
    url.username !== '' || url.password !== '' ? credentials : null,
  ];
}

function wholeUrl(name: WidgetParameterName, text: string): string {
  if (/^[\w-]+(\.[\w-]+)+([:/?#]|$)/.test(text)) return `Begin with https://, as in https://${text.split(/[/?#]/)[0]}.`;
  return name === 'finalUrl'
    ? 'Begin with https://, or with your own scheme, as in myapp://done.'
    : 'Begin with https://.';
}
