/** The assets endpoints of all versions and both directions (spec §4). */
import type { FastifyRequest } from 'fastify';
import { assetInfoV1, assetInfoV2, assetInfoV3, type Body } from '../asset-bodies.ts';
import { ASSETS, identifierOf } from '../assets-catalogue.ts';
import type { CatalogueAsset } from '../catalogue-asset.ts';
import { countryOfAddress } from '../countries.ts';
import { GLOBAL_EUR, inCurrency } from '../published-terms.ts';
import { sendReference } from './cached.ts';
import { flag, parameter, requestedAddress, requestedCurrency } from './query.ts';
import type { Routes, Site } from './site.ts';

/** As objects and as strings: both have been met. */
const ENABLED_FEATURES = ['ONRAMP', 'OFFRAMP', { name: 'HOST_FEE_CUT', params: { percent: 25 } }];

export const assetRoutes: Routes = (app, site) => {
  app.get('/host-api/v3/assets', (request, reply) => {
    const { code } = requestedCurrency(request, 'onramp');
    const moment = site.market.at(site.clock.now());
    const assets = visible(request, ASSETS).map((asset) => assetInfoV3(asset, 'onramp', code, moment));
    return sendReference(request, reply, { ...features(request, site), ...globalTerms(code, site), assets });
  });

  app.get('/host-api/v2/assets', (request, reply) => {
    const { code } = requestedCurrency(request, 'onramp');
    const moment = site.market.at(site.clock.now());
    const assets = visible(request, ASSETS).map((asset) => assetInfoV2(asset, code, moment));
    return sendReference(request, reply, { ...features(request, site), ...globalTerms(code, site), assets });
  });

  app.get('/host-api/v3/offramp/assets', (request, reply) => {
    const { code } = requestedCurrency(request, 'offramp');
    const moment = site.market.at(site.clock.now());
    const sold = ASSETS.filter(({ offramp }) => offramp);
    const assets = visible(request, sold).map((asset) => assetInfoV3(asset, 'offramp', code, moment));
    const { currencyCode, minPurchaseAmount, maxPurchaseAmount } = globalTerms(code, site);
    const limits = { currencyCode, minPurchaseAmount, maxPurchaseAmount };
    return sendReference(request, reply, { ...features(request, site), ...limits, assets });
  });

  app.get('/host-api/assets', (request, reply) => {
    const moment = site.market.at(site.clock.now());
    const onlyEnabled = flag(request, 'onlyEnabled');
    const omitHidden = flag(request, 'omitHidden');
    const assets = ASSETS.filter((asset) => (asset.enabled || !onlyEnabled) && !(asset.hidden && omitHidden))
      .filter(availableTo(request))
      .map((asset) => assetInfoV1(asset, moment));
    return sendReference(request, reply, { ...features(request, site), ...globalTermsV1(), assets });
  });
};

/** v2 and v3 leave disabled and hidden assets out unless asked for them; v1 is the other way round. */
function visible(request: FastifyRequest, assets: readonly CatalogueAsset[]): readonly CatalogueAsset[] {
  const withDisabled = flag(request, 'withDisabled');
  const withHidden = flag(request, 'withHidden');
  return assets
    .filter(({ enabled, hidden }) => (enabled || withDisabled) && (!hidden || withHidden))
    .filter(availableTo(request));
}

function availableTo(request: FastifyRequest): (asset: CatalogueAsset) => boolean {
  const ip = requestedAddress(request);
  const allowed = ip === undefined ? undefined : countryOfAddress(ip)?.supportedAssets;
  return (asset) => allowed === undefined || allowed.includes(identifierOf(asset));
}

/** Only for a key that is known (spec §5.2); an unknown one changes nothing. */
function features(request: FastifyRequest, { hostApiKeys }: Site): Body {
  const key = parameter(request, 'hostApiKey');
  return key !== undefined && hostApiKeys.has(key) ? { enabledFeatures: ENABLED_FEATURES } : {};
}

function globalTerms(code: string, { market, clock }: Site) {
  const moment = market.at(clock.now());
  const { minPurchaseAmount, maxPurchaseAmount, minFeeAmount, minFeePercent, maxFeePercent } = GLOBAL_EUR;
  return {
    currencyCode: code,
    minPurchaseAmount: inCurrency(minPurchaseAmount, code, moment),
    maxPurchaseAmount: inCurrency(maxPurchaseAmount, code, moment),
    minFeeAmount: inCurrency(minFeeAmount, code, moment),
    minFeePercent,
    maxFeePercent,
  };
}

function globalTermsV1() {
  const { minPurchaseAmount, maxPurchaseAmount, minFeeAmount, minFeePercent, maxFeePercent } = GLOBAL_EUR;
  return {
    minPurchaseAmountEur: minPurchaseAmount,
    maxPurchaseAmountEur: maxPurchaseAmount,
    minFeeAmountEur: minFeeAmount,
    minFeePercent,
    maxFeePercent,
  };
}
