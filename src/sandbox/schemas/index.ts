/** Every schema that has a name in the document; where the specification has a name, it is that one. */

import type { Bodies } from '../contract.ts';
import { ERROR_SCHEMAS } from './answers.ts';
import { ASSET_SCHEMAS } from './assets.ts';
import { LiveOrder } from './control.ts';
import { LIST_SCHEMAS } from './lists.ts';
import { quoteSchemas } from './quotes.ts';
import { recordSchemas } from './records.ts';

export type ServiceSchemas = ReturnType<typeof serviceSchemas>;

/** @param identifierName the maker's name in identifiers: bodies hold `base<Name>Fee` (field facts) */
export function serviceSchemas(identifierName: string, bodies: Bodies) {
  const baseFee = `base${identifierName}Fee`;
  return {
    ...ASSET_SCHEMAS,
    ...LIST_SCHEMAS,
    ...quoteSchemas(baseFee),
    ...recordSchemas(baseFee, bodies),
    ...ERROR_SCHEMAS,
    LiveOrder,
  };
}
