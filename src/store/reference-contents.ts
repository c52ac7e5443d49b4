/** Reads what one capture of reference data holds. */
import type { AssetIdentity } from '../domain/asset.ts';
import type { CurrencyTerms, MethodTerms } from '../domain/reference.ts';
import type { Engine } from './engine.ts';
import { findRow, findRows } from './statements.ts';

/** All assets of a content with this symbol; a capture may leave one out. */
export async function readListed(
  engine: Engine,
  contentKey: number,
  symbol: string,
): Promise<readonly AssetIdentity[]> {
  return engine.db
    .selectFrom('reference_assets')
    .select(['asset_chain as chain', 'asset_symbol as symbol'])
    .select(['asset_decimals as decimals', 'asset_address as address'])
    .where('content_key', '=', contentKey)
    .where('asset_symbol', '=', symbol)
    .execute();
}

export async function readMethods(engine: Engine, contentKey: number): Promise<ReadonlyMap<string, MethodTerms>> {
  const named = ['name', 'currencies', 'countries'] as const;
  const rows = await findRows(engine.db, 'reference_methods', { content_key: contentKey }, named, 'name');
  const listOf = (text: string) => JSON.parse(text) as string[];
  return new Map(
    rows.map(({ name, currencies, countries }) => [
      name,
      { name, currencies: listOf(currencies), countries: listOf(countries) },
    ]),
  );
}

/** Null where an earlier version captured the list. */
export async function readCurrencies(
  engine: Engine,
  contentKey: number,
): Promise<ReadonlyMap<string, CurrencyTerms> | null> {
  const content = await findRow(engine.db, 'reference_contents', { content_key: contentKey }, ['currencies']);
  const currencies = content?.currencies ?? null;
  if (currencies === null) return null;
  const listed = JSON.parse(currencies) as readonly [string, boolean, boolean][];
  return new Map(listed.map(([code, onramp, offramp]) => [code, { code, onramp, offramp }]));
}
