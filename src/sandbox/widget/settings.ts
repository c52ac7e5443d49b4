/** Everything that the hosted page needs to know of its parameters (spec §2.11), read once by the server. */

import { readTarget } from '../live/webhook-sender.ts';
import { COUNTRIES, type Direction } from '../payment-tables.ts';
import type { Choices, ShownSettings } from '../schemas/widget.ts';
import { choicesFor, type Findings, Parameters, readCountry, readPreset, unusable } from './parameters.ts';

/** What the page is shown, and what the server keeps to itself. */
type WidgetSettings = Omit<ShownSettings, 'apiUrl'> & {
  hostApiKey: string;
  webhookUrls: Record<Direction, string | null>;
};

/** @throws ServiceError 400 with every problem at once, where the widget cannot start */
export function readSettings(query: string, hostApiKeys: ReadonlySet<string>): WidgetSettings {
  const findings: Findings = { problems: [], warnings: [] };
  const parameters = new Parameters(query, findings);
  for (const name of ['hostAppName', 'hostLogoUrl', 'hostApiKey']) {
    if (parameters.get(name) === undefined) parameters.problem(`${name} is required`);
  }
  const key = parameters.get('hostApiKey');
  if (key !== undefined && !hostApiKeys.has(key)) parameters.problem('hostApiKey is not known');
  const { flows, flow } = readFlows(parameters);
  const variant = parameters.variant();
  const choices: Partial<Record<Direction, Choices>> = {};
  for (const each of flows) choices[each] = choicesFor(parameters, each);
  const settings: WidgetSettings = {
    hostApiKey: key ?? '',
    hostAppName: parameters.get('hostAppName') ?? '',
    hostLogoUrl: logoUrl(parameters),
    flows,
    flow,
    choices,
    preset: readPreset(parameters, flow, readCountry(parameters), choices[flow]),
    countries: COUNTRIES.map(({ code, name }) => ({ code, name })),
    userAddress: parameters.get('userAddress') ?? null,
    userEmailAddress: parameters.get('userEmailAddress') ?? null,
    finalUrl: readFinalUrl(parameters, variant),
    successUrl: returnUrl(parameters, 'successUrl'),
    failureUrl: returnUrl(parameters, 'failureUrl'),
    sendCrypto: parameters.flag('useSendCryptoCallback'),
    hideExitButton: parameters.flag('hideExitButton'),
    variant,
    webhookUrls: {
      onramp: webhookUrl(parameters, 'webhookStatusUrl'),
      offramp: webhookUrl(parameters, 'offrampWebhookV3Url'),
    },
    warnings: findings.warnings,
  };
  if (findings.problems.length > 0) throw unusable(findings);
  return settings;
}

const DIRECTIONS: ReadonlyMap<string, Direction> = new Map([
  ['ONRAMP', 'onramp'],
  ['OFFRAMP', 'offramp'],
]);

const SIDES = ['inAsset', 'inAssetValue', 'outAsset', 'outAssetValue'];

/** One that is not among the enabled flows contradicts them, and gives way; the default of `enabledFlows` gives way to it. */
function readDefaultFlow(
  parameters: Parameters,
  named: string,
  listed: readonly string[] | undefined,
  take: (name: string, value: string) => Direction | undefined,
): Direction | undefined {
  if (listed === undefined || listed.includes(named)) return take('defaultFlow', named);
  parameters.warn(`defaultFlow: ${named} is not among the enabled flows ${listed.join(', ')}`);
  return undefined;
}

/** `enabledFlows` defaults to buying; a `defaultFlow` beside that default is counted in; without one the first flow is shown. */
function readFlows(parameters: Parameters): { flows: readonly Direction[]; flow: Direction } {
  const flows: Direction[] = [];
  const take = (name: string, value: string): Direction | undefined => {
    const direction = DIRECTIONS.get(value);
    if (direction === undefined) parameters.warn(`${name}: this sandbox has no flow ${value}`);
    else if (!flows.includes(direction)) flows.push(direction);
    return direction;
  };
  const listed = parameters.list('enabledFlows');
  for (const value of listed ?? ['ONRAMP']) take('enabledFlows', value);
  const named = parameters.get('defaultFlow');
  const first = named === undefined ? undefined : readDefaultFlow(parameters, named, listed, take);
  const shown = named ?? listed?.[0] ?? 'ONRAMP';
  if (!DIRECTIONS.has(shown)) {
    // What comes in and goes out is said of the first flow: of a swap, 10^18 are units of crypto, and no euros.
    for (const name of SIDES) parameters.drop(name, `is of the flow ${shown}, which this sandbox does not have`);
  }
  if (flows.length === 0) flows.push('onramp');
  return { flows, flow: first ?? flows[0] ?? 'onramp' };
}

function readFinalUrl(parameters: Parameters, variant: string): string | null {
  const url = returnUrl(parameters, 'finalUrl');
  if (url === null || !variant.startsWith('embedded')) return url;
  parameters.warn('finalUrl is for hosted integration only');
  return null;
}

/** Schemes that would run or show something of the URL's own instead of leaving the page. */
const NEVER: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']);

/** An app's own scheme is fine (`myapp://done`); null where there is none that can be followed. */
function returnUrl(parameters: Parameters, name: string): string | null {
  const text = parameters.get(name);
  if (text === undefined) return null;
  if (URL.canParse(text) && !NEVER.has(new URL(text).protocol)) return text;
  parameters.warn(`${name} is no address that the widget can lead to`);
  return null;
}

export function logoUrl(parameters: Parameters): string | null {
  const text = parameters.get('hostLogoUrl');
  if (text === undefined) return null;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  parameters.warn('hostLogoUrl is no http or https address');
  return null;
}

/** Kept even where a sandbox will not call it: the list of deliveries then says why. */
export function webhookUrl(parameters: Parameters, name: string): string | null {
  const text = parameters.get(name);
  if (text === undefined) return null;
  const target = readTarget(text);
  if (!target.ok) parameters.warn(`${name} will not be called: ${target.problem}`);
  return text;
}
