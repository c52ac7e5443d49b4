/**
 * Every widget configuration parameter of spec §2.11 as data: its type, whether it is required, its flows, and its
 * replacement. Building, reading, checking and migrating use this table, in this order.
 */
import { PAYMENT_METHOD_NAMES } from '../domain/method-names.ts';

/** `SWAP` appears in the specification's examples of the unified parameters, but not among the values of a parameter. */
export const FLOWS = ['ONRAMP', 'OFFRAMP', 'SWAP'] as const;
export type Flow = (typeof FLOWS)[number];

export const VARIANTS =
  'auto hosted desktop mobile hosted-mobile webview-desktop webview-mobile embedded-mobile embedded-desktop'.split(' ');

/**
 * `flow-list`: an array, comma-joined in a URL. `asset-list`: one text with commas; an array is accepted and joined.
 * `units`: whole minor units of a fiat currency, or whole crypto units. `major`: accounting format, `50.10`.
 */
type ParameterType =
  | 'text'
  | 'key'
  | 'url'
  | 'return-url'
  | 'webhook-url'
  | 'flow'
  | 'flow-list'
  | 'address'
  | 'email'
  | 'country'
  | 'asset-list'
  | 'asset'
  | 'asset-or-currency'
  | 'currency'
  | 'units'
  | 'major'
  | 'boolean'
  | 'variant'
  | 'payment-method'
  | 'node';

interface ParameterShape {
  readonly type: ParameterType;
  /** `embedded`: with the two embedded variants. */
  readonly required: 'yes' | 'no' | 'embedded';
  /** The flows in which it has an effect; null where it concerns the whole widget. */
  readonly flows: readonly Flow[] | null;
  /** False where it cannot travel in a hosted URL. */
  readonly hosted: boolean;
  /** The default; null where the specification names none. */
  readonly default: string | null;
  /** The allowed values; null where the type alone restricts them. */
  readonly values: readonly string[] | null;
  /** The parameters that replaced it, for each flow the same or not; null for a present one. */
  readonly replacedBy: readonly string[] | null;
  /** In a few words, for documentation. */
  readonly meaning: string;
}

const PLAIN = { required: 'no', flows: null, hosted: true, default: null, values: null, replacedBy: null } as const;
const ONRAMP = ['ONRAMP'] as const;
const OFFRAMP = ['OFFRAMP'] as const;
const RAMPS = ['ONRAMP', 'OFFRAMP'] as const;

const parameter = (type: ParameterType, meaning: string, more: Partial<ParameterShape> = {}): ParameterShape => {
  return { ...PLAIN, type, meaning, ...more };
};

const WIDGET_PARAMETERS = {
  hostLogoUrl: parameter('url', 'logo of the integrating app', { required: 'yes' }),
  hostAppName: parameter('text', 'name of the integrating app', { required: 'yes' }),
  hostApiKey: parameter('key', 'integration key; purchases are counted by it', { required: 'yes' }),
  enabledFlows: parameter(
    'flow-list',
    'flows that the user may choose; the first is the default flow where `defaultFlow` is absent',
    { default: 'ONRAMP', values: RAMPS },
  ),
  defaultFlow: parameter('flow', 'flow that is shown first', { default: 'ONRAMP', values: RAMPS }),
  userAddress: parameter(
    'address',
    'blockchain address that receives the crypto; for OFFRAMP the one that it is sent from',
  ),
  userEmailAddress: parameter('email', 'pre-fills the e-mail address'),
  selectedCountryCode: parameter('country', 'country of a new user, ISO 3166-1 alpha-2'),
  enabledCryptoAssets: parameter(
    'asset-list',
    'assets of all flows, `<CHAIN>_<SYMBOL>` or `<CHAIN>_*`; one item is the only option, the first is selected',
    { default: 'all assets' },
  ),
  inAsset: parameter('asset-or-currency', 'what the user sends: ONRAMP fiat, OFFRAMP and SWAP crypto'),
  outAsset: parameter('asset-or-currency', 'what the user receives: ONRAMP and SWAP crypto, OFFRAMP fiat'),
  inAssetValue: parameter('units', 'amount sent, in minor units or crypto units, without decimals'),
  outAssetValue: parameter('units', 'amount received, in minor units or crypto units, without decimals'),
  url: parameter('url', 'address of a non-production widget', { hosted: false }),
  webhookStatusUrl: parameter('webhook-url', 'address that purchase events are sent to', { flows: ONRAMP }),
  offrampWebhookV3Url: parameter('webhook-url', 'address that sale events are sent to', { flows: OFFRAMP }),
  finalUrl: parameter(
    'return-url',
    'where the user goes after the flow; hosted integration only; an own scheme (`myapp://`) is allowed',
    { flows: ONRAMP },
  ),
  successUrl: parameter('return-url', 'where the button on success screens leads', { flows: RAMPS }),
  failureUrl: parameter('return-url', 'where the button on error screens leads', { flows: RAMPS }),
  useSendCryptoCallback: parameter('boolean', 'shows a button that sends the crypto with the user’s wallet', {
    flows: OFFRAMP,
  }),
  variant: parameter('variant', 'form of the widget', { default: 'auto', values: VARIANTS }),
  paymentMethodType: parameter('payment-method', 'payment method that is selected', {
    flows: ONRAMP,
    values: PAYMENT_METHOD_NAMES,
  }),
  containerNode: parameter('node', 'DOM node that holds an embedded widget', { required: 'embedded', hosted: false }),
  hideExitButton: parameter('boolean', 'hides the internal exit button'),
  swapAsset: parameter('asset-list', 'list of available assets', {
    default: 'all assets',
    replacedBy: ['enabledCryptoAssets'],
  }),
  offrampAsset: parameter('asset-list', 'list of available assets, for OFFRAMP only', {
    flows: OFFRAMP,
    default: 'all assets',
    replacedBy: ['enabledCryptoAssets'],
  }),
  swapAmount: parameter('units', 'crypto amount in units', { replacedBy: ['outAssetValue', 'inAssetValue'] }),
  fiatCurrency: parameter('currency', 'fiat currency', { replacedBy: ['inAsset', 'outAsset'] }),
  fiatValue: parameter('major', 'fiat amount in accounting format; needs `fiatCurrency`', {
    replacedBy: ['inAssetValue', 'outAssetValue'],
  }),
  defaultAsset: parameter('asset', 'asset that is selected', { replacedBy: ['outAsset', 'inAsset'] }),
};

export type WidgetParameterName = keyof typeof WIDGET_PARAMETERS;

export interface WidgetParameter extends ParameterShape {
  readonly name: WidgetParameterName;
}

/** In the order of the specification, which is also the order in a built URL. */
export const PARAMETERS: readonly WidgetParameter[] = (
  Object.entries(WIDGET_PARAMETERS) as readonly (readonly [WidgetParameterName, ParameterShape])[]
).map(([name, shape]) => ({ name, ...shape }));

const BY_NAME: ReadonlyMap<string, WidgetParameter> = new Map(PARAMETERS.map((each) => [each.name, each]));

/** The parameter of that exact name; names are case-sensitive. */
export function parameterOf(name: string): WidgetParameter | undefined {
  return BY_NAME.get(name);
}
