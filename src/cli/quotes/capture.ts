/** `tieout quotes capture`: asks the Service for one quote and stores it. */

import { randomUUID } from 'node:crypto';
import { openClient } from '../../app/open-client.ts';
import { inMinorUnits } from '../../domain/currency.ts';
import { UsageError } from '../../domain/errors.ts';
import { command, type Register } from '../context.ts';
import { snakeCase } from '../output.ts';

export const register: Register = (program) => {
  command(program, 'quotes capture', {
    summary: 'Ask the Service for a quote now, and store it',
    details: 'Needs the integration key (TIEOUT_HOST_API_KEY). Prints the id under which the quote is stored.',
    examples: [
      'tieout quotes capture --asset ETH_ETH --currency EUR --fiat 100',
      'tieout quotes capture --direction offramp --asset BTC_BTC --currency USD --crypto 10000000',
    ],
  })
    .choice('--direction <direction>', 'buying or selling', ['onramp', 'offramp'], 'onramp')
    .choice('--api <version>', 'API version', ['v1', 'v3'], 'v3')
    .requiredOption('--asset <chain_symbol>', 'crypto asset, as ETH_USDC')
    .requiredOption('--currency <code>', 'fiat currency')
    .option('--fiat <amount>', 'fiat amount in major units')
    .option('--crypto <units>', 'instead of --fiat: crypto amount in the smallest units')
    .option('--method <name>', 'payment method (v1)')
    .option('--country <code>', "the user's country")
    .option('--region <code>', "the user's region")
    .option('--quote-id <id>', 'id to store it under (default: a new one)')
    .runs(async (session, { fiat, crypto, currency, ...flags }) => {
      if ((fiat === undefined) === (crypto === undefined)) throw new UsageError('give one amount: --fiat or --crypto');
      const app = await session.app();
      const client = openClient(app, app.limiter);
      session.releasers.push('connections', () => client.close());
      const quoteId = flags.quoteId ?? `captured-${randomUUID()}`;
      const request = {
        api: flags.api,
        direction: flags.direction,
        cryptoAssetSymbol: flags.asset,
        fiatCurrency: currency,
        fiatValue: fiat,
        cryptoAmount: crypto,
        paymentMethodType: flags.method,
        userCountryCode: flags.country,
        userRegionCode: flags.region,
      };
      const answer = await client.quote(request, { pace: 'burst', quoteId });
      const [outcome] = await app.store.quotes.add([answer], app.clock.wall.now());
      if (outcome === 'conflict') throw new UsageError(`--quote-id ${quoteId}: another quote is stored under this id`);
      if (session.out.json) await session.out.value(snakeCase({ quoteId, methods: answer.quote.methods }));
      else {
        await session.out.line(`Stored as ${quoteId}.`);
        await session.out.table(
          [
            { title: 'method', cell: ({ method }) => method },
            { title: `total ${currency}`, cell: (row) => inMinorUnits(row.fiatValue, currency), align: 'right' },
            { title: 'fee', cell: (row) => inMinorUnits(row.appliedFee, currency), align: 'right' },
            { title: 'crypto units', cell: ({ cryptoUnits }) => cryptoUnits.toString(), align: 'right' },
          ],
          answer.quote.methods,
        );
      }
    });
};
