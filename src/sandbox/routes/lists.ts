/** Methods, currencies and countries (spec §4.1, §4.3). */
import { COUNTRIES, findCountry } from '../countries.ts';
import { CURRENCIES } from '../currencies.ts';
import { validationError } from '../errors.ts';
import { type Method, PAYMENT_METHODS, PAYOUT_METHODS } from '../methods.ts';
import { sendReference } from './cached.ts';
import { parameter } from './query.ts';
import type { Routes } from './site.ts';

const COUNTRY = /^[a-z]{2}$/;

export const listRoutes: Routes = (app) => {
  app.get('/host-api/v3/payment-methods', (request, reply) =>
    sendReference(request, reply, PAYMENT_METHODS.map(methodBody)),
  );
  app.get('/host-api/v3/payout-methods', (request, reply) =>
    sendReference(request, reply, PAYOUT_METHODS.map(methodBody)),
  );

  app.get('/host-api/v3/currencies', (request, reply) => {
    const country = parameter(request, 'countryCode');
    if (country !== undefined && !COUNTRY.test(country)) {
      throw validationError('countryCode must be a lowercase ISO 3166-1 alpha-2 code');
    }
    const currencies = CURRENCIES.filter(({ code }) => country === undefined || usedIn(country, code)).map(
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

/** A country's own currency, and the euro and the dollar wherever anything is traded at all. */
function usedIn(country: string, code: string): boolean {
  const found = findCountry(country);
  if (found === undefined || found.supportedAssets?.length === 0) return false;
  return found.currency === code || code === 'EUR' || code === 'USD';
}
