/** Reads what one capture of reference data holds. */
import type { AssetIdentity } from '../domain/asset.ts';
import type { AssetTerms, CurrencyTerms, GlobalTerms, MethodTerms } from '../domain/reference.ts';
import { columns, readDecimalOrNull, readUnitsOrNull } from './cells.ts';
import type { Engine } from './engine.ts';
import { template } from './statements.ts';

export async function readGlobal(engine: Engine, contentKey: number): Promise<GlobalTerms | null> {
  const row = await engine.db
    .selectFrom('reference_contents')
    .selectAll()
    .where('content_key', '=', contentKey)
    .executeTakeFirstOrThrow();
  if (row.global_currency === null) return null;
  return {
    currencyCode: row.global_currency,
    minPurchaseAmount: readDecimalOrNull(row.global_min_purchase),
    maxPurchaseAmount: readDecimalOrNull(row.global_max_purchase),
    minFeeAmount: readDecimalOrNull(row.global_min_fee),
    minFeePercent: readDecimalOrNull(row.global_min_fee_percent),
    maxFeePercent: readDecimalOrNull(row.global_max_fee_percent),
  };
}

type AssetReader = (contentKey: number, chain: string, symbol: string) => Promise<AssetTerms | 'not listed'>;

const LISTED = ['asset_decimals', 'asset_address'] as const;
const TERMS = columns('enabled min_purchase max_purchase min_units network_fee price asset_type hidden price_eur');

/** All assets of a capture with this symbol. */
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

/** A month needs tens of thousands of single look-ups, so the statement is built once. */
export function assetReader(engine: Engine): AssetReader {
  const statement = template(
    engine.db
      .selectFrom('reference_assets')
      .select([...LISTED, ...TERMS])
      .where('content_key', '=', 0)
      .where('asset_chain', '=', '')
      .where('asset_symbol', '=', ''),
  );
  return async (contentKey, chain, symbol) => {
    const [row] = await engine.rows(statement([contentKey, chain, symbol]));
    if (row === undefined) return 'not listed';
    return {
      chain,
      symbol,
      decimals: row[0] as number,
      address: row[1] as string | null,
      enabled: row[2] === 1,
      minPurchaseAmount: readDecimalOrNull(row[3]),
      maxPurchaseAmount: readDecimalOrNull(row[4]),
      minPurchaseCryptoUnits: readUnitsOrNull(row[5]),
      networkFee: readDecimalOrNull(row[6]),
      price: readDecimalOrNull(row[7]),
      ...(row[8] === null ? {} : { type: row[8] as string }),
      hidden: row[9] === 1,
      priceEur: readDecimalOrNull(row[10]),
    };
  };
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
