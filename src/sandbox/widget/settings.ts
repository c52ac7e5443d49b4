/** Everything that the hosted page needs to know of its parameters (spec §2.11), read once by the server. */

import { applicationError } from '../errors.ts';
import { readTarget } from '../live/webhook-sender.ts';
import { COUNTRIES, type Direction } from '../payment-tables.ts';
import type { Choices, ShownSettings } from '../schemas/widget.ts';
import { choicesFor, type Findings, Parameters, readCountry, readPreset } from './parameters.ts';

/** What the page is shown, and what the server keeps to itself. */
type WidgetSettings = Omit<ShownSettings, 'apiUrl'> & {
  hostApiKey: string;
  webhookUrls: Record<Direction, string | null>;
};

/** @throws ServiceError 400 with every problem at once, where the widget cannot start */
export function readSettings(query: string, hostApiKeys: ReadonlySet<string>): WidgetSettings {
  const findings: Findings = { problems: [], warnings: [] };
  const parameters = new Parameters(query, findings);
  for (const name of ['hostAppName', 'hostLogoUrl', 'hostApiKey'])
    if (parameters.get(name) === undefined) parameters.problem(`${name} is required`);
  const key = parameters.get('hostApiKey');
  if (key !== undefined && !hostApiKeys.has(key)) parameters.problem('hostApiKey is not known');
  const { flows, flow } = readFlows(parameters);
  const variant = parameters.variant();
  const choices: Partial<Record<Direction, Choices>> = {};
  for (const each of flows) choices[each] = choicesFor(parameters, each);
  // Kept even where a sandbox will not call it: the list of deliveries then says why.
  const willNotBeCalled = (text: string) => {
    const target = readTarget(text);
    return target.ok ? null : `will not be called: ${target.problem}`;
  };
  const webhookUrl = (name: string) => addressIn(parameters, name, willNotBeCalled, true);
  const settings: WidgetSettings = {
    hostApiKey: key ?? '',
    hostAppName: parameters.get('hostAppName') ?? '',
    hostLogoUrl: addressIn(parameters, 'hostLogoUrl', (text) => {
      const isWeb = /^https?:$/.test(URL.parse(text)?.protocol ?? '');
      return isWeb ? null : 'is no http or https address';
    }),
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
      onramp: webhookUrl('webhookStatusUrl'),
      offramp: webhookUrl('offrampWebhookV3Url'),
    },
    warnings: findings.warnings,
  };
  // With every problem.
  if (findings.problems.length > 0) throw applicationError(400, 'SANDBOX.WIDGET_CONFIG_FAILED', { ...findings });
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
const returnUrl = (parameters: Parameters, name: string) =>
  addressIn(parameters, name, (text) => {
    const url = URL.parse(text);
    return url !== null && !NEVER.has(url.protocol) ? null : 'is no address that the widget can lead to';
  });

/** A text that is an address, with a warning for what is wrong with it; it is null then, but for one that is kept. */
function addressIn(
  parameters: Parameters,
  name: string,
  problemOf: (text: string) => string | null,
  isKept = false,
): string | null {
  const text = parameters.get(name);
  if (text === undefined) return null;
  const problem = problemOf(text);
  if (problem !== null) parameters.warn(`${name} ${problem}`);
  return problem === null || isKept ? text : null;
}
