/** `swapAsset` and `offrampAsset` become one list for all flows: `enabledCryptoAssets` (spec §2.11). */
import type { AssetTerms } from '../domain/reference.ts';
import { identifierOfSymbol, isAssetIdentifier, isChainWildcard } from './assets.ts';
import type { FlowsInForce } from './flows.ts';
import { draftText, type MigrationDraft, takeUp } from './migrate-draft.ts';

const OLD_LISTS = ['swapAsset', 'offrampAsset'] as const;
const NEW_LIST = 'enabledCryptoAssets';

/** `swapAsset` first, as deployments were seen to do; each asset once. */
export function mergeAssetLists(draft: MigrationDraft, flows: FlowsInForce, assets: readonly AssetTerms[]): void {
  const hadSwapAsset = draftText(draft, 'swapAsset') !== null;
  const old = OLD_LISTS.flatMap((parameter) => {
    const value = takeUp(draft, parameter);
    return value === null ? [] : [{ parameter, value }];
  });
  if (old.length === 0) return;
  for (const { parameter } of old) draft.config.delete(parameter);
  const present = draftText(draft, NEW_LIST);
  if (present !== null) {
    for (const each of old) {
      draft.notes.push({
        ...each,
        action: 'removed',
        to: { parameter: NEW_LIST, value: present },
        why: `${NEW_LIST} is given, and wins`,
        attention: false,
      });
    }
    return;
  }
  const items = old.flatMap(({ value }) => value.split(',').map((item) => item.trim()));
  const named = [...new Set(items.filter((item) => item !== '').map((item) => presentAsset(item, assets)))];
  if (named.length === 0) return;
  const value = named.join(',');
  draft.config.set(NEW_LIST, value);
  for (const each of old) {
    const { why, attention } = consequence(each.parameter, flows, hadSwapAsset);
    draft.notes.push({
      ...each,
      action: value === each.value ? 'moved' : 'converted',
      to: { parameter: NEW_LIST, value },
      why,
      attention,
    });
  }
}

/** The new list is for all flows, and so it can take away what the old ones left open. */
function consequence(
  parameter: (typeof OLD_LISTS)[number],
  { enabled, first }: FlowsInForce,
  hadSwapAsset: boolean,
): { why: string; attention: boolean } {
  const successor = `${NEW_LIST} replaces it, for all flows`;
  if (parameter === 'swapAsset') return { why: successor, attention: false };
  const others = enabled.filter((flow) => flow !== 'OFFRAMP');
  if (others.length === 0) return { why: successor, attention: false };
  if (!hadSwapAsset) {
    const why = `${successor}; it was for OFFRAMP only, and now limits ${others.join(', ')} too, which had all assets`;
    return { why, attention: true };
  }
  const selected = first === 'OFFRAMP' ? '; the first item of swapAsset is now the one selected' : '';
  return { why: `${successor}; its assets can now be bought as well${selected}`, attention: true };
}

/** A bare v1 symbol gets its chain where the response leaves no doubt; everything else stays as it is. */
export function presentAsset(item: string, assets: readonly AssetTerms[]): string {
  return isAssetIdentifier(item) || isChainWildcard(item) ? item : (identifierOfSymbol(item, assets) ?? item);
}
