/** Methods, currencies and countries (spec §4.1, §4.3). */
import { COUNTRIES, isUsedIn } from '../countries.ts';
import { CURRENCIES } from '../currencies.ts';
import { validationError } from '../errors.ts';
import { type Method, PAYMENT_METHODS, PAYOUT_METHODS } from '../methods.ts';
import { sendReference } from './cached.ts';
import { COUNTRY_CODE } from './parameters.ts';
import { parameter } from './query.ts';
import type { Routes } from './site.ts';

export const listRoutes: Routes = (app) => {
  app.get('/host-api/v3/payment-methods', (request, reply) =>
    sendReference(request, reply, PAYMENT_METHODS.map(methodBody)),
  );
  app.get('/host-api/v3/payout-methods', (request, reply) =>
    sendReference(request, reply, PAYOUT_METHODS.map(methodBody)),
  );

  app.get('/host-api/v3/currencies', (request, reply) => {
    const country = parameter(request, 'countryCode');
    if (country !== undefined && !COUNTRY_CODE.safeParse(country).success) {
      throw validationError('countryCode must be a lowercase ISO 3166-1 alpha-2 code');
    }
    const currencies = CURRENCIES.filter(({ code }) => country === undefined || isUsedIn(country, code)).map(
      ({ code, name, onramp, offramp }) => ({
        fiatCurrency: code,
        name,
        onrampAvailable: onramp,
        offrampAvailable: offramp,
      }),
    );
    return sendReference(request, reply, currencies);
  });

  app.get('/host-api/countries', (request, reply) =>
    sendReference(
      request,
      reply,
      COUNTRIES.map(({ code, name, currency, supportedAssets }) => ({
        code: code.toUpperCase(),
        name,
        cardPaymentsEnabled: true,
        mainCurrencyCode: currency,
        ...(supportedAssets === undefined ? {} : { supportedAssets }),
      })),
    ),
  );
};

function methodBody({ name, currencies, countries }: Method) {
  return { name, currencies, countries };
}
