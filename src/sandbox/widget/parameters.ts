/** Reading the widget's parameters as the hosted page does (spec §2.11): by name, first value, empty means left out. */
import { applicationError, type ServiceError } from '../errors.ts';

/** Collects `problems`, which stop the widget, and `warnings`, which do not. */
export interface Findings {
  problems: string[];
  warnings: string[];
}

const KNOWN: ReadonlySet<string> = new Set([
  ...(
    'hostLogoUrl hostAppName hostApiKey enabledFlows defaultFlow userAddress userEmailAddress ' +
    'selectedCountryCode enabledCryptoAssets inAsset outAsset inAssetValue outAssetValue url webhookStatusUrl ' +
    'offrampWebhookV3Url finalUrl successUrl failureUrl useSendCryptoCallback variant paymentMethodType ' +
    'containerNode hideExitButton swapAsset offrampAsset swapAmount fiatCurrency fiatValue defaultAsset'
  ).split(' '),
  // Not among the configuration: the SDK tells its widgets apart by it, and events repeat it (field facts).
  'widgetInstanceId',
]);

const VARIANTS: ReadonlySet<string> = new Set(
  'auto hosted desktop mobile hosted-mobile webview-desktop webview-mobile embedded-mobile embedded-desktop'.split(' '),
);

export class Parameters {
  readonly #values = new Map<string, string>();
  readonly findings: Findings;

  /** @param query what follows `?`, with or without it. */
  constructor(query: string, findings: Findings) {
    this.findings = findings;
    for (const [name, value] of new URLSearchParams(query)) {
      if (!KNOWN.has(name)) this.warn(`${name} is no parameter of the widget`);
      else if (value !== '' && !this.#values.has(name)) this.#values.set(name, value);
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  list(name: string): readonly string[] | undefined {
    const items = this.get(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    return items === undefined || items.length === 0 ? undefined : items;
  }

  /** Leaves a parameter out, and says why. */
  drop(name: string, why: string): void {
    if (this.#values.delete(name)) this.warn(`${name} ${why}`);
  }

  flag(name: string): boolean {
    const value = this.get(name);
    if (value !== undefined && value !== 'true' && value !== 'false') this.warn(`${name} must be true or false`);
    return value === 'true';
  }

  variant(): string {
    const value = this.get('variant') ?? 'auto';
    if (VARIANTS.has(value)) return value;
    this.warn(`there is no variant ${value}`);
    return 'auto';
  }

  warn(text: string): void {
    this.findings.warnings.push(text);
  }

  problem(text: string): void {
    this.findings.problems.push(text);
  }
}

/** The answer for a widget that cannot start, with every problem. */
export function unusable({ problems, warnings }: Findings): ServiceError {
  return applicationError(400, 'SANDBOX.WIDGET_CONFIG_FAILED', { problems, warnings });
}
