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

const WIDGET_PARAMETERS = {
  hostLogoUrl: { ...PLAIN, type: 'url', required: 'yes', meaning: 'logo of the integrating app' },
  hostAppName: { ...PLAIN, type: 'text', required: 'yes', meaning: 'name of the integrating app' },
  hostApiKey: { ...PLAIN, type: 'key', required: 'yes', meaning: 'integration key; purchases are counted by it' },
  enabledFlows: {
    ...PLAIN,
    type: 'flow-list',
    default: 'ONRAMP',
    values: RAMPS,
    meaning: 'flows that the user may choose; the first is the default flow where `defaultFlow` is absent',
  },
  defaultFlow: { ...PLAIN, type: 'flow', default: 'ONRAMP', values: RAMPS, meaning: 'flow that is shown first' },
  userAddress: {
    ...PLAIN,
    type: 'address',
    meaning: 'blockchain address that receives the crypto; for OFFRAMP the one that it is sent from',
  },
  userEmailAddress: { ...PLAIN, type: 'email', meaning: 'pre-fills the e-mail address' },
  selectedCountryCode: { ...PLAIN, type: 'country', meaning: 'country of a new user, ISO 3166-1 alpha-2' },
  enabledCryptoAssets: {
    ...PLAIN,
    type: 'asset-list',
    default: 'all assets',
    meaning:
      'assets of all flows, `<CHAIN>_<SYMBOL>` or `<CHAIN>_*`; one item is the only option, the first is selected',
  },
  inAsset: {
    ...PLAIN,
    type: 'asset-or-currency',
    meaning: 'what the user sends: ONRAMP fiat, OFFRAMP and SWAP crypto',
  },
  outAsset: {
    ...PLAIN,
    type: 'asset-or-currency',
    meaning: 'what the user receives: ONRAMP and SWAP crypto, OFFRAMP fiat',
  },
  inAssetValue: { ...PLAIN, type: 'units', meaning: 'amount sent, in minor units or crypto units, without decimals' },
  outAssetValue: {
    ...PLAIN,
    type: 'units',
    meaning: 'amount received, in minor units or crypto units, without decimals',
  },
  url: { ...PLAIN, type: 'url', hosted: false, meaning: 'address of a non-production widget' },
  webhookStatusUrl: {
    ...PLAIN,
    type: 'webhook-url',
    flows: ONRAMP,
    meaning: 'address that purchase events are sent to',
  },
  offrampWebhookV3Url: {
    ...PLAIN,
    type: 'webhook-url',
    flows: OFFRAMP,
    meaning: 'address that sale events are sent to',
  },
  finalUrl: {
    ...PLAIN,
    type: 'return-url',
    flows: ONRAMP,
    meaning: 'where the user goes after the flow; hosted integration only; an own scheme (`myapp://`) is allowed',
  },
  successUrl: { ...PLAIN, type: 'return-url', flows: RAMPS, meaning: 'where the button on success screens leads' },
  failureUrl: { ...PLAIN, type: 'return-url', flows: RAMPS, meaning: 'where the button on error screens leads' },
  useSendCryptoCallback: {
    ...PLAIN,
    type: 'boolean',
    flows: OFFRAMP,
    meaning: 'shows a button that sends the crypto with the user’s wallet',
  },
  variant: { ...PLAIN, type: 'variant', default: 'auto', values: VARIANTS, meaning: 'form of the widget' },
  paymentMethodType: {
    ...PLAIN,
    type: 'payment-method',
    flows: ONRAMP,
    values: PAYMENT_METHOD_NAMES,
    meaning: 'payment method that is selected',
  },
  containerNode: {
    ...PLAIN,
    type: 'node',
    required: 'embedded',
    hosted: false,
    meaning: 'DOM node that holds an embedded widget',
  },
  hideExitButton: { ...PLAIN, type: 'boolean', meaning: 'hides the internal exit button' },
  swapAsset: {
    ...PLAIN,
    type: 'asset-list',
    default: 'all assets',
    replacedBy: ['enabledCryptoAssets'],
    meaning: 'list of available assets',
  },
  offrampAsset: {
    ...PLAIN,
    type: 'asset-list',
    flows: OFFRAMP,
    default: 'all assets',
    replacedBy: ['enabledCryptoAssets'],
    meaning: 'list of available assets, for OFFRAMP only',
  },
  swapAmount: {
    ...PLAIN,
    type: 'units',
    replacedBy: ['outAssetValue', 'inAssetValue'],
    meaning: 'crypto amount in units',
  },
  fiatCurrency: { ...PLAIN, type: 'currency', replacedBy: ['inAsset', 'outAsset'], meaning: 'fiat currency' },
  fiatValue: {
    ...PLAIN,
    type: 'major',
    replacedBy: ['inAssetValue', 'outAssetValue'],
    meaning: 'fiat amount in accounting format; needs `fiatCurrency`',
  },
  defaultAsset: { ...PLAIN, type: 'asset', replacedBy: ['outAsset', 'inAsset'], meaning: 'asset that is selected' },
} as const satisfies Readonly<Record<string, ParameterShape>>;

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
