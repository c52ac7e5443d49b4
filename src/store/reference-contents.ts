/** Reads what one capture of reference data holds. */
import type { AssetIdentity } from '../domain/asset.ts';
import type { CurrencyTerms, MethodTerms } from '../domain/reference.ts';
import type { Engine } from './engine.ts';

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
  const rows = await engine.db
    .selectFrom('reference_methods')
    .selectAll()
    .where('content_key', '=', contentKey)
    .orderBy('name')
    .execute();
  return new Map(
    rows.map((row) => [
      row.name,
      {
        name: row.name,
        currencies: JSON.parse(row.currencies) as string[],
        countries: JSON.parse(row.countries) as string[],
      },
    ]),
  );
}

/** Null where an earlier version captured the list. */
export async function readCurrencies(
  engine: Engine,
  contentKey: number,
): Promise<ReadonlyMap<string, CurrencyTerms> | null> {
  const { currencies } = await engine.db
    .selectFrom('reference_contents')
    .select('currencies')
    .where('content_key', '=', contentKey)
    .executeTakeFirstOrThrow();
  if (currencies === null) return null;
  const listed = JSON.parse(currencies) as readonly [string, boolean, boolean][];
  return new Map(listed.map(([code, onramp, offramp]) => [code, { code, onramp, offramp }]));
}
