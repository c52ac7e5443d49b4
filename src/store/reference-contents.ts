/** Reads what one capture of reference data holds. */
import type { AssetIdentity } from '../domain/asset.ts';
import type { CurrencyTerms, MethodTerms } from '../domain/reference.ts';
import type { Engine } from './engine.ts';

const LISTED = ['asset_decimals', 'asset_address'] as const;

/** All assets of a content with this symbol; a capture may leave one out. */
export async function readListed(
  engine: Engine,
  contentKey: number,
  symbol: string,
): Promise<readonly AssetIdentity[]> {
  const rows = await engine.rows(
    engine.db
      .selectFrom('reference_assets')
      .select(['asset_chain', ...LISTED])
      .where('content_key', '=', contentKey)
      .where('asset_symbol', '=', symbol),
  );
  return rows.map((row) => ({
    chain: row[0] as string,
    symbol,
    decimals: row[1] as number,
    address: row[2] as string | null,
  }));
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
