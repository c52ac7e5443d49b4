/** The addresses in a widget's parameters: where to go afterwards, what to show, whom to call. */
import { readTarget } from '../live/loopback.ts';
import type { Parameters } from './parameters.ts';

/** Schemes that would run or show something of the URL's own instead of leaving the page. */
const NEVER: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']);

/** An app's own scheme is fine (`myapp://done`); null where there is none that can be followed. */
export function returnUrl(parameters: Parameters, name: string): string | null {
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
