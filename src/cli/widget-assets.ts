/** `--assets FILE`: a saved assets response, to judge and to expand a widget configuration by. */

import { UsageError } from '../domain/errors.ts';
import type { AssetTerms, GlobalTerms } from '../domain/reference.ts';
import { driftInWords } from '../service/drift.ts';
import { ExactJsonError, isExactObject, parseExactJson } from '../service/exact-json.ts';
import { normaliseAssets } from '../service/normalise-assets.ts';
import type { Session } from './session.ts';

export interface AssetsFile {
  assets: readonly AssetTerms[];
  limits: GlobalTerms;
}

/**
 * On-ramp or off-ramp, as `tieout service assets` prints it.
 * @throws UsageError for a file that is no assets response
 */
export function readAssetsFile({ world }: Session, path: string): AssetsFile {
  const refuse = (why: string, cause?: unknown) => new UsageError(`--assets ${path}: ${why}`, { cause });
  let text: string;
  try {
    text = world.readFile(path);
  } catch (error) {
    throw refuse(`cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
  }
  const body = parse(text, refuse);
  const currency = isExactObject(body) && typeof body.currencyCode === 'string' ? body.currencyCode : 'EUR';
  // Only the on-ramp publishes fees (spec §2.3).
  const direction = isExactObject(body) && 'minFeeAmount' in body ? 'onramp' : 'offramp';
  const reading = normaliseAssets(body, { api: 'v3', direction, currency });
  if (!reading.ok) {
    throw refuse(`is no assets response of v3: ${reading.drift.slice(0, 3).map(driftInWords).join('; ')}`);
  }
  return { assets: reading.value.assets, limits: reading.value.global };
}

function parse(text: string, refuse: (why: string, cause: unknown) => UsageError): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof ExactJsonError) throw refuse(error.message, error);
    throw error;
  }
}
