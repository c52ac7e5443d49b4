/** `fiatCurrency`, `defaultAsset`, `fiatValue` and `swapAmount` become in and out, by the flow (spec §2.11). */
import { majorToMinor, minorUnitDigits } from '../domain/currency.ts';
import type { AssetTerms } from '../domain/reference.ts';
import { presentAsset } from './assets.ts';
import { type FlowsInForce, legacySuccessor } from './flows.ts';
import { draftText, type MigrationDraft, type MigrationNote, takeUp } from './migrate-draft.ts';
import type { WidgetParameterName } from './parameters.ts';

type OldName = 'fiatCurrency' | 'defaultAsset' | 'fiatValue' | 'swapAmount';
/** Assets before their amounts: an amount is of something. */
const OLD_NAMES: readonly OldName[] = ['fiatCurrency', 'defaultAsset', 'fiatValue', 'swapAmount'];
const UNIT = { fiatValue: 'fiatCurrency', swapAmount: 'defaultAsset' } as const;

/** Description of a change of a value. */
const CONVERTED: Readonly<Record<OldName, string>> = {
  fiatCurrency: '',
  defaultAsset: '; the symbol got its chain',
  fiatValue: ', in minor units by ISO 4217',
  swapAmount: ', without leading zeros',
};

interface Old {
  name: OldName;
  value: string;
  successor: WidgetParameterName;
}

/** The steps, in an order in which the currency or asset of an amount is always known. */
export function migrateSides(draft: MigrationDraft, flows: FlowsInForce, assets: readonly AssetTerms[]): void {
  // The parameters before the first step: later steps remove the currency or asset of an amount.
  const before = new Map(OLD_NAMES.map((name) => [name, draftText(draft, name)]));
  for (const name of OLD_NAMES) {
    const value = takeUp(draft, name);
    if (value === null) continue;
    const successor = legacySuccessor(name, flows.first);
    if (successor === null) {
      note(
        draft,
        'kept',
        { name, value },
        { to: null, why: `for ${flows.first} no parameter is known to replace it`, attention: true },
      );
      continue;
    }
    const old = { name, value, successor };
    if (replaced(draft, old)) continue;
    if (name === 'fiatValue' || name === 'swapAmount') {
      const presentUnit = before.get(UNIT[name]) ?? null;
      const unit = name === 'swapAmount' && presentUnit !== null ? presentAsset(presentUnit, assets) : presentUnit;
      moveAmount(draft, { ...old, name }, unit, flows);
    } else move(draft, old, name === 'defaultAsset' ? presentAsset(value, assets) : value, flows);
  }
}

/** A new parameter wins over a legacy one. */
function replaced(draft: MigrationDraft, { name, value, successor }: Old): boolean {
  const present = draftText(draft, successor);
  if (present === null) return false;
  draft.config.delete(name);
  const to = { parameter: successor, value: present };
  note(draft, 'removed', { name, value }, { to, why: `${successor} is given, and wins`, attention: false });
  return true;
}

function move(
  draft: MigrationDraft,
  { name, value, successor }: Old,
  to: string,
  flows: FlowsInForce,
  doubt?: string,
): void {
  draft.config.delete(name);
  draft.config.set(successor, to);
  const { why, attention } = becomes(successor, flows);
  const action = value === to ? 'moved' : 'converted';
  const how = action === 'converted' ? CONVERTED[name] : '';
  const said = `${why}${how}${doubt === undefined ? '' : `; ${doubt}`}`;
  const outcome = { to: { parameter: successor, value: to }, why: said, attention: attention || doubt !== undefined };
  note(draft, action, { name, value }, outcome);
}

/** In and out are given once; the old parameters applied to every flow. */
function becomes(successor: string, { enabled, first }: FlowsInForce): { why: string; attention: boolean } {
  const others = enabled.filter((flow) => flow !== first);
  if (others.length === 0) return { why: `for ${first} it is ${successor}`, attention: false };
  return {
    why: `for ${first}, shown first, it is ${successor}; ${others.join(', ')} no longer has it`,
    attention: true,
  };
}

/** A legacy amount in units; or the reason why it has no meaning any more, or needs a person's decision. */
type AmountReading = { units: string; doubt?: string } | { void: string } | { undecided: string };

function moveAmount(
  draft: MigrationDraft,
  old: Old & { name: 'fiatValue' | 'swapAmount' },
  unit: string | null,
  flows: FlowsInForce,
): void {
  const reading = readAmount(draft, old, unit);
  if ('undecided' in reading) note(draft, 'kept', old, { to: null, why: reading.undecided, attention: true });
  else if ('void' in reading) {
    draft.config.delete(old.name);
    note(draft, 'removed', old, { to: null, why: reading.void, attention: true });
  } else move(draft, old, reading.units, flows, reading.doubt);
}

/**
 * Converts exactly or not at all: rounding would change the amount that the user sees.
 * @param unit the currency or asset that the old configuration named; null where it named none
 */
function readAmount(draft: MigrationDraft, { name, value, successor }: Old, unit: string | null): AmountReading {
  const asset = successor === 'inAssetValue' ? 'inAsset' : 'outAsset';
  const inForce = draftText(draft, asset);
  if (unit !== null && inForce !== null && unit !== inForce)
    return { void: `it was an amount of ${unit}, and ${asset} is now ${inForce}` };
  if (name === 'swapAmount') {
    return /^\d+$/.test(value)
      ? { units: value.replace(/^0+(?=\d)/, '') }
      : { undecided: 'it is not a whole number of units' };
  }
  const currency = unit ?? inForce;
  if (currency === null) return { void: 'it was not supported without fiatCurrency, so it had no effect' };
  const minor = majorToMinor(value, currency);
  if (minor.ok) {
    if (minor.text.startsWith('-')) return { undecided: 'it is below zero' };
    const doubt = `without fiatCurrency it was not supported, and now it is an amount of ${currency}`;
    return { units: minor.text, ...(unit === null ? { doubt } : {}) };
  }
  switch (minor.reason) {
    case 'unknown-currency':
      return { undecided: `${currency} is not a currency of ISO 4217` };
    case 'not-a-number':
      return { undecided: 'it is not a number' };
    case 'too-precise':
      return { undecided: `${currency} has ${minorUnitDigits(currency)} digits after the point; round it yourself` };
  }
}

function note(
  draft: MigrationDraft,
  action: MigrationNote['action'],
  { name, value }: { name: OldName; value: string },
  outcome: Pick<MigrationNote, 'to' | 'why' | 'attention'>,
): void {
  draft.notes.push({ action, parameter: name, value, ...outcome });
}
