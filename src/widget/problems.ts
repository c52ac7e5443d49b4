/** The problems of a widget configuration: stable codes, each with one severity. */
import { parameterOf } from './parameters.ts';

/**
 * Errors: the widget cannot do what the configuration says, or does something else. Warnings: a value has no effect,
 * is deprecated, is not in the specification, or looks like a known mistake.
 */
export const WIDGET_PROBLEMS = {
  PARAMETER_MISSING: { severity: 'error', says: 'a required parameter is absent or blank' },
  PARAMETER_MISSPELT: { severity: 'error', says: 'an unknown name that is nearly a known one' },
  PARAMETER_UNKNOWN: { severity: 'warning', says: 'a name that the specification does not have' },
  PARAMETER_DEPRECATED: { severity: 'warning', says: 'a parameter that has a successor' },
  PARAMETER_REPEATED: { severity: 'warning', says: 'a URL has it more than once' },
  PARAMETER_OUTSIDE_FLOW: { severity: 'warning', says: 'none of its flows is enabled, so it has no effect' },
  PARAMETER_NOT_HOSTED: { severity: 'warning', says: 'it cannot travel in a hosted URL and is left out' },
  NEW_AND_LEGACY: { severity: 'warning', says: 'a deprecated parameter beside its successor, which wins' },
  VALUE_TYPE: { severity: 'error', says: 'a value of another type' },
  VALUE_UNKNOWN: { severity: 'error', says: 'a value outside the allowed ones' },
  VALUE_DEPRECATED: { severity: 'warning', says: 'an old value that is mapped to a present one' },
  FRAGMENT_IN_URL: { severity: 'error', says: 'a hosted URL has an unencoded #' },
  FLOW_UNDOCUMENTED: { severity: 'warning', says: 'SWAP, which only examples mention' },
  FLOW_NOT_ENABLED: { severity: 'error', says: '`defaultFlow` is not among `enabledFlows`' },
  FLOW_NOT_ENABLED_BY_DEFAULT: {
    severity: 'warning',
    says: '`defaultFlow` is not ONRAMP, and `enabledFlows` is left at its default of ONRAMP alone',
  },
  CONTAINER_NODE_MISSING: { severity: 'error', says: 'an embedded variant without `containerNode`' },
  CONTAINER_NODE_UNUSED: { severity: 'warning', says: '`containerNode` without an embedded variant' },
  CONTAINER_NODE_NOT_A_NODE: { severity: 'warning', says: '`containerNode` is a text, not a DOM node' },
  FINAL_URL_IGNORED: { severity: 'error', says: '`finalUrl` outside hosted integration or without ONRAMP' },
  FINAL_URL_PARTIAL: {
    severity: 'warning',
    says: '`finalUrl` works for ONRAMP only, or only if the widget is opened as a hosted page',
  },
  URL_INVALID: { severity: 'error', says: 'not a whole URL' },
  URL_SCHEME: { severity: 'error', says: 'a scheme that is dangerous, or that cannot work there' },
  URL_OWN_SCHEME: { severity: 'warning', says: 'an own scheme where only `finalUrl` is known to take one' },
  URL_NOT_HTTPS: { severity: 'warning', says: 'plain http' },
  URL_CREDENTIALS: { severity: 'warning', says: 'a URL with a user name or password in it' },
  WEBHOOK_LOCAL: { severity: 'warning', says: 'a webhook address that the Service cannot reach' },
  WEBHOOK_UNCOVERED: {
    severity: 'warning',
    says: 'both flows are enabled, and the events of one of them are sent nowhere',
  },
  EMAIL_INVALID: { severity: 'error', says: 'not an e-mail address' },
  COUNTRY_UNKNOWN: { severity: 'error', says: 'not an ISO 3166-1 alpha-2 code' },
  CURRENCY_UNKNOWN: { severity: 'error', says: 'not an ISO 4217 code' },
  CURRENCY_UNAVAILABLE: { severity: 'warning', says: 'a currency that the Service does not list for that flow' },
  ASSET_INVALID: { severity: 'error', says: 'not of the form `<CHAIN>_<SYMBOL>`' },
  ASSET_OLD_FORM: { severity: 'warning', says: 'a bare symbol in a deprecated parameter' },
  ASSET_WILDCARD: { severity: 'error', says: '`<CHAIN>_*` where one asset is meant' },
  ASSET_UNKNOWN: { severity: 'warning', says: 'an asset that the given assets response does not offer' },
  ASSET_NOT_ENABLED: { severity: 'warning', says: 'a selected asset outside the enabled ones' },
  ASSET_SIDE: { severity: 'error', says: 'fiat where crypto is meant, or crypto where fiat is meant' },
  ASSET_SIDE_OTHER_FLOW: { severity: 'warning', says: 'it fits an enabled flow, but not the default one' },
  LIST_ITEM_EMPTY: { severity: 'warning', says: 'a list with nothing between two commas' },
  LIST_ITEM_REPEATED: { severity: 'warning', says: 'a list with an item twice' },
  AMOUNT_INVALID: { severity: 'error', says: 'not a positive number' },
  AMOUNT_NOT_UNITS: { severity: 'error', says: 'decimals where whole units are meant' },
  AMOUNT_INEXACT: { severity: 'error', says: 'a number that JavaScript cannot hold exactly' },
  AMOUNT_LOOKS_MAJOR: { severity: 'warning', says: 'so few units that whole coins or euros were probably meant' },
  AMOUNT_TOO_PRECISE: { severity: 'warning', says: 'more decimals than the currency has' },
  AMOUNT_WITHOUT_ASSET: { severity: 'warning', says: 'an amount of nothing that is named' },
  AMOUNT_ON_BOTH_SIDES: { severity: 'warning', says: 'both amounts are set; which one counts is not promised' },
  FIAT_VALUE_WITHOUT_CURRENCY: { severity: 'error', says: '`fiatValue` without `fiatCurrency`' },
  ADDRESS_INVALID: { severity: 'error', says: 'no address of any configured chain' },
  ADDRESS_CHECKSUM: { severity: 'error', says: 'the right form, but a checksum that does not match: a typing error' },
  ADDRESS_OF_SOME_CHAINS: { severity: 'warning', says: 'an address of some of the configured chains only' },
  ADDRESS_UNRECOGNISED: { severity: 'warning', says: 'no address of any chain that is known here' },
} as const satisfies Readonly<Record<string, { severity: 'error' | 'warning'; says: string }>>;

type WidgetProblemCode = keyof typeof WIDGET_PROBLEMS;

export interface WidgetProblem {
  severity: 'error' | 'warning';
  /** Stable: scripts filter by it. */
  code: WidgetProblemCode;
  parameter: string;
  /**
   * The given value; null without one, and for every value that may be a key. Addresses are shown without their
   * query.
   */
  value: string | null;
  message: string;
  /** One sentence with the remedy. */
  remedy: string;
}

export function widgetProblem(
  code: WidgetProblemCode,
  parameter: string,
  value: unknown,
  { message, remedy }: { message: string; remedy: string },
): WidgetProblem {
  return {
    severity: WIDGET_PROBLEMS[code].severity,
    code,
    parameter,
    value: shownValue(parameter, value),
    message,
    remedy,
  };
}

const LONGEST = 120;

/** Keys are public in a URL, but no problem shows one, because problems are pasted into tickets. */
function shownValue(parameter: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const known = parameterOf(parameter);
  if (known?.type === 'key' || (known === undefined && /key|token|secret|pass|auth/i.test(parameter))) return null;
  const text = typeof value === 'string' ? value : describe(value);
  const shown = known?.type.endsWith('url') ? withoutSecrets(text) : text;
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (Array.isArray(item) ? '(list)' : describe(item))).join(',');
  return typeof value === 'object' || typeof value === 'function' ? `(${typeof value})` : String(value);
}

/** Queries of webhook and return addresses carry session ids and tokens; so do user names. */
function withoutSecrets(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1…@').replace(/[?#].*$/s, '?…');
}
