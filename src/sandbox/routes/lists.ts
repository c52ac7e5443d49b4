/** Methods, currencies and countries (spec §4.1, §4.3). */
import { z } from 'zod';
import { catalogueAsset } from '../assets-catalogue.ts';
import { COUNTRIES, CURRENCIES, isUsedIn, type Method, PAYMENT_METHODS, PAYOUT_METHODS } from '../payment-tables.ts';
import { invalid } from '../schemas/answers.ts';
import { countryCode } from '../schemas/reference.ts';
import { about, cacheable, type Routes, reference } from './site.ts';

export const listRoutes: Routes = (app, { schemas, bodies }) => {
  const methodsAt = (name: string, operationId: string, summary: string, schema: z.ZodType, all: readonly Method[]) =>
    app.get(
      `/host-api/v3/${name}`,
      { onSend: cacheable, ...about('v3', operationId, summary, reference(schema)) },
      () => all.map(({ name, currencies, countries }) => ({ name, currencies, countries })),
    );
  methodsAt('payment-methods', 'getPaymentMethods', 'How a buyer can pay', schemas.PaymentMethods, PAYMENT_METHODS);
  methodsAt('payout-methods', 'getPayoutMethods', 'How a seller can be paid', schemas.PayoutMethods, PAYOUT_METHODS);

  app.get(
    '/host-api/v3/currencies',
    {
      onSend: cacheable,
      ...about('v3', 'getCurrencies', 'Fiat currencies that are traded', {
        querystring: z.object({
          countryCode: countryCode.optional().describe('ISO 3166-1 alpha-2, lower case: only what is used there.'),
        }),
        ...reference(schemas.ActiveTransactionCurrencies, {
          400: invalid('countryCode must be a lowercase ISO 3166-1 alpha-2 code'),
        }),
      }),
    },
    ({ query: { countryCode: country } }) =>
      CURRENCIES.filter(({ code }) => country === undefined || isUsedIn(country, code)).map(
        ({ code, name, onramp, offramp }) => ({
          fiatCurrency: code,
          name,
          onrampAvailable: onramp,
          offrampAvailable: offramp,
        }),
      ),
  );

  app.get(
    '/host-api/countries',
    { onSend: cacheable, ...about('v1', 'getCountries', 'Countries that are enabled', reference(schemas.Countries)) },
    () =>
      COUNTRIES.map(({ code, name, currency, supportedAssets }) => ({
        code: code.toUpperCase(),
        name,
        cardPaymentsEnabled: true,
        mainCurrencyCode: currency,
        ...(supportedAssets === undefined
          ? {}
          : {
              // The name that v1 assets have too.
              supportedAssets: supportedAssets.map((id) => (bodies === 'spec' ? catalogueAsset(id).v1Symbol : id)),
            }),
      })),
  );
};
