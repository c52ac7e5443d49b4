/** Every schema that has a name in the document; where the specification has a name, it is that one. */
import { ASSET_SCHEMAS } from './assets.ts';
import { ERROR_SCHEMAS } from './errors.ts';
import { LIST_SCHEMAS } from './lists.ts';
import { LiveOrder } from './live.ts';
import { quoteSchemas } from './quotes.ts';
import { recordSchemas } from './records.ts';

export type ServiceSchemas = ReturnType<typeof serviceSchemas>;

/** @param identifierName the maker's name in identifiers: bodies hold `base<Name>Fee` (field facts) */
export function serviceSchemas(identifierName: string) {
  const baseFee = `base${identifierName}Fee`;
  return {
    ...ASSET_SCHEMAS,
    ...LIST_SCHEMAS,
    ...quoteSchemas(baseFee),
    ...recordSchemas(baseFee),
    ...ERROR_SCHEMAS,
    LiveOrder,
  };
}
